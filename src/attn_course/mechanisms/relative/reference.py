"""Attention by distance in NumPy, float64: the specification."""

import numpy as np

from attn_course.core.shapes import check_at_least, check_parameters
from attn_course.mechanisms.dot_product.reference import block_future, masked_softmax
from attn_course.mechanisms.multi_head.reference import multi_head_attention_at_once
from attn_course.mechanisms.relative.shared import (
    check_tables,
    distance_buckets,
    head_slopes,
)

__all__ = [
    "alibi_bias",
    "alibi_slopes",
    "relative_attention",
    "relative_bias",
    "relative_buckets",
]


def alibi_slopes(num_heads: int) -> np.ndarray:
    """How fast the score falls with the distance, one slope a head.

    slope[h] = 2^(-8 (h + 1) / num_heads) for a power of two; else the slopes of the
    power of two below, and then every other slope of the power of two above

    Shapes:
        returns: (H).

    Raises:
        ValueError: num_heads is below 1.

    Source: Press, Smith & Lewis 2022 (arXiv:2108.12409), section 3, and its released
        code.

    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    return np.array(head_slopes(num_heads))


def alibi_bias(num_heads: int, T: int, S: int) -> np.ndarray:
    """A penalty that grows with the distance of key and query.

    bias[h, t, s] = -slope[h] * |s - (t + S - T)|

    Shapes:
        returns: (H, T, S), for the ``bias`` of attention over heads.

    Edge case: with T > S the first queries stand before every key.

    Raises:
        ValueError: num_heads is below 1, or T or S negative.

    Source: Press et al. 2022, section 3 and figure 3. Not scaled by 1 / sqrt(d_k)
        (footnote 10): it is added after the scale.
    Differs: the paper is causal, where the distance is never negative. Bloom and
        KerasHub add slope * s instead, which is the same up to a constant for each row,
        but only under a causal mask.
    """
    return -alibi_slopes(num_heads)[:, None, None] * np.abs(key_distance(T, S))


def key_distance(T: int, S: int) -> np.ndarray:
    """Position of the key minus position of the query, (T, S), aligned at the end."""
    check_at_least(0, T=T, S=S)
    return np.arange(S) - np.arange(S - T, S)[:, None]


def relative_buckets(
    T: int,
    S: int,
    *,
    num_buckets: int = 32,
    max_distance: int = 128,
    bidirectional: bool = True,
) -> np.ndarray:
    """Put distances into buckets: near ones alone, far ones together.

    n = |distance|, distance = key - query; not bidirectional: n = max(-distance, 0)
    N = num_buckets / 2, the upper half for keys after the query; else N = num_buckets
    bucket = n                                                          for n < N / 2
             N / 2 + floor(log(2 n / N) / log(2 max_distance / N) * N / 2),
                     at most N - 1                                       beyond

    Shapes:
        returns: integers (T, S) in 0 .. num_buckets - 1.

    Edge case: every distance from max_distance on is in the last bucket of its side;
        not bidirectional, every key after the query is in bucket 0.

    Raises:
        ValueError: bidirectional and num_buckets is odd or below 4; else, below 2;
        max_distance is not beyond the exact buckets, or T or S negative.

    Source: Raffel et al. 2020 (arXiv:1910.10683), section 2.1; its released code.
    Differs: the logarithm does not fall below a whole number by rounding.
    """
    distance = key_distance(T, S)
    return distance_buckets(distance, num_buckets, max_distance, bidirectional)


def relative_bias(
    T: int,
    S: int,
    parameters: dict[str, np.ndarray],
    *,
    max_distance: int = 128,
    bidirectional: bool = True,
) -> np.ndarray:
    """A learned number for every head and bucket of distances.

    bias[0, h, t, s] = weight[relative_buckets[t, s], h]

    Shapes:
        parameters: ``weight`` (num_buckets, H).
        returns: (1, H, T, S), for the ``bias`` of attention over heads.

    Raises:
        ValueError: as ``relative_buckets``.

    Source: Raffel et al. 2020, section 2.1.
    Differs: T5 shares one table among all layers (the caller's to do), and does not
        scale its scores by 1 / sqrt(d_k); here the bias is added to scaled scores.
    """
    check_parameters(parameters, "weight")
    weight = np.asarray(parameters["weight"], np.float64)
    options = {"max_distance": max_distance, "bidirectional": bidirectional}
    buckets = relative_buckets(T, S, num_buckets=len(weight), **options)
    return np.moveaxis(weight[buckets], -1, 0)[None]


def relative_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    parameters: dict[str, np.ndarray],
    *,
    num_heads: int,
    mask: np.ndarray | None = None,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Attention over heads whose keys and values also say how far away they stand.

    r = clip(position of s - position of t, -max_distance, max_distance)
    score[t, s]  = query[t] . (key[s] + relative_key[r]) / sqrt(K)
    weight[t, :] = softmax(score[t, :]) over the keys that the mask allows
    context[t]   = sum over s of weight[t, s] * (value[s] + relative_value[r])
    output       = heads side by side @ output_weight

    with query, key and value projected into num_heads heads, and both tables shared by
    the heads.

    Shapes:
        query: (B, T, D). key, value: (B, S, D).
        mask: boolean (T, S), (B, 1, 1, S), (B, 1, T, S) or (B, H, T, S).
        parameters: as in ``attn_course.mechanisms.relative``; max_distance is half of
            the rows of ``relative_key``, which stand for -max_distance to max_distance.
        returns: output (B, T, D), weights (B, H, T, S).

    Edge case: a query that may attend to nothing gets a zero context.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or a parameter is missing.

    Source: Shaw, Uszkoreit & Vaswani 2018 (arXiv:1803.02155), section 3, equations 3
        and 4. As there, the vectors of all pairs take T * S * K numbers, which batch
        and heads share (section 3.3).
    Differs: the paper has no biases; here they are optional.
    """
    most = check_tables(parameters, num_heads)

    def attend(query, key, value, mask, *, bias, causal):
        distance = key_distance(query.shape[2], key.shape[2])
        row_TS = np.clip(distance, -most, most) + most
        far_key, far_value = (
            np.asarray(parameters[name], np.float64)[row_TS]
            for name in ("relative_key", "relative_value")
        )
        score = query @ np.swapaxes(key, 2, 3)
        score = score + np.einsum("bhtk,tsk->bhts", query, far_key)
        if causal:
            mask = block_future(mask, query, key)
        weights = masked_softmax(score * query.shape[-1] ** -0.5, mask)
        context = weights @ value + np.einsum("bhts,tsv->bhtv", weights, far_value)
        return context, weights

    options = {"num_heads": num_heads, "mask": mask, "causal": causal}
    return multi_head_attention_at_once(
        query, key, value, parameters, **options, attend=attend
    )
