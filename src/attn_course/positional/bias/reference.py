"""Biases from the distance of two positions in NumPy, float64: the specification."""

import numpy as np

from attn_course.positional.bias.rules import distance_buckets, head_slopes


def alibi_slopes(num_heads):
    """How fast the score falls with the distance, one slope a head.

    slope[h] = 2^(-8 (h + 1) / num_heads) for a power of two; else the slopes of the
    power of two below, and then every other slope of the power of two above

    Shapes:
        returns: (H).

    Raises:
        ValueError: num_heads is below 1.

    Source: Press, Smith & Lewis 2022 (arXiv:2108.12409), section 3; the rule for other
        numbers of heads is in its released code.

    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    return np.array(head_slopes(num_heads))


def alibi_bias(num_heads, T, S):
    """A penalty that grows with the distance of key and query.

    bias[h, t, s] = -slope[h] * |s - (t + S - T)|

    Shapes:
        returns: (H, T, S), for the ``bias`` of attention over heads.

    Edge case: with T > S the first queries stand before every key.

    Raises:
        ValueError: num_heads is below 1.

    Source: Press et al. 2022, section 3 and figure 3. Not scaled by 1 / sqrt(d_k)
        (footnote 10): it is added after the scale.
    Differs: the paper is causal, where the distance is never negative. Bloom and
        KerasHub add slope * s instead, which is the same up to a constant for each row,
        but only under a causal mask.
    """
    return -alibi_slopes(num_heads)[:, None, None] * np.abs(key_distance(T, S))


def key_distance(T, S):
    """Position of the key minus position of the query, (T, S), aligned at the end."""
    return np.arange(S) - np.arange(S - T, S)[:, None]


def relative_buckets(T, S, *, num_buckets=32, max_distance=128, bidirectional=True):
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
        ValueError: bidirectional and num_buckets is odd or below 4; else, below 2; or
        max_distance is not beyond the exact buckets.

    Source: Raffel et al. 2020 (arXiv:1910.10683), section 2.1: 32 buckets, exact up to
        a point, then logarithmic up to 128; the formula is in the released code.
    Differs: the logarithm is in float64 and does not fall below a whole number by
        rounding.
    """
    options = {"num_buckets": num_buckets, "max_distance": max_distance}
    return distance_buckets(key_distance(T, S), **options, bidirectional=bidirectional)


def relative_bias(T, S, parameters, *, max_distance=128, bidirectional=True):
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
    weight = np.asarray(parameters["weight"], np.float64)
    options = {"max_distance": max_distance, "bidirectional": bidirectional}
    buckets = relative_buckets(T, S, num_buckets=len(weight), **options)
    return np.moveaxis(weight[buckets], -1, 0)[None]
