"""Masks of the sparse patterns that papers put together."""

import numpy as np

from attn_course.core.masks.basic import (
    causal_mask,
    dilated_window_mask,
    global_mask,
    positions_of,
    sliding_window_mask,
)
from attn_course.core.shapes import check_at_least


def strided_mask(T, S, stride, causal=True):
    """The last ``stride`` positions, and every position a multiple of stride away.

    row:    |i - j| <= stride
    column: (i - j) mod stride = 0
    mask = row or column, and j <= i if causal

    Shapes:
        returns: (T, S).

    Raises:
        ValueError: the stride is not a whole number of at least 1.

    Source: Child et al. 2019 (arXiv:1904.10509), section 4.3. The row has the query's
        own position and ``stride`` more, as the paper writes it.

    >>> strided_mask(5, 5, 2).astype(int)
    array([[1, 0, 0, 0, 0],
           [1, 1, 0, 0, 0],
           [1, 1, 1, 0, 0],
           [0, 1, 1, 1, 0],
           [1, 0, 1, 1, 1]])
    """
    check_at_least(1, stride=stride)
    row = sliding_window_mask(T, S, stride + 1, causal)
    return row | dilated_window_mask(T, S, max(T, S), stride, causal)


def fixed_mask(T, S, stride, summary, causal=True):
    """The query's own block of ``stride``, and the last ``summary`` of every block.

    own:       floor(i / stride) = floor(j / stride)
    summaries: j mod stride >= stride - summary
    mask = own or summaries, and j <= i if causal

    Shapes:
        returns: (T, S).

    Raises:
        ValueError: stride or summary is not a whole number of at least 1, or the
            summary is longer than the stride.

    Source: Child et al. 2019 (arXiv:1904.10509), section 4.3; summary is the paper's c.

    >>> fixed_mask(5, 5, 2, 1).astype(int)
    array([[1, 0, 0, 0, 0],
           [1, 1, 0, 0, 0],
           [0, 1, 1, 0, 0],
           [0, 1, 1, 1, 0],
           [0, 1, 0, 1, 1]])
    """
    check_summary(stride, summary)
    query, key = positions_of(T, S)
    mask = (query // stride == key // stride) | (key % stride >= stride - summary)
    return mask & (key <= query) if causal else mask


def check_summary(stride, summary):
    """Raise ValueError unless 1 <= summary <= stride, both whole."""
    check_at_least(1, stride=stride, summary=summary)
    if summary > stride:
        raise ValueError(f"summary must be at most stride = {stride}, got {summary}")


def longformer_mask(T, S, *, window, positions, causal=False):
    """A sliding window and global positions: ``sliding_window_mask | global_mask``.

    Shapes:
        returns: (T, S).

    Raises:
        ValueError: as of the two.

    Source: Beltagy, Peters & Cohan 2020 (arXiv:2004.05150), section 3.1.

    >>> longformer_mask(4, 4, window=1, positions=[0], causal=True).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [1, 0, 1, 0],
           [1, 0, 0, 1]])
    """
    check_at_least(1, window=window)
    mask = sliding_window_mask(T, S, window, causal) | global_mask(T, S, positions)
    return mask & causal_mask(T, S) if causal else mask


def block_mask(T, S, layout, block_size, causal=False):
    """A layout of blocks as a mask: every True becomes block_size x block_size of them.

    Query i is in block ``i // block_size`` of the layout's rows, key j in block
    ``j // block_size`` of its columns; the last blocks may be cut.

    Shapes:
        layout: boolean (query blocks, key blocks), as many as T and S fill.
        returns: (T, S).

    Raises:
        ValueError: the layout is not boolean or has another shape.

    >>> block_mask(3, 4, [[True, False], [False, True]], 2).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 0, 0],
           [0, 0, 1, 1]])
    """
    layout = check_layout(layout, block_size, T, S)
    mask = np.kron(layout, np.ones((block_size, block_size), bool))[:T, :S]
    return mask & causal_mask(T, S) if causal else mask


def check_layout(layout, block_size, T=None, S=None):
    """The layout as NumPy; ValueError unless it is boolean and fits (None fits all)."""
    check_at_least(1, block_size=block_size)
    layout = np.asarray(layout)
    if layout.dtype != bool or layout.ndim != 2:
        came = f"{layout.dtype} {layout.shape}"
        raise ValueError(f"layout must be bool (query blocks, key blocks), got {came}")
    check_layout_shape(layout.shape, block_size, T, S)
    return layout


def check_layout_shape(shape, block_size, T, S):
    """Raise ValueError unless T and S fill as many blocks as the layout has."""
    for name, size, blocks in zip("TS", (T, S), shape, strict=True):
        needed = blocks if size is None else -(-size // block_size)
        if blocks != needed:
            wanted = f"{needed} blocks of {block_size} for {name} = {size}"
            raise ValueError(f"layout must have {wanted}, got {shape}")


def big_bird_mask(T, S, *, block_size, num_random, seed):
    """Blocks of BigBird as a mask: ``big_bird_layout`` of the S positions.

    With T < S these are the last T rows of the whole.

    Shapes:
        returns: (T, S).

    Raises:
        ValueError: block_size is below 1, or num_random below 0.

    Source: Zaheer et al. 2020 (arXiv:2007.14062), section 2 and appendix D.

    >>> big_bird_mask(5, 5, block_size=1, num_random=0, seed=0).astype(int)
    array([[1, 1, 1, 1, 1],
           [1, 1, 1, 0, 1],
           [1, 1, 1, 1, 1],
           [1, 0, 1, 1, 1],
           [1, 1, 1, 1, 1]])
    """
    check_at_least(1, block_size=block_size)
    blocks = -(-S // block_size)
    query, key = positions_of(T, S)
    first = min(0, (S - T) // block_size)
    layout = big_bird_layout(blocks, num_random=num_random, seed=seed, before=-first)
    return layout[query // block_size - first, key // block_size]


def big_bird_layout(blocks, *, num_random, seed, before=0):
    """Which blocks of keys every block of queries sees.

    All see the first and the last block, the block before their own, their own and the
    next, and ``num_random`` of the others, drawn without repetition (all others where
    fewer are left). The first and the last block see everything.

    Shapes:
        before: rows of queries that stand before every key; they see the first and the
            last block.
        returns: boolean (before + blocks, blocks).

    >>> big_bird_layout(7, num_random=1, seed=0).sum(axis=1)
    array([7, 5, 6, 6, 6, 5, 7])
    """
    check_at_least(0, num_random=num_random)
    rng = np.random.default_rng(seed)
    rows, columns = np.arange(-before, blocks)[:, None], np.arange(blocks)
    ends = np.isin(columns, [0, blocks - 1]) | np.isin(rows, [0, blocks - 1])
    layout = ends | ((np.abs(rows - columns) <= 1) & (rows >= 0))
    for row in layout[before:]:
        others = np.flatnonzero(~row)
        row[rng.permutation(others)[:num_random]] = True
    return layout
