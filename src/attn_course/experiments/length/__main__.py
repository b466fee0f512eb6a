"""Every kind of positions with every seed, in PyTorch; stores the record."""

from attn_course.experiments import chosen_seeds, store
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


def run(positions, seed):
    """Train one model and test it at every length; returns the rows of the record."""
    torch.manual_seed(seed)
    kind = {"positions": positions, "max_length": LENGTH, "causal": True}
    model = TokenModel(**SIZES, **kind)
    train(model, batches(load_topics("train"), seed=seed), steps=STEPS, rate=RATE)
    rows, text = [], load_topics("test")
    for asked in ASKED:
        # Nothing was learned for later positions: LearnedEncoding refuses them.
        for length in LENGTHS[:1] if positions == "learned" else LENGTHS:
            bits, exact = evaluate(score, model, text, length, asked)
            row = {"framework": "pytorch", "positions": positions, "windows": asked}
            row |= {"length": length, "seed": seed, "steps": STEPS, "batch": BATCH}
            rows.append(row | {"bits": round(bits, 4), "exact": round(exact, 4)})
    return rows


if __name__ == "__main__":
    seeds = chosen_seeds()
    torch.set_num_threads(1)
    rows = []
    for seed in seeds:
        for positions in POSITIONS:
            rows += run(positions, seed)
            print(rows[-1], flush=True)
    store("length", rows, seeds)
