"""Scaled dot-product attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.core.masks import causal_mask
from attn_course.core.shapes import check_arrays, check_attention, check_softmax_mask

__all__ = ["masked_softmax", "scaled_dot_product_attention"]


def masked_softmax(score: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """Softmax over the last axis, over the positions that the mask allows.

    weight[s] = exp(score[s]) / sum over allowed s' of exp(score[s']),
                and 0 where the mask is False

    Shapes:
        score: (..., S).
        mask: boolean, broadcastable to score; True = may attend.
            None allows everything.
        returns: the shape of score.

    Edge case: a row that may attend to nothing is zeros, and its gradient is finite. A
        score of minus infinity is blocked.

    Raises:
        ValueError: the mask is not boolean, or does not broadcast to score.

    Source: Vaswani et al. 2017, section 3.2.3, sets blocked scores to minus infinity;
        so do we.
    Differs: a softmax of nothing but minus infinities is NaN in every library; here
        it is zero.

    >>> masked_softmax(np.array([1.0, 1.0, 9.0]), np.array([True, True, False]))
    array([0.5, 0.5, 0. ])
    """
    check_arrays(score=score)
    score = np.asarray(score, np.float64)
    if mask is not None:
        check_softmax_mask(mask, score)
        score = np.where(mask, score, -np.inf)
    highest = score.max(axis=-1, keepdims=True, initial=-np.inf)
    # Subtracting the maximum doesn't change the result; it keeps exp from overflowing.
    exponential = np.exp(score - np.where(np.isneginf(highest), 0.0, highest))
    total = exponential.sum(axis=-1, keepdims=True)
    return exponential / np.where(total == 0, 1.0, total)


def scaled_dot_product_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    bias: np.ndarray | None = None,
    scale: float | None = None,
    causal: bool = False,
    need_weights: bool = True,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Average the values, weighted by how well each key matches the query.

    score[t, s]  = scale * (query[t] . key[s]) + bias[t, s]
    weight[t, :] = softmax(score[t, :]) over the keys that the mask allows
    output[t]    = sum over s of weight[t, s] * value[s]

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        mask: boolean (T, S), or as many axes as the scores: (B, 1, T, S), (B, 1, 1, S).
        bias: floating, (T, S), (H, T, S) or as many axes as the scores; added to the
            scaled scores.
        scale: a number; None means 1 / sqrt(K).
        causal: True also blocks keys that stand after the query (see ``causal_mask``).
        returns: output (..., T, V) and weights (..., T, S);
            weights are None for ``need_weights=False``.

    Edge case: a query that may attend to nothing, by the mask or by a bias of minus
        infinity, gets zero weights and a zero output. A blocked key has no influence,
        whatever finite numbers it holds.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or T, S or K is 0.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.1, equation 1.
    """
    check_attention(query, key, value, mask, bias)
    query, key, value = (np.asarray(x, np.float64) for x in (query, key, value))
    if causal:
        mask = block_future(mask, query, key)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    score = scale * query @ np.swapaxes(key, -1, -2)
    if bias is not None:
        score = score + bias
    weights = masked_softmax(score, mask)
    return weights @ value, weights if need_weights else None


def block_future(
    mask: np.ndarray | None, query: np.ndarray, key: np.ndarray
) -> np.ndarray:
    """The mask, or None, without keys that stand after the query: ``causal_mask``."""
    allowed = causal_mask(query.shape[-2], key.shape[-2])
    return allowed if mask is None else mask & allowed
