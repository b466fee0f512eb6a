"""Trains the models of the live figures: dates, sentences, and the reader of "it".

``python -m experiments.live --seeds 0 1 2`` writes their weights as float16 into
``src/attn_course/tasks/live``, and the record ``live``. Where several are trained, the
best on dev is kept.
"""

import base64
import hashlib
import io
import time

import numpy as np

from attn_course import pytorch as names
from attn_course.core.frameworks import torch
from attn_course.course.labs import dates as date_lab
from attn_course.course.labs.generate.pytorch import load_glassllm
from attn_course.course.labs.pronoun import STEPS, may_see, pytorch as lab_reader
from attn_course.course.labs.seq2seq import TRAINING, build
from attn_course.course.training import pytorch as loop
from attn_course.files import replacing
from attn_course.parity import get_parameters, set_parameters
from attn_course.tasks import glassllm, pronoun
from attn_course.tasks.dates import load_dates, source_vocabulary, target_vocabulary
from attn_course.tasks.live import HERE
from attn_course.tasks.metrics import exact_match
from attn_course.tasks.sentences import load_sentences
from attn_course.tasks.text import UNKNOWN, batches, encode_pairs
from experiments import chosen_seeds, pronoun as readers, resuming, sentences, store

DATE_STEPS, SENTENCE_STEPS, SENTENCE_RATES = 700, 3000, (3e-3, 1e-2)


def typed(text, rng):
    """A date as people type it: small letters, no commas or dots, a letter missing."""
    case, commas, dots, letter = rng.random(4)
    if case < 0.7:
        text = text.lower() if case < 0.6 else text.upper()
    if commas < 0.6:
        text = " ".join(text.replace(",", " ").split())
    if dots < 0.3:
        text = " ".join(text.replace(".", " ").split())
    letters = [place for place, sign in enumerate(text) if sign.isalpha()]
    if letter < 0.2 and len(letters) > 3:
        place = letters[rng.integers(len(letters))]
        text = text[:place] + text[place + 1 :]
    return text


def encoded(sources, targets):
    """Dates as a `Batch`."""
    return encode_pairs(sources, targets, source_vocabulary(), target_vocabulary())


def date_batch(rng):
    """Every training date twice, once as typed; then 1% of its signs are unknown."""
    train = load_dates("train")
    rough = [typed(text, rng) for text in train.sources]
    examples = encoded([*train.sources, *rough], [*train.targets, *train.targets])
    digits = source_vocabulary().encode(list("0123456789"))[0]
    hidden = (rng.random(examples.source.shape) < 0.01) & examples.source_mask
    hidden[: len(rough)] = False
    examples.source[hidden & ~np.isin(examples.source, digits)] = UNKNOWN
    return examples


def level_then_down(step, steps, rate):
    """The rate for six tenths of the steps, then down to a tenth of it."""
    return rate * min(1.0, 1 - 0.9 * (step / steps - 0.6) / 0.4)


def dates(seed):
    """Chapter 2's model, trained for longer, on dates as they are typed too."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model = build(names, date_lab.task(), attention=True)
    data = batches(date_batch(rng), 128, seed)
    options = {"steps": DATE_STEPS, "schedule": level_then_down, **TRAINING}
    log = loop.train(model, data, loop.token_loss, **options)
    halve(model)
    row = {"steps": DATE_STEPS, "loss": round(log[-1].loss, 4)}
    row["shown"] = date_shown(model, "Sonntag, 3. Oktober 2027")
    return model, row | {
        "dev": date_score(model, load_dates("dev")),
        "exact": date_score(model, load_dates("test")),
        "typed": date_score(model, load_dates("test"), np.random.default_rng(7)),
    }


def date_score(model, data, rng=None):
    """The share that is written right; with rng, of the dates as they are typed."""
    sources = [typed(text, rng) for text in data.sources] if rng else data.sources
    tokens, _ = loop.predict(model, encoded(sources, data.targets), max_length=11)
    return round(exact_match(target_vocabulary().decode(tokens), data.targets), 4)


def date_shown(model, text):
    """A date, what the model writes for it, and the weights (T, S)."""
    tokens, weights = loop.predict(model, encoded([text], [""]), max_length=11)
    written = target_vocabulary().decode(tokens)[0]
    return [text, written, told(weights[0, : len(written) + 1])]


def told(weights):
    """Weights as lists, in thousandths of 1."""
    return np.round(np.asarray(weights, float), 3).tolist()


def translations(seed):
    """Chapter 9's Transformer, five times as long, at the rate that is best on dev."""
    train, dev = load_sentences("train"), load_sentences("dev")
    found = []
    for rate in SENTENCE_RATES:
        given = "Transformer", rate, seed, train, SENTENCE_STEPS
        model, losses = sentences.train(*given)
        halve(model)
        row = {"steps": SENTENCE_STEPS, "rate": rate, "loss": losses[1]}
        found.append((model, row | {"dev": sentences.exact(model, dev)}))
    model, row = max(found, key=lambda each: each[1]["dev"])
    for name, split in (("exact", "test"), ("pairs", "pairs")):
        row[name] = sentences.exact(model, load_sentences(split))
    german = "den Hund hat das Mädchen am Abend gesucht ."
    (english,) = sentences.write(model, [german])
    row["shown"] = [german, english, told(sentences.looked(model, german, english))]
    return model, row


