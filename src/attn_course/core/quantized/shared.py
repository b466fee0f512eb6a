"""Formats, their checks, and the rotation: what the three implementations share."""

from typing import Any, Literal

import numpy as np

from attn_course.core.shapes import (
    check_at_least,
    check_choice,
    check_flags,
    check_floats,
)

Kind = Literal["int8", "int4", "fp8"]
Axis = Literal["token", "channel"]
BITS = {"int8": 8, "int4": 4, "fp8": 8}
AXES = {"token": -1, "channel": -2}  # of a block (positions, channels)
LARGEST = 448.0  # of fp8, e4m3; a cast of what is larger may give NaN
# Of 16 bits: the largest, and the smallest above 0. A smaller scale would be 0.
HALF, TINY = 65504.0, 2.0**-24


def hadamard(width: int) -> np.ndarray:
    """An orthogonal, symmetric matrix of +-1 / sqrt(width), (width, width).

    H_1 = 1, H_2n = [[H_n, H_n], [H_n, -H_n]] / sqrt(2)

    Raises:
        ValueError: the width is not a power of 2.

    Source: Sylvester 1867; Ashkboos et al. 2024 (arXiv:2404.00456), section 3.

    >>> hadamard(4) * 2
    array([[ 1.,  1.,  1.,  1.],
           [ 1., -1.,  1., -1.],
           [ 1.,  1., -1., -1.],
           [ 1., -1., -1.,  1.]])
    """
    check_at_least(1, width=width)
    if width & (width - 1):
        raise ValueError(f"width must be a power of 2 for a rotation, got {width}")
    matrix = np.ones((1, 1))
    while len(matrix) < width:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix / width**0.5


def check_quantized(x: Any, kind: str) -> None:
    """Raise ValueError unless x is floating and has codes of this kind."""
    check_choice("kind", kind, BITS)
    check_floats(x=x)
    if kind == "int4":
        check_pairs("x", x.shape[-1])


def check_pairs(name: str, width: Any) -> None:
    """Raise ValueError unless codes of 4 bits fill their bytes."""
    if width is not None and width % 2:
        raise ValueError(f"{name} must have an even width for int4, got {width}")


def check_rounding(
    kind: str,
    key_per: str,
    value_per: str,
    rotate: bool,
    block_size: int,
    **widths: int,
) -> None:
    """Raise ValueError unless a cache can be rounded in this way."""
    check_choice("kind", kind, BITS)
    check_choice("key_per", key_per, AXES)
    check_choice("value_per", value_per, AXES)
    check_flags(rotate=rotate)
    check_at_least(1, **widths)
    check_at_least(2, block_size=block_size)
    for name, width in widths.items():
        if kind == "int4":
            check_pairs(name, width)
        if rotate and width & (width - 1):
            raise ValueError(f"{name} must be a power of 2 for rotate, got {width}")


def check_going_back(length: int, rounded: int) -> None:
    """Raise ValueError where a block that was rounded would have to be in full."""
    if length < rounded:
        least = f"at least {rounded}, as the blocks before are rounded"
        raise ValueError(f"length must be {least}, got {length}")
