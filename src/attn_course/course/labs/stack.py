"""Sets of images for a stack of layers: ten digits without an order."""

import numpy as np

IMAGES, PIXELS = 10, 64  # ten digits, nine of a kind


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
