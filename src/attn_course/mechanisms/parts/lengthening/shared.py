"""Numbers and checks that all three implementations share."""

import math
from typing import Any, Literal, get_args

from attn_course.core.shapes import (
    check_at_least,
    check_choice,
    check_floats,
    check_positive,
    check_shapes,
    shape_of,
)
from attn_course.mechanisms.parts.positional.shared import check_pairs, check_rotary

Method = Literal["linear", "ntk", "yarn", "llama3", "longrope"]
METHODS = get_args(Method)
TURNS = {"yarn": (1.0, 32.0), "llama3": (1.0, 4.0)}  # low and high


def score_scale(method: Any, factor: float, trained_length: Any) -> float:
    """What query and key are multiplied with."""
    if method == "yarn":
        return 0.1 * math.log(factor) + 1
    if method == "longrope":
        return math.sqrt(1 + math.log(factor) / math.log(trained_length))
    return 1.0


def ramp_ends(
    dim: int,
    base: float,
    trained_length: int,
    low: float,
    high: float,
    truncate: bool,
) -> tuple[float, float]:
    """The pairs between which YaRN's ramp falls, rounded as ``transformers`` does.

    Without truncate they are not rounded.

    Pair dim ln(trained_length / (2 pi turns)) / (2 ln base) turns so many times.
    """
    pair = [
        dim * math.log(trained_length / (2 * math.pi * turns)) / (2 * math.log(base))
        for turns in (high, low)
    ]
    if truncate:
        pair = [math.floor(pair[0]), math.ceil(pair[1])]
    first, last = max(pair[0], 0), min(pair[1], dim - 1)
    return first, last if last != first else first + 0.001


def check_lengthening(
    dim: Any,
    base: Any,
    method: Any,
    factor: Any,
    trained_length: Any,
    length: Any,
    low: Any,
    high: Any,
    short: Any,
    long: Any,
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
    if length is not None and method not in ("ntk", "longrope"):
        named = "length is for methods 'ntk' and 'longrope'"
        raise ValueError(f"{named}, got it for {method!r}")
    for name, divisors in (("short", short), ("long", long)):
        check_divisors(name, divisors, dim // 2, method)
    if method == "longrope":  # the logarithm of 1 is no divisor
        check_at_least(2, trained_length=trained_length)
    elif trained_length is not None or method in TURNS or length is not None:
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


def check_divisors(name: str, divisors: Any, pairs: int, method: Any) -> None:
    """Raise ValueError unless "longrope" has a number for every pair, no other any."""
    if method != "longrope":
        if divisors is not None:
            named = f"{name} is for method 'longrope'"
            raise ValueError(f"{named}, got it for {method!r}")
        return
    if not hasattr(divisors, "__len__") or len(divisors) != pairs:
        raise ValueError(f"{name} must have {pairs} numbers, got {divisors}")
    check_positive(**{name: min(divisors)})


def check_log_scale(trained_length: Any, strength: Any) -> None:
    """Raise ValueError unless the length counts and the strength is a number."""
    check_at_least(1, trained_length=trained_length)
    check_positive(strength=strength)


def check_pair(query: Any, key: Any) -> None:
    """Raise ValueError unless both are floating and (..., positions, width)."""
    check_floats(query=query)
    check_shapes(query=(query, "...TK"))
    check_rotary(query, key, shape_of(query)[-1])
