"""Chosen blocks in NumPy, float64: the specification."""

import numpy as np

from attn_course.core.masks import causal_mask
from attn_course.mechanisms.chosen_blocks.shared import check_blocks
from attn_course.mechanisms.dot_product.reference import scaled_dot_product_attention
from attn_course.mechanisms.indexed.reference import top_keys

__all__ = ["chosen_blocks_attention"]


def chosen_blocks_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    block_size: int,
    top_k: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Attend to one's own block and to those before it whose mean key answers best.

    score[t, n]  = query[t] . mean of the keys of block n; infinite for the own block
    weight[t, :] = softmax over the keys s <= t of the top_k blocks of score[t, :]

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        mask: boolean padding (B, 1, 1, S); a hidden key is in no mean.
        returns: output (..., T, V), weights (..., T, S).

    Edge case: with top_k blocks or fewer it is causal attention. A block whose keys are
        all hidden is not chosen; a query that stands before every key gets zeros.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or a size below 1.

    Source: Lu et al. 2025 (arXiv:2502.13189), equations 4 to 7.
    """
    check_blocks((query, key, value), mask, block_size, top_k)
    query, key = np.asarray(query, np.float64), np.asarray(key, np.float64)
    T, S = query.shape[-2], key.shape[-2]
    seen = np.ones(S, bool) if mask is None else mask[..., 0, :]
    seen = np.broadcast_to(seen, key.shape[:-1])[..., None]
    starts = np.arange(0, S, block_size)
    count = np.add.reduceat(seen, starts, axis=-2, dtype=int)
    means = np.add.reduceat(np.where(seen, key, 0.0), starts, axis=-2)
    means = means / np.maximum(count, 1)
    block = np.arange(len(starts))
    own = (np.arange(S - T, S) // block_size)[:, None]
    score = np.where(block == own, np.inf, query @ np.swapaxes(means, -1, -2))
    past = (block <= own) & np.swapaxes(count > 0, -1, -2)
    chosen = top_keys(score, top_k, past)[..., np.arange(S) // block_size]
    chosen = chosen & causal_mask(T, S) & np.swapaxes(seen, -1, -2)
    return scaled_dot_product_attention(query, key, value, chosen)
