"""Windows in NumPy, float64: dense attention with the pattern's mask."""

from collections.abc import Sequence

import numpy as np

from attn_course.core.masks import (
    dilated_window_mask,
    longformer_mask,
    sliding_window_mask,
)
from attn_course.core.masks.basic import global_positions
from attn_course.mechanisms.blocks.shared import check_pattern
from attn_course.mechanisms.dot_product.reference import scaled_dot_product_attention
from attn_course.mechanisms.window.shared import check_global_heads

__all__ = [
    "dilated_window_attention",
    "longformer_attention",
    "sliding_window_attention",
]


def sliding_window_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    window: int,
    mask: np.ndarray | None = None,
    *,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Attention to near positions only.

    score[t, s]  = query[t] . key[s] / sqrt(K)
    weight[t, :] = softmax(score[t, :]) over |i - j| < window, and j <= i if causal,
                   where i = t + S - T and j = s
    output[t]    = sum over s of weight[t, s] * value[s]

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        window: how many positions count, the query's own among them; to each side if
            not causal.
        mask: boolean padding, (B, 1, 1, S).
        returns: output (..., T, V) and weights (..., T, S).

    Edge case: a query that may attend to nothing gets zero weights and a zero output.

    Raises:
        ValueError: a shape, dtype, mask or size is not as above.

    Source: Beltagy, Peters & Cohan 2020 (arXiv:2004.05150), section 3.1.
    Differs: their w counts both sides, w/2 to each; flash-attention's and
        local-attention's w is a distance, so they see one key more.
    """
    check_pattern(query, key, value, mask)
    pattern = sliding_window_mask(query.shape[-2], key.shape[-2], window, causal)
    return _masked(query, key, value, mask, pattern)


def dilated_window_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    window: int,
    dilation: int,
    mask: np.ndarray | None = None,
    *,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Attention to near positions with gaps between them.

    weight[t, :] = softmax(score[t, :]) over i - j = dilation * m with |m| < window,
                   and m >= 0 if causal, where i = t + S - T and j = s

    Shapes, edge case and errors as in ``sliding_window_attention``, which it is for
    ``dilation=1``.

    Source: Beltagy, Peters & Cohan 2020 (arXiv:2004.05150), section 3.1.
    """
    check_pattern(query, key, value, mask)
    T, S = query.shape[-2], key.shape[-2]
    pattern = dilated_window_mask(T, S, window, dilation, causal)
    return _masked(query, key, value, mask, pattern)


def longformer_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    window: int,
    positions: Sequence[int],
    causal: bool = False,
    global_heads: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """A sliding window, and global positions that see all and are seen by all.

    weight[t, :] = softmax(score[t, :]) over |i - j| < window or i global or j global,
                   and j <= i if causal, where i = t + S - T and j = s

    Shapes:
        positions: the global positions, whole numbers from 0 to S - 1.
        global_heads: (query, key, value) that the rows of global queries are computed
            from, of the same shapes; None takes the others.
        All else as in ``sliding_window_attention``, which it is without any position.

    Raises:
        ValueError: a shape, dtype, mask, size or position is not as above.

    Source: Beltagy, Peters & Cohan 2020 (arXiv:2004.05150), section 3.1.
    Differs: the positions are the same in every example; in Hugging Face's a mask says
        them, its ``attention_window`` is 2 (window - 1), and lengths are its multiples.
    """
    check_pattern(query, key, value, mask)
    check_global_heads(global_heads, query, key, value)
    T, S = query.shape[-2], key.shape[-2]
    options = {"window": window, "positions": positions, "causal": causal}
    pattern = longformer_mask(T, S, **options)
    found = _masked(query, key, value, mask, pattern)
    if global_heads is None:
        return found
    rows = np.isin(np.arange(S - T, S), global_positions(positions, S))[:, None]
    by_global = _masked(*global_heads, mask, pattern)
    return tuple(np.where(rows, *pair) for pair in zip(by_global, found, strict=True))


def _masked(query, key, value, mask, pattern):
    mask = pattern if mask is None else pattern & mask
    return scaled_dot_product_attention(query, key, value, mask)
