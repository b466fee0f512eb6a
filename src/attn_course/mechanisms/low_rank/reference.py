"""Linformer attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.mechanisms.dot_product.reference import masked_softmax
from attn_course.mechanisms.low_rank.shared import check_linformer

__all__ = ["linformer_attention"]


def linformer_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    key_projection: np.ndarray,
    value_projection: np.ndarray | None = None,
    scale: float | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Attend to R mixtures of the keys in place of all S.

    mixed_key   = key_projection @ key          (R of them)
    mixed_value = value_projection @ value
    weight      = softmax(scale * query @ mixed_key^T)
    output      = weight @ mixed_value

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        mask: boolean padding (B, 1, 1, S): keys and values are zero there before they
            are mixed.
        key_projection: (R, S), or (H, R, S) for one a head.
        value_projection: the same; None takes the key's.
        scale: a number; None means 1 / sqrt(K).
        returns: output (..., T, V), weights (..., T, R).

    Edge case: where every key is blocked, weights and output are zero.

    Raises:
        ValueError: a shape, dtype or mask is not as above.

    Source: Wang et al. 2020 (arXiv:2006.04768), equation 7.
    """
    check_linformer(query, key, value, mask, key_projection, value_projection)
    query, key, value = (np.asarray(x, np.float64) for x in (query, key, value))
    if value_projection is None:
        value_projection = key_projection
    seen = None
    if mask is not None:
        shown = np.swapaxes(mask, -1, -2)
        key, value = np.where(shown, key, 0.0), np.where(shown, value, 0.0)
        seen = mask.any(axis=-1, keepdims=True)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    mixed_key, mixed_value = key_projection @ key, value_projection @ value
    weights = masked_softmax(scale * query @ np.swapaxes(mixed_key, -1, -2), seen)
    return weights @ mixed_value, weights
