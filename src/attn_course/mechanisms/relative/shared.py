"""Slopes, buckets and checks that all three implementations share."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from attn_course.core.layer.shared import check_divisible
from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import (
    check_at_least,
    check_flags,
    check_parameters,
    check_shapes,
)

TABLES = ("relative_key", "relative_value")


@dataclass(frozen=True, kw_only=True)
class RelativeSizes(HeadSizes):
    """The farthest distance that has a vector of its own."""

    max_distance: int

    def __post_init__(self):
        check_at_least(0, max_distance=self.max_distance)
        object.__setattr__(self, "max_distance", int(self.max_distance))


def head_slopes(num_heads: int) -> list[float]:
    """See ``attn_course.reference.alibi_slopes``; a list."""
    check_at_least(1, num_heads=num_heads)
    closest = 1 << (int(num_heads).bit_length() - 1)  # the power of two at or below
    slopes = [2.0 ** (-8 * head / closest) for head in range(1, closest + 1)]
    if closest < num_heads:
        slopes += head_slopes(2 * closest)[0::2][: num_heads - closest]
    return slopes


def distance_buckets(
    distance: np.ndarray, num_buckets: int, max_distance: int, bidirectional: bool
) -> np.ndarray:
    """The bucket of every distance; the formula is ``reference.relative_buckets``'s."""
    check_buckets(num_buckets, max_distance, bidirectional)
    distance = np.asarray(distance)
    after = np.zeros_like(distance)
    if bidirectional:
        num_buckets //= 2
        after = num_buckets * (distance > 0)
        far = np.abs(distance)
    else:
        far = np.maximum(-distance, 0)
    exact = num_buckets // 2
    share = np.log(np.maximum(far, exact) / exact) / np.log(max_distance / exact)
    # The sum of rounded logarithms may fall just below the whole number that it is.
    steps = np.floor((num_buckets - exact) * share + 1e-9).astype(distance.dtype)
    coarse = np.minimum(exact + steps, num_buckets - 1)
    return after + np.where(far < exact, far, coarse)


def bucket_table(
    num_buckets: int, max_distance: int, bidirectional: bool
) -> np.ndarray:
    """The buckets of the distances -max_distance to max_distance; none comes after."""
    check_buckets(num_buckets, max_distance, bidirectional)
    distance = np.arange(-max_distance, max_distance + 1)
    return distance_buckets(distance, num_buckets, max_distance, bidirectional)


def check_buckets(num_buckets: Any, max_distance: Any, bidirectional: Any) -> None:
    """Raise ValueError unless each side has near and far buckets."""
    check_at_least(1, num_buckets=num_buckets, max_distance=max_distance)
    check_flags(bidirectional=bidirectional)
    least = 4 if bidirectional else 2
    if num_buckets < least or (bidirectional and num_buckets % 2):
        kind = "even and at least 4" if bidirectional else "at least 2"
        raise ValueError(f"num_buckets must be {kind}, got {num_buckets}")
    exact = num_buckets // least
    if max_distance <= exact:
        more = f"more than the {exact} distances that have a bucket of their own"
        raise ValueError(f"max_distance must be {more}, got {max_distance}")


def check_tables(parameters: dict[str, Any], num_heads: int) -> int:
    """max_distance of the tables; ValueError unless they fit the heads."""
    weights = {"key_weight": "DX", "value_weight": "EY"}
    check_parameters(parameters, *weights, *TABLES)
    sizes = check_shapes(**{n: (parameters[n], spec) for n, spec in weights.items()})
    for name, letter in zip(weights, "XY", strict=True):
        check_divisible(name, sizes[letter], num_heads)
    widths = {"K": sizes["X"] // num_heads, "V": sizes["Y"] // num_heads}
    key, value = (parameters[name] for name in TABLES)
    rows = check_shapes(widths, relative_key=(key, "RK"), relative_value=(value, "RV"))
    if rows["R"] % 2 == 0:
        wanted = "2 max_distance + 1 rows, one per distance"
        raise ValueError(f"relative_key must have {wanted}, got {rows['R']}")
    return rows["R"] // 2
