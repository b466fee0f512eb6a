"""The game of pairs: every animal lies on two cards, and each card has a number.

A rule made for this course: every card is to name the number of its twin, the other
card with the same animal. The twin lies anywhere in the row. It needs no data file.
"""

from typing import NamedTuple

import numpy as np

# fmt: off
ANIMALS = [
    "ant", "bat", "bear", "bee", "cat", "cow", "crab", "crow",
    "deer", "dog", "duck", "eel", "elk", "emu", "fox", "frog",
    "goat", "hare", "hen", "lion", "mole", "owl", "pig", "wolf",
]
# fmt: on
NUMBERS, CARDS = 5, 16


class Pairs(NamedTuple):
    """A batch of rows of cards, int64 (B, CARDS) each.

    animals: indices of `ANIMALS`, each twice in a row or not at all; numbers: of the
    cards, 0 to NUMBERS - 1; answer: the number of the twin.
    """

    animals: np.ndarray
    numbers: np.ndarray
    answer: np.ndarray


def pairs(batch_size, *, seed=0):
    """An endless iterator of `Pairs`; the same seed gives the same."""
    rng = np.random.default_rng(seed)
    while True:
        drawn = rng.random((batch_size, len(ANIMALS))).argsort(axis=1)
        animals = np.repeat(drawn[:, : CARDS // 2], 2, axis=1)
        animals = rng.permuted(animals, axis=1)
        numbers = rng.integers(NUMBERS, size=animals.shape)
        answer = np.take_along_axis(numbers, twins(animals), axis=1)
        yield Pairs(animals, numbers, answer)


def twins(animals):
    """The place of every card's twin, (B, CARDS)."""
    same = animals[:, :, None] == animals[:, None]
    return (same & ~np.eye(animals.shape[1], dtype=bool)).argmax(axis=2)


def right_by_distance(guess, batch):
    """A row ``(distance, distance, cards, share that is right)`` per distance."""
    far = np.abs(twins(batch.animals) - np.arange(CARDS))
    right = [(guess == batch.answer)[far == d] for d in range(1, CARDS)]
    return [(d, d, len(x), round(float(x.mean()), 4)) for d, x in enumerate(right, 1)]
