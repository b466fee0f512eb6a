"""Rotary positions in NumPy, float64: the specification."""

import numpy as np

from attn_course.positional.absolute.reference import position_angles
from attn_course.positional.checks import LAYOUTS, check_pairs, check_rotation
from attn_course.shapes import check_choice, shape_of


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
        ValueError: K is odd, the layout unknown, or a shape not as above.

    Source: Su et al. 2021 (arXiv:2104.09864), equations 15 and 34.
    Differs: the paper, GPT-J and Meta's Llama interleave the pairs; GPT-NeoX, KerasHub
        and Hugging Face's Llama take halves. Weights trained for one give wrong scores
        in the other: ``change_layout``.

    >>> rotate(np.array([[1.0, 0.0]]), np.array([np.pi / 2])).round(4)
    array([[0., 1.]])
    """
    x, positions = np.asarray(x), np.asarray(positions)
    check_rotation(x, positions)
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
    check_choice("to", to, LAYOUTS)
    check_pairs("the last axis of x", shape_of(x)[-1])
    return _join(*_split(x, "interleaved" if to == "half" else "half"), to)


def _split(x, layout):
    """The first and the second column of every pair."""
    check_choice("layout", layout, LAYOUTS)
    if layout == "half":
        return np.split(x, 2, axis=-1)
    return x[..., 0::2], x[..., 1::2]


def _join(first, second, layout):
    if layout == "half":
        return np.concatenate([first, second], axis=-1)
    pairs = np.stack([first, second], axis=-1)
    return pairs.reshape(*first.shape[:-1], 2 * first.shape[-1])
