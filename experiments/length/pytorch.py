"""One model of ``experiments.length`` in PyTorch, trained and tested."""

from attn_course.core.frameworks import torch
from attn_course.course.labs.positions.pytorch import TokenModel, score, train
from attn_course.tasks.topics import load_topics
from experiments.length import (
    ASKED,
    BATCH,
    LENGTH,
    LENGTHS,
    PASTS,
    RATE,
    SIZES,
    STEPS,
    batches,
    evaluate,
)


def run(positions, seed, **kind):
    """Train one model and test it at every length; returns the rows of a record."""
    torch.manual_seed(seed)
    model = TokenModel(
        **SIZES, positions=positions, max_length=LENGTH, causal=True, **kind
    )
    train(model, batches(load_topics("train"), seed=seed), steps=STEPS, rate=RATE)
    rows, text = [], load_topics("test")
    for asked in (*ASKED, *(PASTS if positions == "none" else ())):
        # Nothing was learned for later positions: LearnedEncoding refuses them.
        short = positions == "learned" or asked in PASTS
        for length in LENGTHS[:1] if short else LENGTHS:
            bits, exact = evaluate(score, model, text, length, asked)
            row = {"framework": "pytorch", "positions": positions, **kind}
            row |= {"windows": asked, "length": length, "seed": seed, "steps": STEPS}
            row |= {"batch": BATCH, "bits": round(bits, 4), "exact": round(exact, 4)}
            rows.append(row)
    return rows
