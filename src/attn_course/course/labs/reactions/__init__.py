"""A pretrained encoder: the ALBERT of RXNMapper, in our own layers."""

from itertools import combinations

import numpy as np

from attn_course.tasks.reactions import HEADS, MAPPING_HEAD

ALIGNER = MAPPING_HEAD[1]  # the number of the head that is an alignment
COUNTS = (0, 5, 10, 20, 30, 40, 50, 60, 70, 75)


def rule_scores(weights):
    """Mean weight on the token before, itself, and after: (3, ...) of (..., T, T)."""
    T = weights.shape[-1]
    steps = (np.trace(weights, k, -2, -1) / T for k in (-1, 0, 1))
    return np.stack(list(steps))


def cut_everywhere():
    """Sets of heads that are cut in every layer: one, the rest, and pairs of those."""
    others = [head for head in range(HEADS) if head != ALIGNER]
    one = [(head,) for head in range(HEADS)]
    return [(), *one, *combinations(others, 2), tuple(others)]
