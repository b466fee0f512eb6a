"""Frequencies and checks that all three implementations share."""

from numbers import Integral
from typing import Any, Literal, get_args

from attn_course.core.shapes import (
    agree,
    check_at_least,
    check_choice,
    check_floats,
    check_positive,
    check_shapes,
    dtype_name,
    shape_of,
)

Layout = Literal["half", "interleaved"]
LAYOUTS = get_args(Layout)


def frequencies(dim: int, base: float) -> list[float]:
    """The frequency of every pair of columns, from 1 down to almost 1 / base.

    frequency[i] = base^(-2 i / dim);   its wavelength is 2 pi / frequency[i]

    Python's own floats: a power in float32 would be off by some 5e-7 of its value,
    which the position then multiplies.

    >>> frequencies(4, 10000.0)
    [1.0, 0.01]
    """
    return [base ** (-column / dim) for column in range(0, dim, 2)]


def check_waves(length: Any, dim: Any, base: Any, name: str = "dim") -> None:
    """Raise ValueError unless waves of this width and base can be drawn."""
    check_at_least(0, length=length)
    check_at_least(1, **{name: dim})
    check_positive(base=base)


def check_sequence(x: Any, model_dim: int) -> dict[str, Any]:
    """Raise ValueError unless x is floating and (B, T, model_dim)."""
    check_floats(x=x)
    return check_shapes({"D": model_dim}, x=(x, "BTD"))


def check_reach(
    x: Any, model_dim: int, first_position: Any, max_length: int
) -> dict[str, Any]:
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


def check_pairs(name: str, width: Any) -> None:
    """Raise ValueError unless the columns come in pairs."""
    if width is None or width % 2:
        raise ValueError(f"{name} must be even and known, got {width}")


def check_turns(
    key_dim: Any, layout: Any, base: Any, frequencies: Any, scale: Any
) -> list[float] | None:
    """Raise ValueError unless keys of this width can be turned.

    Returns the frequencies as Python's own floats.
    """
    check_at_least(1, key_dim=key_dim)
    check_pairs("key_dim", key_dim)
    check_choice("layout", layout, LAYOUTS)
    check_positive(base=base, scale=scale)
    if frequencies is None:
        return None
    check_frequencies(frequencies, key_dim)
    return [float(frequency) for frequency in frequencies]


def check_frequencies(frequencies: Any, width: Any) -> None:
    """Raise ValueError unless there is a number for some or all pairs of columns."""
    most = width // 2
    flat = hasattr(frequencies, "__len__") and getattr(frequencies, "ndim", 1) == 1
    if not flat or not 1 <= len(frequencies) <= most:
        wanted = f"1 to {most} numbers, one per pair"
        raise ValueError(f"frequencies must be {wanted}, got {frequencies}")


def other_layout(x: Any, to: Layout) -> str:
    """The layout that x has before; ValueError without pairs or such a layout."""
    check_choice("to", to, LAYOUTS)
    check_pairs("the last axis of x", shape_of(x)[-1])
    return "interleaved" if to == "half" else "half"


def check_rotation(
    x: Any, positions: Any, layout: Layout, base: float, frequencies: Any, scale: Any
) -> None:
    """Raise ValueError unless there is one position for every vector of x."""
    check_floats(x=x)
    check_shapes(x=(x, "...TK"))
    check_pairs("the last axis of x", shape_of(x)[-1])
    check_choice("layout", layout, LAYOUTS)
    check_positive(base=base, scale=scale)
    if frequencies is not None:
        check_frequencies(frequencies, shape_of(x)[-1])
    check_positions(positions)
    shape, wanted = shape_of(positions), shape_of(x)[:-1]
    # Leading axes may be 1; a single position for several vectors would be a slip.
    fits = len(shape) in (1, len(wanted)) and agree(shape[-1:], wanted[-1:])
    if not (fits and agree(shape[:-1], wanted[: len(shape) - 1], ones=True)):
        either = f"(T) = {wanted[-1:]} or align with the vectors of x, {wanted}"
        raise ValueError(f"positions must have shape {either}, got {shape}")


def check_positions(positions: Any) -> None:
    """Raise ValueError unless positions are numbers."""
    kind = dtype_name(positions)
    if "int" not in kind and "float" not in kind:
        raise ValueError(f"positions must be numbers, got {kind}")


def check_rotary(query: Any, key: Any, key_dim: int) -> None:
    """Raise ValueError unless both are floating and (..., positions, key_dim).

    They may differ in their heads, and in their dtype: each keeps its own.
    """
    for name, x in (("query", query), ("key", key)):
        check_floats(**{name: x})
        check_shapes({"K": key_dim}, **{name: (x, "...TK")})
