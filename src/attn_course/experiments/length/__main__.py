"""Every kind of positions with every seed, in PyTorch; stores the record."""

import argparse
import time

from attn_course.experiments import store
from attn_course.experiments.length import (
    ASKED,
    BATCH,
    LENGTH,
    LENGTHS,
    RATE,
    SIZES,
    STEPS,
    batches,
    evaluate,
)
from attn_course.experiments.positions import POSITIONS
from attn_course.experiments.positions.pytorch import TokenModel, score, train
from attn_course.frameworks import torch
from attn_course.tasks.topics import load_topics


def run(positions, seed, steps):
    """Train one model and test it at every length; returns the rows of the record."""
    torch.manual_seed(seed)
    kind = {"positions": positions, "max_length": LENGTH, "causal": True}
    model = TokenModel(**SIZES, **kind)
    train(model, batches(load_topics("train"), seed=seed), steps=steps, rate=RATE)
    rows, text = [], load_topics("test")
    for asked in ASKED:
        # Nothing was learned for later positions: LearnedEncoding refuses them.
        for length in LENGTHS[:1] if positions == "learned" else LENGTHS:
            bits, exact = evaluate(score, model, text, length, asked)
            row = {"framework": "pytorch", "positions": positions, "windows": asked}
            row |= {"length": length, "seed": seed, "steps": steps, "batch": BATCH}
            rows.append(row | {"bits": round(bits, 4), "exact": round(exact, 4)})
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--positions", nargs="+", default=POSITIONS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--no-store", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for seed in options.seeds:
        for positions in options.positions:
            started = time.perf_counter()
            rows += run(positions, seed, options.steps)
            print(positions, seed, f"{time.perf_counter() - started:.0f} s", flush=True)
            for row in rows[-2 * len(LENGTHS) :]:
                if row["positions"] == positions:
                    print("  ", row["windows"], row["length"], row["bits"], row["exact"])
    seeds = " ".join(map(str, options.seeds))
    if not options.no_store:
        store("length", rows, f"python -m attn_course.experiments.length --seeds {seeds}")
