"""Rotary positions in PyTorch. Formulas: ``reference.py``."""

from attn_course.frameworks import torch
from attn_course.positional.absolute.pytorch import position_angles
from attn_course.positional.checks import (
    LAYOUTS,
    check_pairs,
    check_rotary,
    check_rotation,
)
from attn_course.shapes import check_choice, shape_of


def rotate(x, positions, *, layout="half", base=10000.0):
    """See ``attn_course.reference.rotate``.

    Computed in float32 or more, returned in x's dtype.
    """
    positions = torch.as_tensor(positions, device=x.device)
    check_rotation(x, positions)
    angle = position_angles(positions, x.shape[-1], base=base, dtype=x.dtype)
    first, second = _split(x.to(angle.dtype), layout)
    cosine, sine = torch.cos(angle), torch.sin(angle)
    turned = first * cosine - second * sine, first * sine + second * cosine
    return _join(*turned, layout).to(x.dtype)


def change_layout(x, *, to):
    """See ``attn_course.reference.change_layout``."""
    check_choice("to", to, LAYOUTS)
    check_pairs("the last axis of x", shape_of(x)[-1])
    return _join(*_split(x, "interleaved" if to == "half" else "half"), to)


class RotaryEncoding(torch.nn.Module):
    """Rotate query and key, each by its positions; nothing is learned.

    Query i stands at i + S - T, key j at j: the last query on the last key.

    Shapes:
        query (..., T, key_dim), key (..., S, key_dim) -> the same shapes; their heads
        may differ in number. first_position: where the first key stands, when the
        keys before it were rotated and cached.

    Raises:
        ValueError: key_dim is odd, the layout unknown, or a shape not as above.
    """

    def __init__(self, key_dim, *, layout="half", base=10000.0):
        super().__init__()
        check_pairs("key_dim", key_dim)
        check_choice("layout", layout, LAYOUTS)
        self.key_dim, self.layout, self.base = key_dim, layout, base

    def forward(self, query, key, *, first_position=0):
        check_rotary(query, key, self.key_dim)
        T, S = query.shape[-2], key.shape[-2]
        options = {"layout": self.layout, "base": self.base}
        queries = torch.arange(S - T, S, device=query.device) + first_position
        keys = torch.arange(S, device=key.device) + first_position
        return rotate(query, queries, **options), rotate(key, keys, **options)


def _split(x, layout):
    """The first and the second column of every pair."""
    check_choice("layout", layout, LAYOUTS)
    if layout == "half":
        return x.chunk(2, dim=-1)
    return x[..., 0::2], x[..., 1::2]


def _join(first, second, layout):
    if layout == "half":
        return torch.cat([first, second], dim=-1)
    return torch.stack([first, second], dim=-1).flatten(-2)
