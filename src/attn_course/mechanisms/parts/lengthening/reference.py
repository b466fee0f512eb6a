"""Positions beyond the training in NumPy, float64: the specification."""

from typing import Any

import numpy as np

from attn_course.mechanisms.parts.lengthening.shared import (
    Method,
    check_lengthening,
    check_log_scale,
    ramp_ends,
    score_scale,
)
from attn_course.mechanisms.parts.positional.shared import check_positions, frequencies

__all__ = ["log_length_scale", "rotary_frequencies"]


def rotary_frequencies(
    dim: int,
    *,
    base: float = 10000.0,
    method: Method | None = None,
    factor: float = 1.0,
    trained_length: int | None = None,
    length: int | None = None,
    low: float | None = None,
    high: float | None = None,
    truncate: bool = True,
    short: Any = None,
    long: Any = None,
) -> tuple[np.ndarray, float]:
    """The angle per position of every pair, for inputs longer than in training.

    theta_i = base^(-2i / dim);   keep_i is between 0 and 1
    frequency_i = keep_i theta_i + (1 - keep_i) theta_i / factor

    keep_i of "linear" is 0; of "yarn" and "llama3" see ``pair_ramp`` and ``turn_ramp``.
    "ntk" keeps all, of another base: base * factor^(dim / (dim - 2)). "longrope" has a
    divisor for each pair. scale multiplies query and key after they turned: for "yarn"
    0.1 ln(factor) + 1, for "longrope" sqrt(1 + ln(factor) / ln(trained_length)), or 1.

    Shapes:
        returns: frequencies (dim / 2), and the scale, a number.

    factor: how many times longer than ``trained_length``. low, high: pairs that turn at
        most ``low`` times within trained_length are slowed by the factor, those that
        turn at least ``high`` times are left alone (1 and 32 for "yarn", 1 and 4 for
        "llama3"). truncate: the ends of YaRN's ramp are whole pairs; gpt-oss has False.
    short, long: what "longrope" divides the dim / 2 theta by, up to trained_length and
        beyond it. length: how long the text is. It makes "ntk" dynamic: nothing changes
        up to trained_length, and beyond it the factor is
        ``factor length / trained_length - (factor - 1)``; without it "longrope" has
        the short list.

    Edge case: a factor of 1 changes nothing, whatever the method but "longrope".

    Raises:
        ValueError: dim is odd, the method unknown, factor below 1, a length or list
            missing, or low not below high.

    Source: "linear": Chen et al. 2023 (arXiv:2306.15595), equation 4. "ntk", "yarn":
        Peng et al. 2023 (arXiv:2309.00071), section 3. "longrope": Ding et al. 2024
        (arXiv:2402.13753). Its scale, "llama3" and YaRN's ramp over pairs:
        ``transformers``, ``modeling_rope_utils``.
    Differs: the paper's ramp of YaRN runs over turns, (r - 1) / (32 - 1), as that of
        Llama 3 does; its authors' code and the libraries have it over pairs, and so do
        we. ``transformers`` calls "ntk" with a length "dynamic", and has no other.

    >>> rotary_frequencies(4, method="linear", factor=2.0)[0]
    array([0.5  , 0.005])
    """
    options = method, factor, trained_length, length, low, high, short, long
    low, high = check_lengthening(dim, base, *options)
    theta = np.array(frequencies(dim, base))
    keep = np.full(dim // 2, 0.0 if method == "linear" else 1.0)
    if method == "yarn":
        keep = pair_ramp(dim, base, trained_length, low, high, truncate)
    if method == "llama3":
        keep = turn_ramp(theta, trained_length, low, high)
    if method in ("ntk", "longrope"):
        theta = theta / divisors(dim, *options[:4], short, long)
    scale = score_scale(method, factor, trained_length)
    return keep * theta + (1 - keep) * theta / factor, scale


def divisors(dim, method, factor, trained_length, length, short, long):
    """What "ntk" and "longrope" divide theta by: 1 up to the factor, or a list.

    Up to trained_length "longrope" has one list, beyond it another.
    """
    if method == "longrope":
        beyond = length is not None and length > trained_length
        return np.array(long if beyond else short, np.float64)
    if length is not None:
        factor = np.maximum(1.0, factor * length / trained_length - (factor - 1))
    return factor ** (2 * np.arange(dim // 2) / (dim - 2))


def pair_ramp(dim, base, trained_length, low, high, truncate):
    """YaRN's share of theta that each pair keeps: a ramp over the pairs."""
    first, last = ramp_ends(dim, base, trained_length, low, high, truncate)
    return 1 - np.clip((np.arange(dim // 2) - first) / (last - first), 0, 1)


def turn_ramp(theta, trained_length, low, high):
    """Llama 3's share of theta that each pair keeps: a ramp over the turns."""
    turns = trained_length * theta / (2 * np.pi)
    return np.clip((turns - low) / (high - low), 0, 1)


def log_length_scale(
    positions: Any, *, trained_length: int, strength: float = 0.1
) -> np.ndarray:
    """What a query is multiplied with, so that its softmax stays sharp far along.

    scale[t] = 1 + strength * ln(1 + floor((t + 1) / trained_length))

    Shapes:
        positions: (...), from 0 on. returns: the same shape.

    Edge case: within trained_length nothing changes, but for its last position.

    Raises:
        ValueError: trained_length is below 1, or strength not above 0.

    Source: Llama 4 as in ``transformers``, ``modeling_llama4``: in its layers without
        rotation, with a length of 8192 and a strength of 0.1.

    >>> log_length_scale([0, 7, 8], trained_length=4).round(4)
    array([1.    , 1.1099, 1.1099])
    """
    positions = np.asarray(positions)
    check_positions(positions)
    check_log_scale(trained_length, strength)
    return 1 + strength * np.log1p(np.floor((positions + 1.0) / trained_length))
