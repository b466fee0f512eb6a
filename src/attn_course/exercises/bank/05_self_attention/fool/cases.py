import numpy as np

from attn_course.core.masks import sliding_window_mask
from attn_course.exercises.engine.exercise import Case
from attn_course.exercises.engine.run import Refused
from attn_course.tasks.pairs import CARDS, pairs, twins


def cases(rng):
    game = next(pairs(5, seed=int(rng.integers(1000))))
    return [Case("a deal", row) for row in zip(*game[:2], strict=True)]


def measure(results, animals, numbers):
    """How many cards have their twin within the window."""
    if len(results) != 1 or results[0].shape != (CARDS,):
        raise Refused("return one order of all 16 cards")
    order = results[0]
    if order.dtype.kind not in "iu" or sorted(order.tolist()) != [*range(CARDS)]:
        raise Refused("each card is laid once: the numbers 0 to 15 in some order")
    window = sliding_window_mask(CARDS, CARDS, 4, causal=False)
    place = twins(animals[None, order])[0]
    return np.array(int(window[np.arange(CARDS), place].sum()))
