"""BLEU of a translation model, by sacrebleu: in all, and by the source's length."""

from itertools import pairwise

import numpy as np

from attn_course.course.labs.translate import chunks
from attn_course.tasks.text import PAD
from attn_course.tasks.translation import load_translation, subwords

EDGES = (1, 17, 25, 33, 41, 49)  # subwords of the source; train has 32 at most
SHOWN = 10


def translations(translate, split, setting, **options):
    """What ``translate(source, mask, max_length=...)`` writes for every row: texts."""
    examples = load_translation(split, longest=setting.longest_test)
    every = -(-len(examples) // setting.test_rows)
    examples = examples.take(range(0, len(examples), every))
    encoded = examples.encode()
    order = np.argsort((encoded.target_out != PAD).sum(axis=1), kind="stable")
    wrote = [""] * len(order)
    rows = iter(order)
    for chunk in chunks(encoded, 128):
        size = int(setting.longest_test * 1.25)
        tokens = translate(chunk.source, chunk.source_mask, max_length=size, **options)
        for text in subwords().decode(tokens):
            wrote[next(rows)] = text
    return examples, wrote


def bleu(wrote, expected):
    """Corpus BLEU, 0 to 100, with sacrebleu's own tokens: ``signature`` says which."""
    from sacrebleu import corpus_bleu

    return round(corpus_bleu(wrote, [expected]).score, 2)


def signature():
    """What sacrebleu calls this way of counting: tokens, case, smoothing, version."""
    from sacrebleu.metrics import BLEU

    metric = BLEU()
    metric.corpus_score(["a"], [["a"]])
    return str(metric.get_signature())


def ahead(wrote, expected, draws=1000):
    """How far the first model's BLEU is ahead of each other's: paired bootstrap.

    wrote: per model, for every seed, all translations. Verses are drawn anew with
    repetition, the same ones for all models and seeds; of each draw counts the mean
    over the seeds (Koehn 2004).

    Returns {model: (ahead, lowest, highest)}: on all verses, and 95 % of the draws.
    """
    from sacrebleu.metrics import BLEU

    metric, rng = BLEU(), np.random.default_rng(0)
    names = list(wrote)
    counts = {
        name: [statistics(metric, texts, expected) for texts in wrote[name]]
        for name in names
    }
    rows = [np.arange(len(expected))]
    rows += [rng.integers(len(expected), size=len(expected)) for _ in range(draws)]
    means = {
        name: np.mean(
            [[from_counts(metric, c[r]) for r in rows] for c in counts[name]], axis=0
        )
        for name in names
    }
    found = {}
    for name in names[1:]:
        whole, *drawn = means[names[0]] - means[name]
        found[name] = [whole, *np.quantile(drawn, [0.025, 0.975])]
    return {name: [round(float(x), 2) for x in each] for name, each in found.items()}


def statistics(metric, wrote, expected):
    """A row per verse: lengths, then n-grams that match and all n-grams, 1 to 4."""
    rows = []
    for text, wanted in zip(wrote, expected, strict=True):
        one = metric.corpus_score([text], [[wanted]])
        rows.append((one.sys_len, one.ref_len, *one.counts, *one.totals))
    return np.array(rows)


def from_counts(metric, rows):
    """BLEU of verses from their statistics."""
    sys_len, ref_len, *grams = rows.sum(axis=0).tolist()
    options = {"sys_len": sys_len, "ref_len": ref_len, "smooth_method": "exp"}
    return metric.compute_bleu(grams[:4], grams[4:], **options).score


def score(examples, wrote):
    """BLEU in all and by length, and ten translations: a dict for the record."""
    lengths = [len(subwords().pieces(text)) for text in examples.sources]
    rows = []
    for low, high in pairwise(EDGES):
        inside = [i for i, length in enumerate(lengths) if low <= length < high]
        if inside:
            pairs = [wrote[i] for i in inside], [examples.targets[i] for i in inside]
            rows.append((low, high - 1, len(inside), bleu(*pairs)))
    step = max(1, len(wrote) // SHOWN)
    shown = range(0, len(wrote), step)[:SHOWN]
    return {
        "bleu": bleu(wrote, examples.targets),
        "by_length": rows,
        "shown": [
            (examples.references[i], examples.sources[i], examples.targets[i], wrote[i])
            for i in shown
        ],
    }
