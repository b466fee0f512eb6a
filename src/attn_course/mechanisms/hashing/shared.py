"""Drawing of rotations, and checks, that the implementations share. No framework."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import check_at_least, check_shapes, shape_of
from attn_course.mechanisms.linear.shared import check_linear

CHUNK = 64  # positions: not a share of the length, which padding would change


@dataclass(frozen=True, kw_only=True)
class HashSizes(HeadSizes):
    num_buckets: int
    num_rounds: int
    chunk_size: int | None
    seed: int

    def __post_init__(self):
        check_hash_sizes(self.num_buckets, self.num_rounds, self.chunk_size)


def draw_rotations(
    key_dim: int, num_buckets: int, num_rounds: int, seed: int
) -> np.ndarray:
    """The random directions that vectors are hashed by, (rounds, K, buckets / 2)."""
    shape = (num_rounds, key_dim, num_buckets // 2)
    return np.random.default_rng(seed).normal(size=shape)


def check_hash_sizes(num_buckets: Any, num_rounds: Any, chunk_size: Any) -> None:
    """Raise ValueError unless sizes are whole, at least 1, and the buckets even."""
    check_at_least(2, num_buckets=num_buckets)
    check_at_least(1, num_rounds=num_rounds)
    if chunk_size is not None:
        check_at_least(1, chunk_size=chunk_size)
    if num_buckets % 2:
        why = "every direction has an opposite"
        raise ValueError(f"num_buckets must be even: {why}, got {num_buckets}")


def check_lsh(
    query_key: Any,
    value: Any,
    mask: Any,
    rotations: Any,
    num_buckets: Any,
    num_rounds: Any,
    chunk_size: Any,
    *,
    numbers: bool = False,
) -> None:
    """Check the arguments of LSH attention.

    Raises:
        ValueError: a shape, dtype, size or mask is not as the reference says.
    """
    check_hash_sizes(num_buckets, num_rounds, chunk_size)
    check_shapes(query_key=(query_key, "...SK"), value=(value, "...SV"))
    check_linear(query_key, query_key, value, mask, numbers=numbers)
    if rotations is not None:
        letters = {"r": num_rounds, "K": shape_of(query_key)[-1], "b": num_buckets // 2}
        check_shapes(letters, rotations=(rotations, "rKb"))
