"""Checks that all three implementations share."""

from typing import Any

from attn_course.positional.shared import check_pairs, check_rotary
from attn_course.shapes import (
    check_at_least,
    check_choice,
    check_floats,
    check_positive,
    check_shapes,
    dtype_name,
    shape_of,
)

METHODS = ("linear", "ntk", "yarn", "llama3")
TURNS = {"yarn": (1.0, 32.0), "llama3": (1.0, 4.0)}  # low and high


def check_lengthening(
    dim: Any,
    base: Any,
    method: Any,
    factor: Any,
    trained_length: Any,
    length: Any,
    low: Any,
    high: Any,
) -> tuple[float, float]:
    """Raise ValueError unless a method has what it needs; returns low and high."""
    check_at_least(1, dim=dim)
    check_pairs("dim", dim)
    check_positive(base=base, factor=factor)
    if method is not None:
        check_choice("method", method, METHODS)
    if factor < 1:
        raise ValueError(f"factor must be at least 1, got {factor}")
    if method == "ntk" and dim < 4:
        raise ValueError(f"dim must be at least 4 for 'ntk', got {dim}")
    if length is not None and method != "ntk":
        raise ValueError(f"length is for method 'ntk', got it for {method!r}")
    if trained_length is not None or method in TURNS or length is not None:
        check_at_least(1, trained_length=trained_length)
    if length is not None:
        check_at_least(1, length=length)
    if method not in TURNS:
        if low is not None or high is not None:
            named = "low and high are for methods 'yarn' and 'llama3'"
            raise ValueError(f"{named}, got {low} and {high} for {method!r}")
        return 0.0, 1.0
    usual = TURNS[method]
    low = usual[0] if low is None else low
    high = usual[1] if high is None else high
    check_positive(low=low, high=high)
    if low >= high:
        raise ValueError(f"low must be below high, got {low} and {high}")
    if base <= 1:
        raise ValueError(f"base must be above 1 for {method!r}, got {base}")
    return low, high


def check_log_scale(trained_length: Any, strength: Any) -> None:
    """Raise ValueError unless the length counts and the strength is a number."""
    check_at_least(1, trained_length=trained_length)
    check_positive(strength=strength)


def check_positions(positions: Any) -> None:
    """Raise ValueError unless positions are numbers."""
    kind = dtype_name(positions)
    if "int" not in kind and "float" not in kind:
        raise ValueError(f"positions must be numbers, got {kind}")


def check_pair(query: Any, key: Any) -> None:
    """Raise ValueError unless both are floating and (..., positions, width)."""
    check_floats(query=query)
    check_shapes(query=(query, "...TK"))
    check_rotary(query, key, shape_of(query)[-1])
