"""The slopes of ALiBi and the buckets of T5: rules without a framework."""

import numpy as np

from attn_course.shapes import check_at_least


def head_slopes(num_heads):
    """See ``attn_course.reference.alibi_slopes``; a list."""
    check_at_least(1, num_heads=num_heads)
    closest = 1 << (int(num_heads).bit_length() - 1)  # the power of two at or below
    slopes = [2.0 ** (-8 * head / closest) for head in range(1, closest + 1)]
    if closest < num_heads:
        slopes += head_slopes(2 * closest)[0::2][: num_heads - closest]
    return slopes


def distance_buckets(distance, *, num_buckets, max_distance, bidirectional):
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


def bucket_table(*, num_buckets, max_distance, bidirectional):
    """The buckets of the distances -max_distance to max_distance; none comes after."""
    options = {"num_buckets": num_buckets, "max_distance": max_distance}
    distance = np.arange(-max_distance, max_distance + 1)
    return distance_buckets(distance, **options, bidirectional=bidirectional)


def check_buckets(num_buckets, max_distance, bidirectional):
    """Raise ValueError unless each side has near and far buckets."""
    least = 4 if bidirectional else 2
    if num_buckets < least or (bidirectional and num_buckets % 2):
        kind = "even and at least 4" if bidirectional else "at least 2"
        raise ValueError(f"num_buckets must be {kind}, got {num_buckets}")
    exact = num_buckets // least
    if max_distance <= exact:
        more = f"more than the {exact} distances that have a bucket of their own"
        raise ValueError(f"max_distance must be {more}, got {max_distance}")
