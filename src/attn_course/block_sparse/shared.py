"""Which blocks are computed together, in NumPy: read once, while a graph is made."""

import numpy as np

from attn_course.masks.patterns import big_bird_layout, check_layout


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
