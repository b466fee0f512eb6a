"""Tiles and traffic: what the three implementations share. No framework."""

from collections.abc import Iterator
from dataclasses import dataclass

from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import check_at_least

# A tile has so many queries for each of its keys: few key blocks mean few rescalings.
TALL = 4


@dataclass(frozen=True, kw_only=True)
class FlashSizes(HeadSizes):
    block_size: int

    def __post_init__(self):
        check_at_least(1, block_size=self.block_size)


def blocks(size: int, block_size: int) -> Iterator[slice]:
    """Positions 0 to size in blocks; the last may be shorter."""
    for start in range(0, size, block_size):
        yield slice(start, min(start + block_size, size))


def keys_before(stop: int, T: int, S: int, causal: bool) -> int:
    """How many keys, from the first, the queries before ``stop`` may see together."""
    return max(0, min(S, stop + S - T)) if causal else S


def memory_traffic(
    T: int,
    S: int,
    key_dim: int,
    value_dim: int | None = None,
    *,
    block_size: int | None = None,
    causal: bool = False,
    itemsize: int = 2,
) -> int:
    """Bytes that one head moves between slow and fast memory, forward.

    standard: query, key -> score; score -> weights; weights, value -> output
              (T K + S K + T S) + (T S + T S) + (T S + S V + T V) numbers
    flash:    every block of queries and what it reads, then what it writes
              T K + sum over blocks of (keys it sees) * (K + V) + T V + T numbers

    block_size: queries of a block, as many as fit in the fast memory; None counts
    standard attention, which forms all scores. How many keys a tile has doesn't matter.
    causal: a block of queries reads no key behind its last query; standard attention
    forms all scores all the same. itemsize: bytes of a number.

    Raises:
        ValueError: a size is no whole number of at least 1.

    Source: Dao et al. 2022, Algorithm 0 and Theorem 2: of the order T S, and
        T S K^2 / M, where M numbers fit in the fast memory and a block has M / (4 K)
        queries.
    Differs: the loops as in FlashAttention-2, queries outside, so that an output is
        written once.

    >>> memory_traffic(1024, 1024, 64) / memory_traffic(1024, 1024, 64, block_size=128)
    3.76...
    """
    value_dim = key_dim if value_dim is None else value_dim
    sizes = {"T": T, "S": S, "key_dim": key_dim, "value_dim": value_dim}
    check_at_least(1, **sizes, itemsize=itemsize)
    once = T * key_dim + T * value_dim
    if block_size is None:
        return itemsize * (once + S * (key_dim + value_dim) + 4 * T * S)
    check_at_least(1, block_size=block_size)
    reads = sum(keys_before(rows.stop, T, S, causal) for rows in blocks(T, block_size))
    return itemsize * (once + T + reads * (key_dim + value_dim))