def reader(seed):
    """Chapter 5's two layers, in which all words look at all words."""
    torch.manual_seed(seed)
    model = lab_reader.Reader(may_see("all words"))
    log = lab_reader.train(model, steps=STEPS, seed=seed)
    halve(model)
    row = {"steps": STEPS, "loss": round(log[-1].loss, 4)}
    row["exact"] = readers.exact(lab_reader, model)
    text = "the cat drank the milk because it was thirsty"
    found, (_, second) = lab_reader.guess(model, pronoun.encode(text)[None])
    row["shown"] = [text, pronoun.WORDS[found[0]], told(second[0])]
    return model, row


def writer():
    """The row of the language model that ships: a text that it wrote, greedily."""
    model, tokens = load_glassllm(), glassllm.load_tokenizer()
    prompt = tokens.encode("Alice was beginning to")
    given, how = torch.from_numpy(prompt)[None], {"max_tokens": 40, "temperature": 0}
    written = [int(token[0]) for token in names.generate(model, given, **how)]
    row = {"model": "glassllm", "framework": "pytorch", "read": len(prompt)}
    row["shown"] = [tokens.decode(prompt), tokens.decode(written), len(written)]
    return row


def halve(model):
    """Give a model the numbers that float16 keeps of its own."""
    kept = {k: x.astype(np.float16) for k, x in get_parameters(model).items()}
    set_parameters(model, {k: x.astype(np.float32) for k, x in kept.items()})


MAKERS = {"sentences": translations, "dates": dates, "reader": reader}


def made(name, seed):
    """A model of a seed: its row, with its weights as the text of their file."""
    begin = time.process_time()
    model, row = MAKERS[name](seed)
    parameters, new = get_parameters(model), io.BytesIO()
    stored = {k: x.astype(np.float16) for k, x in parameters.items()}
    np.savez_compressed(new, **stored)
    row = {"model": name, "framework": "pytorch", "seed": seed, **row}
    row["parameters"] = sum(x.size for x in parameters.values())
    row["seconds"] = round(time.process_time() - begin)
    return [row | {"weights": base64.b64encode(new.getvalue()).decode()}]


def best_of(rows):
    """The row of the best on dev, which tells of all, and its file."""
    best = max(rows, key=lambda row: row.get("dev", 0))
    file = base64.b64decode(best["weights"])
    row = {key: value for key, value in best.items() if key != "weights"}
    if "dev" in row:
        row["devs"] = {each["seed"]: each["dev"] for each in rows}
    row["seconds"] = sum(each["seconds"] for each in rows)
    row |= {"file": f"{row['model']}.npz", "sha256": hashlib.sha256(file).hexdigest()}
    return row, file


def main():
    """Train all, then write the files and the record that knows their sums."""
    seeds, rows, files = chosen_seeds(), [], {}
    with resuming("live") as done:
        for name in MAKERS:
            some = seeds if name == "sentences" else seeds[:1]  # one is enough
            row, file = best_of([done.rows(made, name, seed)[0] for seed in some])
            files[row["file"]] = file
            rows.append(row)
            print({key: row[key] for key in row if key != "shown"}, flush=True)
        for name, file in files.items():
            with replacing(HERE / name) as new:
                new.write_bytes(file)
        store("live", [*rows, writer()], seeds, seconds=round(done.seconds))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
