"""The Sparse Transformer's patterns in NumPy, float64: dense attention with a mask."""

import numpy as np

from attn_course.core.masks import (
    dilated_window_mask,
    fixed_mask,
    sliding_window_mask,
    strided_mask,
)
from attn_course.core.shapes import check_at_least, check_choice
from attn_course.mechanisms.blocks.shared import check_pattern
from attn_course.mechanisms.dot_product.reference import scaled_dot_product_attention
from attn_course.mechanisms.strided.shared import Heads, half_of_heads

__all__ = ["fixed_attention", "strided_attention"]


def strided_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    stride: int,
    heads: Heads = "merged",
    causal: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """The last positions (the row), and those a multiple of stride away (the column).

    row:    |i - j| <= stride
    column: (i - j) mod stride = 0
    merged: every head sees row and column
    split:  the first half of the heads sees the row, the second half the column
    with i = t + S - T, j = s, and j <= i if causal

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        mask: boolean padding, (B, 1, 1, S).
        heads: "merged" or "split", which needs (B, H, T, K) with an even H.
        returns: output (..., T, V) and weights (..., T, S).

    Edge case: a query that may attend to nothing gets zero weights and a zero output.

    Raises:
        ValueError: a shape, dtype, mask or size is not as above.

    Source: Child et al. 2019 (arXiv:1904.10509), sections 4.2 and 4.3.
    Differs: the authors' code gives the row ``stride`` positions, the paper's text one
        more; ours is the text's.
    """
    check_choice("heads", heads, ("merged", "split"))
    check_pattern(query, key, value, mask)
    T, S = query.shape[-2], key.shape[-2]
    if heads == "merged":
        pattern = strided_mask(T, S, stride, causal)
        return _masked(query, key, value, mask, pattern)
    check_at_least(1, stride=stride)
    half = half_of_heads(query)
    row = sliding_window_mask(T, S, stride + 1, causal)
    column = dilated_window_mask(T, S, max(T, S), stride, causal)
    pattern = np.stack([row] * half + [column] * half)
    return _masked(query, key, value, mask, pattern)


def fixed_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    stride: int,
    summary: int,
    causal: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """The query's own block, and the last positions of every block, its summary.

    own:       floor(i / stride) = floor(j / stride)
    summaries: j mod stride >= stride - summary
    with i = t + S - T, j = s, and j <= i if causal

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        mask: boolean padding, (B, 1, 1, S).
        returns: output (..., T, V) and weights (..., T, S).

    Edge case: a query that may attend to nothing gets zero weights and a zero output.

    Raises:
        ValueError: a shape, dtype, mask or size is not as above.

    Source: Child et al. 2019 (arXiv:1904.10509), section 4.3; summary is the paper's c.
    """
    check_pattern(query, key, value, mask)
    pattern = fixed_mask(query.shape[-2], key.shape[-2], stride, summary, causal)
    return _masked(query, key, value, mask, pattern)


def _masked(query, key, value, mask, pattern):
    lead = (1,) * (query.ndim - pattern.ndim)
    pattern = pattern.reshape(*lead, *pattern.shape)
    mask = pattern if mask is None else pattern & mask
    return scaled_dot_product_attention(query, key, value, mask)
