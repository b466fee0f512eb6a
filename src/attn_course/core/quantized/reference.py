"""Codes of 8 and 4 bits in NumPy, float64: the specification."""

import numpy as np

from attn_course.core.quantized.shared import (
    BITS,
    HALF,
    LARGEST,
    TINY,
    Kind,
    check_quantized,
    hadamard,
)

__all__ = ["dequantize", "hadamard", "quantize"]


def quantize(
    x: np.ndarray, *, kind: Kind, axis: int = -1
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Codes, with a scale for all numbers along an axis.

    int8, int4  code = round((x - low) / scale), scale = (max x - low) / (2^bits - 1)
    fp8         code = fp8(x / scale), scale = max |x| / 448

    Shapes:
        x (..., S, K); axis: -1, a scale per token, or -2, per channel
        -> codes (..., S, K), scale and low with 1 in place of the axis; low is None
        for fp8.

    Raises:
        ValueError: the kind is not known, x is not floating, or of odd width for int4.

    Sources: Jacob et al. 2018 (arXiv:1712.05877), equation 1, with low in place of the
        zero point; Micikevicius et al. 2022 (arXiv:2209.05433), table 1.
    """
    check_quantized(x, kind)
    x, along = np.clip(x, -HALF, HALF), {"axis": axis, "keepdims": True}
    if kind == "fp8":
        scale = np.maximum(half(np.abs(x).max(**along) / LARGEST), TINY)
        return fp8(np.clip(x / scale, -LARGEST, LARGEST)), scale, None
    most = 2 ** BITS[kind] - 1
    low = half(x.min(**along))
    scale = np.maximum(half((x.max(**along) - low) / most), TINY)
    return np.clip(np.round((x - low) / scale), 0, most), scale, low


def dequantize(
    codes: np.ndarray, scale: np.ndarray, low: np.ndarray | None = None, *, kind: Kind
) -> np.ndarray:
    """What the codes stand for: code * scale + low.

    Shapes:
        as ``quantize`` returns them -> (..., S, K).
    """
    return codes * scale + (0.0 if low is None else low)


def half(x):
    """The nearest number of 16 bits, in float64."""
    return x.astype(np.float16).astype(np.float64)


def fp8(x):
    """The nearest of m / 8 * 2^e, with m of 4 bits and e from -6 to 8; ties to even."""
    _, above = np.frexp(x)  # |x| < 2^above
    step = 2.0 ** (np.maximum(above - 1, -6) - 3)
    return np.round(x / step) * step
