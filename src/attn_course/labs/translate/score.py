"""BLEU of a translation model, by sacrebleu: in all, and by the source's length."""

from itertools import pairwise

import numpy as np

from attn_course.labs.translate import chunks
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
    """Corpus BLEU, 0 to 100, with sacrebleu's own tokens (signature: its defaults)."""
    from sacrebleu import corpus_bleu

    return round(corpus_bleu(wrote, [expected]).score, 2)


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
