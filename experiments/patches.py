"""Digits cut into 16 patches of 2 by 2 pixels, with and without positions.

``positions.pytorch`` and ``positions.tf`` have the model. "grid": half of a vector says
the row, half the column. Every kind, both frameworks, every seed; stores the record.

python -m experiments.patches --seeds 0 1 2
"""

from itertools import product

import numpy as np

from attn_course.course.labs.positions import pytorch, tf
from attn_course.reference import sinusoidal_encoding
from attn_course.tasks.digits import load_digits
from experiments import draw_from, run_plan

SIDE, PIXELS = 4, 4
SIZES = {"pixels": PIXELS, "width": 48, "heads": 4, "layers": 2}
BATCH, RATE, STEPS = 64, 3e-3, 600
KINDS = ("none", "learned", "grid")


def to_patches(images):
    """Images (B, 8, 8) -> patches (B, 16, 4), row by row."""
    rows = images.reshape(-1, SIDE, 2, SIDE, 2)
    return rows.swapaxes(2, 3).reshape(-1, SIDE**2, PIXELS)


def grid_encoding(side, dim):
    """Positions in two dimensions: (side * side, dim), float32.

    The first half of a vector is the sinusoidal encoding of its row, the second that of
    its column.
    """
    line = sinusoidal_encoding(side, dim // 2)
    rows, columns = np.repeat(line, side, axis=0), np.tile(line, (side, 1))
    return np.concatenate([rows, columns], axis=1).astype(np.float32)


def settings(kind):
    """The arguments of ``PatchModel`` for a kind of positions."""
    grid = grid_encoding(SIDE, SIZES["width"]) if kind == "grid" else None
    positions = "learned" if kind == "learned" else "none"
    return SIZES | {"grid": grid, "positions": positions, "max_length": SIDE**2}


def batches(digits, *, seed):
    """Endless batches of patches (B, 16, 4) and labels (B)."""
    rng, patches = np.random.default_rng(seed), to_patches(digits.images)
    while True:
        rows = rng.permutation(len(patches))[:BATCH]
        yield patches[rows], digits.labels[rows]


def run(framework, kind, seed):
    """Train one model and test it; returns the row of the record, alone in a list."""
    draw_from(seed)
    lab = pytorch if framework == "pytorch" else tf
    model, data = lab.PatchModel(**settings(kind)), load_digits("train")
    lab.train(model, batches(data, seed=seed), steps=STEPS, rate=RATE)
    test = load_digits("test")
    _, right = lab.score(model, to_patches(test.images), test.labels)
    row = {"framework": framework, "positions": kind, "seed": seed, "steps": STEPS}
    return [row | {"exact": round(float(right.mean()), 4)}]


if __name__ == "__main__":
    run_plan("patches", list(product(("pytorch", "tf"), KINDS)), run)
