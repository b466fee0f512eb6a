"""Scaled dot-product attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.masks import causal_mask
from attn_course.shapes import check_floats, check_head_mask, check_shapes


def masked_softmax(score, mask=None):
    """Softmax over the last axis, over the positions that the mask allows.

    weight[s] = exp(score[s]) / sum over allowed s' of exp(score[s']),
                and 0 where the mask is False

    Shapes:
        score: (..., S).
        mask: boolean, broadcastable to score; True = may attend.
            None allows everything.
        returns: the shape of score.

    Edge case: a row that may attend to nothing is zeros, and its gradient is finite.

    Source: Vaswani et al. 2017, section 3.2.3, sets blocked scores to minus infinity;
        so do we.
    Differs: a softmax of nothing but minus infinities is NaN in every library; here
        it is zero.

    >>> masked_softmax(np.array([1.0, 1.0, 9.0]), np.array([True, True, False]))
    array([0.5, 0.5, 0. ])
    """
    score = np.asarray(score, np.float64)
    if mask is not None:
        score = np.where(mask, score, -np.inf)
    highest = score.max(axis=-1, keepdims=True, initial=-np.inf)
    # Subtracting the maximum doesn't change the result; it keeps exp from overflowing.
    exponential = np.exp(score - np.where(np.isneginf(highest), 0.0, highest))
    total = exponential.sum(axis=-1, keepdims=True)
    return exponential / np.where(total == 0, 1.0, total)


def scaled_dot_product_attention(
    query,
    key,
    value,
    mask=None,
    *,
    bias=None,
    scale=None,
    causal=False,
    need_weights=True,
):
    """Average the values, weighted by how well each key matches the query.

    score[t, s]  = scale * (query[t] . key[s]) + bias[t, s]
    weight[t, :] = softmax(score[t, :]) over the keys that the mask allows
    output[t]    = sum over s of weight[t, s] * value[s]

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        mask: boolean (T, S), or as many axes as the scores: (B, 1, T, S), (B, 1, 1, S).
        bias: broadcastable to (..., T, S), added to the scaled scores.
        scale: a number; None means 1 / sqrt(K).
        causal: True also blocks keys that stand after the query (see ``causal_mask``).
        returns: output (..., T, V) and weights (..., T, S);
            weights are None for ``need_weights=False``.

    Edge case: a query that may attend to nothing gets zero weights and a zero output.
        A key that no query may see has no influence, even if it holds NaN.

    Raises:
        ValueError: a shape, dtype or mask is not as above.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.1, equation 1.
    """
    check_floats(query=query, key=key, value=value)
    sizes = check_shapes(
        query=(query, "...TK"), key=(key, "...SK"), value=(value, "...SV")
    )
    if mask is not None:
        check_head_mask(mask, (*sizes["..."], sizes["T"], sizes["S"]))
    query, key, value = (np.asarray(x, np.float64) for x in (query, key, value))
    if causal:
        mask = block_future(mask, query, key)
    if mask is not None:
        key, value = hide_unseen(key, mask), hide_unseen(value, mask)
    scale = sizes["K"] ** -0.5 if scale is None else scale
    score = scale * np.einsum("...tk,...sk->...ts", query, key)
    if bias is not None:
        score = score + bias
    weights = masked_softmax(score, mask)
    output = np.einsum("...ts,...sv->...tv", weights, value)
    return output, weights if need_weights else None


def block_future(mask, query, key):
    """The mask, or None, without keys that stand after the query: ``causal_mask``."""
    allowed = causal_mask(query.shape[-2], key.shape[-2])
    return allowed if mask is None else mask & allowed


def hide_unseen(vectors, mask):
    """Set the vectors of keys that no query may see to zero: 0 * NaN would be NaN.

    Shapes:
        vectors: (..., S, X). mask: (..., T, S), broadcastable to the leading axes.
    """
    return np.where(np.any(mask, axis=-2)[..., None], vectors, 0.0)


def hide_nan(vectors, mask):
    """The same vectors where they ask: what no query may see asks too, but not as NaN.

    Its own row would be NaN, and with it the gradient of the weights.
    """
    seen = np.any(mask, axis=-2)[..., None]
    return np.where(seen | np.isfinite(vectors), vectors, 0.0)
