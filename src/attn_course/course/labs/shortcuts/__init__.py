"""An encoder whose attention is full, low rank or hashed, on two tasks of 64 positions.

``shortcuts.pytorch`` and ``shortcuts.tf`` have the model and its training.

"digits": name the digit that 64 pixels show. "twins": 64 cards, every picture on two of
them; name the number on the twin of every card. The first needs a summary, the second
one certain position of 64.

python -m experiments.shortcuts --seeds 0 1 2
"""

import numpy as np

from attn_course.tasks.digits import load_digits
from attn_course.tasks.pairs import ANIMALS, twins

MORE = "ape boar colt dove fly gnu ibex kite lamb moth newt rat seal swan toad yak"
NAMES = [*ANIMALS, *MORE.split()]  # of the pictures
POSITIONS, PICTURES, NUMBERS = 64, len(NAMES), 5
MODEL_DIM, HEADS, LAYERS, FF_DIM = 32, 4, 2, 64
BATCH, RATE = {"digits": 32, "twins": 64}, 3e-3
STEPS = {"digits": 500, "twins": 200}
INPUTS = {"digits": 1, "twins": PICTURES + NUMBERS}
OUTPUTS = {"digits": 10, "twins": NUMBERS}
# Every kind of attention, and the numbers that a query looks at in it.
KINDS = {"full": POSITIONS, "none": 0, "Linformer 8": 8, "LSH 1": 16}
BUCKETS = 16
CHUNK = 2 * POSITIONS // BUCKETS  # the paper's: a query looks at 16 per round
REDRAWN = (
    1000  # the seed of the rotations that a trained model meets for the first time
)


def batches(task, split="train", *, seed=0, size=None):
    """Endless batches: inputs (B, 64, features) float32, and what is right, int64.

    Right is a digit (B), or a number for every card (B, 64).
    """
    rng = np.random.default_rng([seed, split == "test"])
    size = BATCH[task] if size is None else size
    digits = load_digits(split) if task == "digits" else None
    while True:
        if digits is not None:
            rows = rng.permutation(len(digits.labels))[:size]
            pixels = digits.images[rows].reshape(len(rows), POSITIONS, 1)
            yield pixels, digits.labels[rows]
        else:
            yield _cards(rng, size)


def _cards(rng, size):
    half = POSITIONS // 2
    drawn = rng.random((size, PICTURES)).argsort(axis=1)[:, :half]
    pictures = rng.permuted(np.repeat(drawn, 2, axis=1), axis=1)
    numbers = rng.integers(NUMBERS, size=pictures.shape)
    parts = np.eye(PICTURES)[pictures], np.eye(NUMBERS)[numbers]
    seen = np.concatenate(parts, axis=-1).astype(np.float32)
    return seen, np.take_along_axis(numbers, twins(pictures), axis=1)
