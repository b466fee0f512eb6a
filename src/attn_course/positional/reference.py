"""Positional encodings in NumPy, float64: the specification."""

import numpy as np

from attn_course.positional.shared import (
    check_pairs,
    check_reach,
    check_rotation,
    check_waves,
    distance_buckets,
    frequencies,
    head_slopes,
    other_layout,
)
from attn_course.shapes import check_at_least

__all__ = [
    "alibi_bias",
    "alibi_slopes",
    "change_layout",
    "learned_encoding",
    "relative_bias",
    "relative_buckets",
    "rotate",
    "sinusoidal_encoding",
    "sinusoidal_shift",
]


def sinusoidal_encoding(length, dim, *, first_position=0, base=10000.0):
    """Give every position a vector of waves, from fast to slow.

    encoding[t, 2i]     = sin(t * base^(-2i / dim))
    encoding[t, 2i + 1] = cos(t * base^(-2i / dim)),   t from first_position on

    Shapes:
        returns: (length, dim).

    Edge case: an odd dim ends on a sine without its cosine.

    Raises:
        ValueError: length is negative, dim below 1, or base not above 0.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.5.
    Differs: the paper's released code has all sines first, all cosines after, and
        slightly other frequencies; the paper, and this, alternate. The paper multiplies
        the embeddings by sqrt(d_model) before it adds the waves: the caller's to do.

    >>> sinusoidal_encoding(2, 4).round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.01  , 1.    ]])
    """
    check_waves(length, dim, base)
    angle = position_angles(first_position + np.arange(length), dim, base=base)
    waves = np.stack([np.sin(angle), np.cos(angle)], axis=-1)
    return waves.reshape(length, 2 * angle.shape[1])[:, :dim]


def position_angles(positions, dim, *, base):
    """The angle of every position in every pair of columns, (..., T, (dim + 1) // 2).

    angle[t, i] = t * base^(-2i / dim)
    """
    return np.asarray(positions, np.float64)[..., None] * frequencies(dim, base)


def sinusoidal_shift(dim, offset, *, base=10000.0):
    """The matrix that moves every sinusoidal encoding on by the same offset.

    encoding[t + offset] = encoding[t] @ shift, for every t: each pair of columns is
    turned by the angle offset * base^(-2i / dim).

    Shapes:
        returns: (dim, dim), orthogonal.

    Raises:
        ValueError: dim is odd: the last sine misses its cosine; or base not above 0.

    Source: Vaswani et al. 2017, section 3.5.
    """
    check_waves(0, dim, base)
    check_pairs("dim", dim)
    shift = np.zeros((dim, dim))
    for pair, angle in enumerate(position_angles(offset, dim, base=base)):
        here = slice(2 * pair, 2 * pair + 2)
        sine, cosine = np.sin(angle), np.cos(angle)
        shift[here, here] = [[cosine, -sine], [sine, cosine]]
    return shift


def learned_encoding(x, parameters, *, first_position=0):
    """Add the learned vector of its position to every token.

    output[t] = x[t] + weight[first_position + t]

    Shapes:
        x: (B, T, D). parameters: ``weight`` (max_length, D).
        returns: (B, T, D).

    Raises:
        ValueError: a shape is not as above, or x ends after max_length.

    Source: Gehring et al. 2017 (arXiv:1705.03122), section 3.1; as good as the
        sinusoids in Vaswani et al. 2017, table 3, row E.
    """
    weight = np.asarray(parameters["weight"], np.float64)
    sizes = check_reach(x, weight.shape[1], first_position, weight.shape[0])
    rows = np.arange(sizes["T"]) + first_position
    return np.asarray(x, np.float64) + weight[rows]


def rotate(x, positions, *, layout="half", base=10000.0):
    """Turn every pair of columns by an angle that grows with the position.

    (first', second') = (first cos a - second sin a, first sin a + second cos a)
    with a = position * base^(-2i / K) for pair i, which is
        column 2i and 2i + 1          (interleaved)
        column i and i + K / 2        (half)

    A rotated query and a rotated key have the dot product that the two would have if
    only the key had turned, by the difference of their positions. So scores depend on
    distances alone, and a key can be cached as it was rotated once.

    Shapes:
        x: (..., T, K), K even. positions: (T), or aligned with x: (B, 1, T) for
        x (B, H, T, K). They need not be whole.
        returns: the shape of x.

    Edge case: position 0 changes nothing.

    Raises:
        ValueError: K is odd, the layout unknown, base below 0, or a shape otherwise.

    Source: Su et al. 2021 (arXiv:2104.09864), equations 15 and 34.
    Differs: the paper, GPT-J and Meta's Llama interleave the pairs; GPT-NeoX, KerasHub
        and Hugging Face's Llama take halves. Weights trained for one give wrong scores
        in the other: ``change_layout``.

    >>> rotate(np.array([[1.0, 0.0]]), np.array([np.pi / 2])).round(4)
    array([[0., 1.]])
    """
    x, positions = np.asarray(x), np.asarray(positions)
    check_rotation(x, positions, layout, base)
    first, second = _split(x.astype(np.float64), layout)
    angle = position_angles(positions, x.shape[-1], base=base)
    cosine, sine = np.cos(angle), np.sin(angle)
    turned = first * cosine - second * sine, first * sine + second * cosine
    return _join(*turned, layout)


def change_layout(x, *, to):
    """Reorder the last axis from the other layout to this one.

    rotate(change_layout(x, to="half"), t, layout="half")
        = change_layout(rotate(x, t, layout="interleaved"), to="half")

    The same order for query and key leaves their dot product as it is, so weights
    trained for one layout serve the other after this, head by head.

    Shapes:
        x: (..., K), K even. returns: the shape of x.

    Raises:
        ValueError: K is odd or the layout is unknown.

    >>> change_layout(np.arange(6), to="half")
    array([0, 2, 4, 1, 3, 5])
    """
    return _join(*_split(x, other_layout(x, to)), to)


def _split(x, layout):
    """The first and the second column of every pair."""
    if layout == "half":
        return np.split(x, 2, axis=-1)
    return x[..., 0::2], x[..., 1::2]


def _join(first, second, layout):
    if layout == "half":
        return np.concatenate([first, second], axis=-1)
    pairs = np.stack([first, second], axis=-1)
    return pairs.reshape(*first.shape[:-1], 2 * first.shape[-1])


def alibi_slopes(num_heads):
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


def alibi_bias(num_heads, T, S):
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


def key_distance(T, S):
    """Position of the key minus position of the query, (T, S), aligned at the end."""
    check_at_least(0, T=T, S=S)
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
        ValueError: bidirectional and num_buckets is odd or below 4; else, below 2;
        max_distance is not beyond the exact buckets, or T or S negative.

    Source: Raffel et al. 2020 (arXiv:1910.10683), section 2.1; its released code.
    Differs: the logarithm does not fall below a whole number by rounding.
    """
    distance = key_distance(T, S)
    return distance_buckets(distance, num_buckets, max_distance, bidirectional)


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
