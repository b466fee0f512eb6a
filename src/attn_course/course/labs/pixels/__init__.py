"""Handwritten digits, written pixel by pixel by a model with a recurrent state.

A small Transformer of linear attention reads the pixels from left to right and from top
to bottom, and predicts each from those before it. ``pixels.pytorch`` and ``pixels.tf``
have the model, which writes with a state of one size; softmax attention, with the same
parameters, is the baseline.

python -m experiments.pixels --seeds 0 1 2
"""

import numpy as np

from attn_course.course.training import ramped

LENGTH, LEVELS = 64, 17  # of 8 by 8 pixels, each from 0 to 16
BEGIN = LEVELS
WIDTH, HEADS, LAYERS = 64, 4, 2
BATCH, RATE, STEPS = 32, 4e-3, 400
ATTENTIONS = ("linear", "softmax")


def levels(digits):
    """Images as rows of whole numbers, int64 (n, 64)."""
    return np.rint(digits.images * (LEVELS - 1)).astype(np.int64).reshape(-1, LENGTH)


def shifted(pixels):
    """What the model reads: the begin token, then every pixel but the last."""
    first = np.full_like(pixels[:, :1], BEGIN)
    return np.concatenate([first, pixels[:, :-1]], axis=1)


def batches(digits, *, seed):
    """An endless iterator of what is read (B, 64), and what is to be written."""
    rng, pixels = np.random.default_rng(seed), levels(digits)
    while True:
        order = rng.permutation(len(pixels))
        for rows in order[: len(order) // BATCH * BATCH].reshape(-1, BATCH):
            yield shifted(pixels[rows]), pixels[rows]


def rate_at(step, steps, rate):
    """The learning rate of a step: it rises for a tenth of the steps, then falls."""
    return ramped(step, steps, rate, steps / 10, 0.7 * steps)


def choose(probability, rng):
    """A level (B) per row of probabilities (B, LEVELS); the likeliest if no rng."""
    if rng is None:
        return probability.argmax(axis=1)
    below = probability.cumsum(axis=1) < rng.random((len(probability), 1))
    return np.minimum(below.sum(axis=1), LEVELS - 1)


def write(model, step, given, *, seed=None):
    """Complete images: given (B, n) pixels, the rest written one by one; (B, 64).

    step: of ``pixels.pytorch`` or ``pixels.tf``. seed None takes the likeliest level.
    """
    rng = None if seed is None else np.random.default_rng(seed)
    written, state = np.full((len(given), 1), BEGIN), None
    for position in range(LENGTH):
        probability, state = step(model, state, written[:, -1], position)
        new = choose(probability, rng)
        new = given[:, position] if position < given.shape[1] else new
        written = np.concatenate([written, new[:, None]], axis=1)
    return written[:, 1:]
