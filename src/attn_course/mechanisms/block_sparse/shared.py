"""Sizes, and which blocks are computed together: read once, while a graph is made."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.masks.patterns import big_bird_layout, check_layout
from attn_course.core.shapes import check_at_least


@dataclass(frozen=True, kw_only=True)
class BlockSizes(HeadSizes):
    layout: Sequence[Sequence[bool]]
    block_size: int

    def __post_init__(self):
        layout = check_layout(self.layout, self.block_size, None, None)
        object.__setattr__(self, "layout", layout.tolist())


@dataclass(frozen=True, kw_only=True)
class BigBirdSizes(HeadSizes):
    block_size: int
    num_random: int
    seed: int

    def __post_init__(self):
        check_at_least(1, block_size=self.block_size)
        check_at_least(0, num_random=self.num_random, seed=self.seed)


def plan(layout, block_size):
    """The layout's shape and its rows, those with as many blocks together.

    Returns:
        (query blocks, key blocks), and a list of (rows, their blocks, whether they see
        any): lists of numbers alone. A row without any block looks at one, blocked.
    """
    layout = check_layout(layout, block_size)
    counts = layout.sum(axis=1)
    parts = []
    for count in np.unique(counts).tolist():
        rows = np.flatnonzero(counts == count)
        blocks = np.nonzero(layout[rows])[1].reshape(len(rows), count)
        blocks = blocks if count else np.zeros((len(rows), 1), int)
        parts.append((rows.tolist(), blocks.tolist(), count > 0))
    return layout.shape, parts


def big_bird_plan(T, S, block_size, num_random, seed):
    """``plan`` of the last T of S positions, the first block of queries perhaps cut."""
    first, blocks = (S - T) // block_size, -(-S // block_size)
    random = {"num_random": num_random, "seed": seed}
    layout = big_bird_layout(blocks, before=max(0, -first), **random)
    return plan(layout[max(0, first) :], block_size)
