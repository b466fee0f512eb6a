"""Two tasks for a stack of encoder layers: write backwards, find the odd image.

Both need attention: the answer at a place depends on another place, or on all others.
"""

import numpy as np

SYMBOLS, LENGTH = 14, 16  # backwards: strings of 16 of 14 letters
IMAGES, PIXELS = 10, 64  # the odd one: ten digits, nine of a kind
WIDTH, HEADS, FF_DIM = 64, 4, 128
LAYERS = {"backwards": 2, "odd": 6}
STEPS = {"backwards": 300, "odd": 400}
BATCH, RATE = 32, 1e-3


def strings(batch, *, seed):
    """Endless batches of strings and the same backwards, both (batch, LENGTH)."""
    rng = np.random.default_rng(seed)
    while True:
        letters = rng.integers(SYMBOLS, size=(batch, LENGTH))
        yield letters, letters[:, ::-1].copy()


def image_sets(digits, batch, *, seed):
    """Endless batches of sets (batch, IMAGES, PIXELS) and the odd one's place (batch).

    Nine images show one digit, one shows another; both are drawn anew.
    """
    rng = np.random.default_rng(seed)
    pixels = digits.images.reshape(-1, PIXELS)
    of = [np.flatnonzero(digits.labels == label) for label in range(10)]
    kinds = np.array([label for label in range(10) if len(of[label])])
    while True:
        sets, odd = np.empty((batch, IMAGES), int), rng.integers(IMAGES, size=batch)
        for row, place in enumerate(odd):
            most, other = rng.choice(kinds, 2, replace=False)
            sets[row] = rng.choice(of[most], IMAGES, replace=False)
            sets[row, place] = rng.choice(of[other])
        yield pixels[sets], odd


def farthest(sets):
    """A rule without learning: the image farthest from the mean of its set (B)."""
    distance = ((sets - sets.mean(axis=1, keepdims=True)) ** 2).sum(axis=-1)
    return distance.argmax(axis=-1)
