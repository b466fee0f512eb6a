"""Positional encodings in NumPy, float64: the specification."""

from typing import Any

import numpy as np

from attn_course.core.shapes import check_parameters
from attn_course.mechanisms.parts.positional.shared import (
    Layout,
    check_pairs,
    check_reach,
    check_rotation,
    check_waves,
    frequencies,
    other_layout,
)

__all__ = [
    "change_layout",
    "learned_encoding",
    "rotate",
    "sinusoidal_encoding",
    "sinusoidal_shift",
]


def sinusoidal_encoding(
    length: int, dim: int, *, first_position: float = 0, base: float = 10000.0
) -> np.ndarray:
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


def position_angles(
    positions: Any, dim: int, *, base: float, steps: Any = None
) -> np.ndarray:
    """The angle of every position in every pair of columns, (..., T, (dim + 1) // 2).

    angle[t, i] = t * base^(-2i / dim), or t * steps[i]
    """
    steps = frequencies(dim, base) if steps is None else np.asarray(steps, np.float64)
    return np.asarray(positions, np.float64)[..., None] * steps


def sinusoidal_shift(dim: int, offset: float, *, base: float = 10000.0) -> np.ndarray:
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


def learned_encoding(
    x: np.ndarray, parameters: dict[str, np.ndarray], *, first_position: int = 0
) -> np.ndarray:
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
    check_parameters(parameters, "weight")
    weight = np.asarray(parameters["weight"], np.float64)
    sizes = check_reach(x, weight.shape[1], first_position, weight.shape[0])
    rows = np.arange(sizes["T"]) + first_position
    return np.asarray(x, np.float64) + weight[rows]


def rotate(
    x: np.ndarray,
    positions: np.ndarray,
    *,
    layout: Layout = "half",
    base: float = 10000.0,
    frequencies: Any = None,
    scale: float = 1.0,
) -> np.ndarray:
    """Turn every pair of columns by an angle that grows with the position.

    (first', second') = (first cos a - second sin a, first sin a + second cos a)
    with a = position * base^(-2i / K) for pair i, which is
        column 2i and 2i + 1          (interleaved)
        column i and i + K / 2        (half)

    A rotated query and a rotated key have the dot product that the two would have if
    only the key had turned, by the difference of their positions. So scores depend on
    distances alone, and a key can be cached as it was rotated once.

    frequencies: what a position is multiplied with, one per pair, instead of the
        powers of the base (``rotary_frequencies``). Of fewer, n, only the first 2 n
        columns turn, as if they were all: partial rotation.
    scale: what the columns that turn are multiplied with.

    Shapes:
        x: (..., T, K), K even. positions: (T), or aligned with x: (B, 1, T) for
        x (B, H, T, K). They need not be whole.
        returns: the shape of x.

    Edge case: position 0 changes nothing.

    Raises:
        ValueError: K is odd, the layout unknown, base below 0, more frequencies than
            pairs, or a shape otherwise.

    Source: Su et al. 2021 (arXiv:2104.09864), equations 15 and 34.
    Differs: the paper, GPT-J and Meta's Llama interleave the pairs; GPT-NeoX, KerasHub
        and Hugging Face's Llama take halves. Weights trained for one give wrong scores
        in the other: ``change_layout``.

    >>> rotate(np.array([[1.0, 0.0]]), np.array([np.pi / 2])).round(4)
    array([[0., 1.]])
    """
    x, positions = np.asarray(x), np.asarray(positions)
    check_rotation(x, positions, layout, base, frequencies, scale)
    angle = position_angles(positions, x.shape[-1], base=base, steps=frequencies)
    turning, resting = np.split(x.astype(np.float64), [2 * angle.shape[-1]], axis=-1)
    first, second = _split(turning, layout)
    cosine, sine = scale * np.cos(angle), scale * np.sin(angle)
    turned = first * cosine - second * sine, first * sine + second * cosine
    return np.concatenate([_join(*turned, layout), resting], axis=-1)


def change_layout(x: np.ndarray, *, to: Layout) -> np.ndarray:
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
