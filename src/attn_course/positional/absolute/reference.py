"""Sinusoidal and learned positions in NumPy, float64: the specification."""

import numpy as np

from attn_course.positional.checks import check_reach, check_sequence
from attn_course.positional.frequencies import frequencies
from attn_course.shapes import check_at_least


def sinusoidal_encoding(length, dim, *, first_position=0, base=10000.0):
    """Give every position a vector of waves, from fast to slow.

    encoding[t, 2i]     = sin(t * base^(-2i / dim))
    encoding[t, 2i + 1] = cos(t * base^(-2i / dim)),   t from first_position on

    Shapes:
        returns: (length, dim).

    Edge case: an odd dim ends on a sine without its cosine.

    Raises:
        ValueError: length is negative, or dim below 1.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.5.
    Differs: the paper's released code has all sines first, all cosines after, and
        slightly other frequencies; the paper, and this, alternate. The paper multiplies
        the embeddings by sqrt(d_model) before it adds the waves: the caller's to do.

    >>> sinusoidal_encoding(2, 4).round(4)
    array([[0.    , 1.    , 0.    , 1.    ],
           [0.8415, 0.5403, 0.01  , 1.    ]])
    """
    check_at_least(0, length=length)
    check_at_least(1, dim=dim)
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
        ValueError: dim is odd: the last sine misses its cosine.

    Source: Vaswani et al. 2017, section 3.5: "for any fixed offset k, PE(pos+k) can
        be represented as a linear function of PE(pos)".
    """
    if dim % 2:
        raise ValueError(f"dim must be even, got {dim}")
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
        ValueError: a shape is not as above, or x ends after max_length: there is
            nothing learned for later positions.

    Source: Gehring et al. 2017 (arXiv:1705.03122), section 3.1; Vaswani et al. 2017,
        section 3.5 and table 3, row E, find it as good as the sinusoids.
    """
    weight = np.asarray(parameters["weight"], np.float64)
    sizes = check_sequence(x, weight.shape[1])
    check_reach(x, first_position, weight.shape[0])
    rows = np.arange(sizes["T"]) + first_position
    return np.asarray(x, np.float64) + weight[rows]
