"""Dates with and without attention: same data, same sizes, same number of steps, both frameworks, several seeds.

python -m attn_course.experiments.dates --seeds 0 1 2
"""

import argparse

from attn_course.experiments import store
from attn_course.tasks.dates import load_dates, source_vocabulary, target_vocabulary
from attn_course.tasks.metrics import by_length, exact_match
from attn_course.tasks.text import batches

STEPS = 240
EDGES = (1, 10, 20, 30, 49)
SIZES = {"embedding_dim": 64, "hidden_dim": 128}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    seeds = parser.parse_args().seeds
    rows = []
    for seed in seeds:
        for framework in ("pytorch", "tf"):
            for attention in (False, True):
                rows.append(run(framework, attention, seed))
                print(rows[-1], flush=True)
    command = f"python -m attn_course.experiments.dates --seeds {' '.join(map(str, seeds))}"
    store("dates", rows, command)


def run(framework, attention, seed):
    """Train one model and test it: exact match on the test days, over all and by length of the source."""
    names, loop = _framework(framework, seed)
    model = build(names, attention)
    loop.train(model, batches(load_dates("train").encode(), 128, seed), steps=STEPS)
    test = load_dates("test")
    tokens, _ = loop.predict(model, test.encode(), max_length=11)
    predicted = target_vocabulary().decode(tokens)
    return {
        "framework": framework,
        "attention": attention,
        "seed": seed,
        "steps": STEPS,
        "exact": round(exact_match(predicted, test.targets), 4),
        "by_length": [
            (low, high, count, round(exact, 4)) for low, high, count, exact in by_length(predicted, test, EDGES)
        ],
    }


def build(names, attention):
    """An encoder-decoder of the chapters' sizes, from ``attn_course.pytorch`` or ``attn_course.tf``."""
    memory_dim = 2 * SIZES["hidden_dim"]
    encoder = names.RecurrentEncoder(len(source_vocabulary()), **SIZES)
    if attention:
        sizes = {**SIZES, "memory_dim": memory_dim, "attention_dim": SIZES["hidden_dim"]}
        decoder = names.BahdanauDecoder(len(target_vocabulary()), **sizes)
    else:
        decoder = names.FixedContextDecoder(len(target_vocabulary()), **SIZES, memory_dim=memory_dim)
    return names.EncoderDecoder(encoder, decoder)


def _framework(framework, seed):
    if framework == "pytorch":
        from attn_course import pytorch as names
        from attn_course.frameworks import torch
        from attn_course.training import pytorch as loop

        torch.manual_seed(seed)
    else:
        from attn_course import tf as names
        from attn_course.frameworks import keras
        from attn_course.training import tf as loop

        keras.utils.set_random_seed(seed)
    return names, loop


if __name__ == "__main__":
    main()
