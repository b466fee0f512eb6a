"""A task for a stack of encoder layers: find the odd image of a set.

It needs attention: no image is odd by itself.
"""

import numpy as np

from attn_course.course.plots.style import ACCENT, INK
from attn_course.course.plots.theme import drawing, picture

IMAGES, PIXELS = 10, 64  # ten digits, nine of a kind
WIDTH, HEADS, FF_DIM = 64, 4, 128
STEPS, BATCH, RATE = 400, 32, 1e-3


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


def sets_figure(sets, odd, found):
    """Three sets of images, and two of those where ``found`` is wrong.

    A wide frame stands around the odd image, a narrow one around the one that is found.
    """
    shown = [0, 1, 2, *np.flatnonzero(found != odd)[:2]]
    with drawing(6.4, 0.66 * len(shown) + 0.3) as (figure, axes):
        axes.set(xlim=(-0.6, 11.2), ylim=(len(shown) - 0.4, -0.6))
        axes.axis("off")
        for row, i in enumerate(shown):
            for place, image in enumerate(sets[i].reshape(-1, 8, 8)):
                edges = place - 0.4, place + 0.4, row + 0.4, row - 0.4
                axes.imshow(image, extent=edges, cmap="gray_r")
            for place, half, color in ((odd[i], 0.46, INK), (found[i], 0.42, ACCENT)):
                x = place + half * np.array([-1, 1, 1, -1, -1])
                y = row + half * np.array([-1, -1, 1, 1, -1])
                axes.plot(x, y, color=color, linewidth=2)
            word = "right" if found[i] == odd[i] else "wrong"
            axes.text(9.7, row, word, va="center")
        axes.set(xlim=(-0.6, 11.2), ylim=(len(shown) - 0.4, -0.6))
    return picture(figure)
