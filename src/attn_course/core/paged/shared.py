"""Sizes and checks of a paged cache that both frameworks share."""

from typing import Any

import numpy as np

from attn_course.core.shapes import check_at_least, check_shapes, shape_of

# Positions of a sequence that are read in a turn: fewer, and a processor is busy with
# calls. On a GPU, where a turn is a dozen launches whatever it reads, a long cache is
# read in so many turns; each copies its share of it.
POSITIONS, TURNS = 512, 16


def blocks_of(positions: Any, block_size: int) -> Any:
    """How many blocks so many positions need; the last may be partly empty."""
    return -(-positions // block_size)


def count_turns(blocks: int, block_size: int, on_gpu: bool) -> int:
    """In how many turns so many blocks of a sequence are read."""
    turns = min(blocks, blocks_of(blocks * block_size, POSITIONS))
    return min(turns, TURNS) if on_gpu else turns


def pool_empty(wanted: Any, free: Any) -> str:
    """The words for a chunk that a pool has no blocks for."""
    return f"pool must have {wanted} free blocks, got {free}"


def nobody_holds(blocks: Any) -> str:
    """The words for blocks that are held or released, and free."""
    return f"blocks must have a holder for each time they are named, got {blocks}"


def check_caches(caches: list) -> Any:
    """The pool that caches share; ValueError unless it is one."""
    check_at_least(1, caches=len(caches))
    pool = caches[0].pool
    if any(cache.pool is not pool for cache in caches):
        raise ValueError("caches must share one pool, got several")
    return pool


def lengths_of(caches: list | tuple) -> np.ndarray:
    """How many positions each sequence has (B); a GPU is asked only for a tensor's."""
    if isinstance(caches, tuple):
        return in_numpy(caches[2])
    return np.array([int(x.length) for x in caches for _ in range(x.sizes[0])])


def in_numpy(x: Any) -> Any:
    """A tensor's numbers; None stays."""
    return x if x is None else np.asarray(x.cpu() if hasattr(x, "detach") else x)


def check_queries(
    query: Any, pool: Any, table: Any, length: np.ndarray, count: np.ndarray | None
) -> None:
    """Raise ValueError unless queries fit sequences in a pool's blocks."""
    G, K, _ = pool.sizes
    check_shapes({"B": len(length), "K": K}, query=(query, "BHTK"), table=(table, "BN"))
    H, T = shape_of(query)[1:3]
    if H % G:
        raise ValueError(f"query must have a multiple of {G} heads, got {H}")
    if count is not None:
        check_shapes({"B": len(length)}, count=(count, "B"))
        if (count < 0).any() or (count > np.minimum(T, length)).any():
            words = f"from 0 to T = {T} and to the lengths {length.tolist()}"
            raise ValueError(f"count must be {words}, got {count.tolist()}")
    elif (shortest := length.min()) < T:
        words = f"query must have at most {shortest} positions, as many as its cache"
        raise ValueError(f"{words}, got {T}")
