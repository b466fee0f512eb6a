"""Handwritten digits, read pixel by pixel with attention, or row by row with an LSTM.

``digits.pytorch`` and ``digits.tf`` have the models and their training.

python -m experiments.digits --seeds 0 1 2
"""

import numpy as np

CHANNELS, KEY_DIM, HIDDEN_DIM, ATTENTION_DIM = 32, 8, 32, 16
BATCH, RATE = 64, 1e-2
STEPS = 400
# What a pixel may look at: every pixel, or its own alone, with the same parameters.
LOOKS = ("all", "own", "none")


def may_look(look, pixels):
    """The mask (T, T) of a way of looking."""
    return np.ones((pixels, pixels), bool) if look == "all" else np.eye(pixels) > 0


def batches(digits, *, seed):
    """An endless iterator of images (B, 8, 8) and labels (B)."""
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(len(digits.labels))
        for rows in order[: len(order) // BATCH * BATCH].reshape(-1, BATCH):
            yield digits.images[rows], digits.labels[rows]
