"""Sparse blocks in NumPy, float64: dense attention with the pattern's mask."""

import numpy as np

from attn_course.core.masks import big_bird_mask, block_mask
from attn_course.mechanisms.blocks.shared import check_pattern
from attn_course.mechanisms.dot_product.reference import scaled_dot_product_attention

__all__ = ["big_bird_attention", "block_sparse_attention"]


def block_sparse_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    layout: np.ndarray,
    block_size: int,
    mask: np.ndarray | None = None,
    *,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Attention to the blocks of keys that a layout allows to every block of queries.

    weight[t, :] = softmax(score[t, :]) over keys s with
                   layout[t // block_size, s // block_size],
                   and s <= t + S - T if causal

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        layout: boolean (query blocks, key blocks), as many as T and S fill.
        mask: boolean padding, (B, 1, 1, S).
        returns: output (..., T, V) and weights (..., T, S).

    Edge case: a query that may attend to nothing gets zero weights and a zero output.

    Raises:
        ValueError: a shape, dtype, mask, size or layout is not as above.

    Source: Child et al. 2019 (arXiv:1904.10509), section 5.5, and its kernels.
    """
    check_pattern(query, key, value, mask)
    T, S = query.shape[-2], key.shape[-2]
    pattern = block_mask(T, S, layout, block_size, causal)
    return _masked(query, key, value, mask, pattern)


def big_bird_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    block_size: int,
    num_random: int,
    seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    """First and last block, the blocks around the own one, and a few random blocks.

    weight[t, :] = softmax(score[t, :]) over keys s with
                   layout[(t + S - T) // block_size, s // block_size],
                   layout = big_bird_layout(ceil(S / block_size), ...)

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        mask: boolean padding, (B, 1, 1, S).
        returns: output (..., T, V) and weights (..., T, S).

    Edge case: a query that may attend to nothing gets zero weights and a zero output.

    Raises:
        ValueError: a shape, dtype, mask or size is not as above.

    Source: Zaheer et al. 2020 (arXiv:2007.14062), section 2 and appendix D.
    Differs: Hugging Face draws random blocks for every head, in training only.
    """
    check_pattern(query, key, value, mask)
    options = {"block_size": block_size, "num_random": num_random, "seed": seed}
    pattern = big_bird_mask(query.shape[-2], key.shape[-2], **options)
    return _masked(query, key, value, mask, pattern)


def _masked(query, key, value, mask, pattern):
    mask = pattern if mask is None else pattern & mask
    return scaled_dot_product_attention(query, key, value, mask)
