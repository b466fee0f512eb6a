"""Frequencies, slopes, buckets and checks of all three implementations.

Imports no framework.
"""

from numbers import Integral, Real

import numpy as np

from attn_course.shapes import (
    check_at_least,
    check_choice,
    check_floats,
    check_shapes,
    dtype_name,
    shape_of,
)

LAYOUTS = ("half", "interleaved")


def frequencies(dim, base):
    """The frequency of every pair of columns, from 1 down to almost 1 / base.

    frequency[i] = base^(-2 i / dim);   its wavelength is 2 pi / frequency[i]

    Python's own floats: a power in float32 would be off by some 5e-7 of its value,
    which the position then multiplies.

    >>> frequencies(4, 10000.0)
    [1.0, 0.01]
    """
    return [base ** (-column / dim) for column in range(0, dim, 2)]


def head_slopes(num_heads):
    """See ``attn_course.reference.alibi_slopes``; a list."""
    check_at_least(1, num_heads=num_heads)
    closest = 1 << (int(num_heads).bit_length() - 1)  # the power of two at or below
    slopes = [2.0 ** (-8 * head / closest) for head in range(1, closest + 1)]
    if closest < num_heads:
        slopes += head_slopes(2 * closest)[0::2][: num_heads - closest]
    return slopes


def distance_buckets(distance, num_buckets, max_distance, bidirectional):
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


def bucket_table(num_buckets, max_distance, bidirectional):
    """The buckets of the distances -max_distance to max_distance; none comes after."""
    check_buckets(num_buckets, max_distance, bidirectional)
    distance = np.arange(-max_distance, max_distance + 1)
    return distance_buckets(distance, num_buckets, max_distance, bidirectional)


def check_buckets(num_buckets, max_distance, bidirectional):
    """Raise ValueError unless each side has near and far buckets."""
    check_at_least(1, num_buckets=num_buckets, max_distance=max_distance)
    least = 4 if bidirectional else 2
    if num_buckets < least or (bidirectional and num_buckets % 2):
        kind = "even and at least 4" if bidirectional else "at least 2"
        raise ValueError(f"num_buckets must be {kind}, got {num_buckets}")
    exact = num_buckets // least
    if max_distance <= exact:
        more = f"more than the {exact} distances that have a bucket of their own"
        raise ValueError(f"max_distance must be {more}, got {max_distance}")


def check_base(base):
    """Raise ValueError unless the base of the frequencies is a number above 0."""
    number = isinstance(base, Real) and not isinstance(base, bool)
    if not number or not base > 0:
        raise ValueError(f"base must be a number above 0, got {base!r}")


def check_waves(length, dim, base, name="dim"):
    """Raise ValueError unless waves of this width and base can be drawn."""
    check_at_least(0, length=length)
    check_at_least(1, **{name: dim})
    check_base(base)


def check_sequence(x, model_dim):
    """Raise ValueError unless x is floating and (B, T, model_dim)."""
    check_floats(x=x)
    return check_shapes({"D": model_dim}, x=(x, "BTD"))


def check_reach(x, model_dim, first_position, max_length):
    """As ``check_sequence``; x may not reach beyond the positions that were learned.

    What a graph of TensorFlow knows only when it runs is not checked here.
    """
    check_at_least(0, first_position=first_position)
    sizes = check_sequence(x, model_dim)
    if sizes["T"] is None or not isinstance(first_position, Integral):
        return sizes
    if first_position + sizes["T"] > max_length:
        most = f"end at max_length = {max_length} positions"
        came = f"{sizes['T']} from position {first_position} on"
        raise ValueError(f"x must {most}, got {came}")
    return sizes


def check_pairs(name, width):
    """Raise ValueError unless the columns come in pairs."""
    if width is None or width % 2:
        raise ValueError(f"{name} must be even and known, got {width}")


def check_turns(key_dim, layout, base):
    """Raise ValueError unless keys of this width can be turned."""
    check_at_least(1, key_dim=key_dim)
    check_pairs("key_dim", key_dim)
    check_choice("layout", layout, LAYOUTS)
    check_base(base)


def other_layout(x, to):
    """The layout that x has before; ValueError without pairs or such a layout."""
    check_choice("to", to, LAYOUTS)
    check_pairs("the last axis of x", shape_of(x)[-1])
    return "interleaved" if to == "half" else "half"


def check_rotation(x, positions, layout, base):
    """Raise ValueError unless there is one position for every vector of x."""
    check_floats(x=x)
    check_shapes(x=(x, "...TK"))
    check_pairs("the last axis of x", shape_of(x)[-1])
    check_choice("layout", layout, LAYOUTS)
    check_base(base)
    kind = dtype_name(positions)
    if "int" not in kind and "float" not in kind:
        raise ValueError(f"positions must be numbers, got {kind}")
    shape, wanted = shape_of(positions), shape_of(x)[:-1]
    # Leading axes may be 1; a single position for several vectors would be a slip.
    fits = len(shape) in (1, len(wanted)) and _agree(shape[-1], wanted[-1])
    if not fits or not all(
        size == 1 or _agree(size, most)
        for size, most in zip(shape[:-1], wanted, strict=False)
    ):
        either = f"(T) = {wanted[-1:]} or align with the vectors of x, {wanted}"
        raise ValueError(f"positions must have shape {either}, got {shape}")


def check_rotary(query, key, key_dim):
    """Raise ValueError unless both are floating and (..., positions, key_dim).

    They may differ in their heads, and in their dtype: each keeps its own.
    """
    for name, x in (("query", query), ("key", key)):
        check_floats(**{name: x})
        check_shapes({"K": key_dim}, **{name: (x, "...TK")})


def _agree(size, wanted):
    return size is None or wanted is None or size == wanted
