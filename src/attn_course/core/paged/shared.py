"""Blocks by number, sizes and checks of a paged cache, for both frameworks."""

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


class Blocks:
    """Numbers of blocks: which are free, and how many hold each of the others.

    In Python, where a scheduler decides; those of a ``BlockPool`` are tensors, so that
    a cache in blocks is compiled with its layer.
    """

    def __init__(self, count: int) -> None:
        self.free = [*range(count)][::-1]  # a stack, of which the last is taken first
        self.holders = [0] * count

    def take(self, count: int) -> list[int]:
        """So many free blocks; from now on they have a holder."""
        if count > len(self.free):
            raise ValueError(pool_empty(count, len(self.free)))
        taken = [self.free.pop() for _ in range(count)]
        for n in taken:
            self.holders[n] = 1
        return taken

    def hold(self, blocks: list[int]) -> None:
        """One holder more."""
        self.count(blocks, 1)

    def release(self, blocks: list[int]) -> None:
        """One holder less; what nobody holds is free."""
        self.count(blocks, -1)
        self.free += [n for n in reversed(blocks) if not self.holders[n]]

    def count(self, blocks, more):
        """Add to the holders of blocks, each named once, that have one at least."""
        if len({*blocks}) < len(blocks) or any(self.holders[n] < 1 for n in blocks):
            raise ValueError(nobody_holds(blocks))
        for n in blocks:
            self.holders[n] += more


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
