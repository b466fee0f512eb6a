"""Positional encodings in PyTorch. Formulas: ``reference.py``."""

import math
from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.precision.pytorch import wide
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.parts.lengthening.pytorch import rotary_frequencies
from attn_course.mechanisms.parts.positional.shared import (
    Layout,
    check_reach,
    check_rotary,
    check_rotation,
    check_sequence,
    check_turns,
    check_waves,
    frequencies,
    other_layout,
)

__all__ = [
    "LearnedEncoding",
    "RotaryEncoding",
    "SinusoidalEncoding",
    "change_layout",
    "rotate",
    "sinusoidal_encoding",
]


Waves = tuple[torch.Tensor, torch.Tensor]


def sinusoidal_encoding(
    length: Any,
    dim: int,
    *,
    first_position: Any = 0,
    base: float = 10000.0,
    dtype: torch.dtype | None = None,
    device: Any = None,
) -> torch.Tensor:
    """See ``attn_course.reference.sinusoidal_encoding``. A dtype of None is float32."""
    check_waves(length, dim, base)
    options = {"first_position": first_position, "base": base, "dtype": dtype}
    return sinusoids(length, dim, **options, device=device)


def sinusoids(length, dim, *, first_position=0, base=10000.0, dtype=None, device=None):
    """``sinusoidal_encoding`` of what was checked."""
    dtype = torch.float32 if dtype is None else dtype
    positions = torch.arange(length, device=device) + first_position
    angle = position_angles(positions, dim, base=base, dtype=dtype)
    waves = torch.stack([torch.sin(angle), torch.cos(angle)], dim=-1)
    return waves.flatten(-2)[:, :dim].to(dtype)


def position_angles(
    positions: torch.Tensor, dim: int, *, base: float, dtype: Any, steps: Any = None
) -> torch.Tensor:
    """See ``attn_course.mechanisms.parts.positional.reference.position_angles``.

    In float32 or more: bfloat16 holds no odd position beyond 256. Whole turns are taken
    off in float64, where a device has it: float32 knows the angle of a position beyond
    100,000 to 0.004 alone.
    """
    own = wide(dtype)
    exact = own if positions.device.type == "mps" else torch.float64
    steps = frequencies(dim, base) if steps is None else steps
    steps = torch.as_tensor(steps, dtype=exact, device=positions.device)
    angle = positions.to(exact)[..., None] * steps
    return (angle - 2 * math.pi * torch.round(angle / (2 * math.pi))).to(own)


class SinusoidalEncoding(torch.nn.Module):
    """Add ``sinusoidal_encoding`` to every token; nothing is learned.

    Raises:
        ValueError: model_dim is below 1, base not above 0, or x of another shape.
    """

    def __init__(self, model_dim: int, *, base: float = 10000.0) -> None:
        super().__init__()
        check_waves(0, model_dim, base, "model_dim")
        self.model_dim, self.base = model_dim, base

    def forward(self, x: torch.Tensor, *, first_position: Any = 0) -> torch.Tensor:
        """x (B, T, model_dim) -> the same shape; x begins at first_position."""
        sizes = check_sequence(x, self.model_dim)
        place = {"dtype": x.dtype, "device": x.device}
        options = {"first_position": first_position, "base": self.base, **place}
        return x + sinusoids(sizes["T"], self.model_dim, **options)

    def extra_repr(self) -> str:
        return f"model_dim={self.model_dim}, base={self.base}"


class LearnedEncoding(torch.nn.Module):
    """Add a learned vector to every token: ``attn_course.reference.learned_encoding``.

    Raises:
        ValueError: a size is below 1, x not as ``forward`` says, or its end beyond
            max_length.
    """

    def __init__(
        self,
        max_length: int,
        model_dim: int,
        *,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_at_least(1, max_length=max_length, model_dim=model_dim)
        self.max_length, self.model_dim = max_length, model_dim
        rows = torch.empty(max_length, model_dim, device=device, dtype=dtype)
        self.weight = torch.nn.Parameter(rows)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw as small as BERT and GPT-2: the words are louder at first."""
        torch.nn.init.normal_(self.weight, std=0.02)

    def forward(self, x: torch.Tensor, *, first_position: Any = 0) -> torch.Tensor:
        """x (B, T, model_dim) -> the same shape; x begins at first_position."""
        sizes = check_reach(x, self.model_dim, first_position, self.max_length)
        rows = torch.arange(sizes["T"], device=x.device) + first_position
        return x + torch.nn.functional.embedding(rows, self.weight).to(x.dtype)

    def extra_repr(self) -> str:
        return f"max_length={self.max_length}, model_dim={self.model_dim}"


def rotate(
    x: torch.Tensor,
    positions: Any,
    *,
    layout: Layout = "half",
    base: float = 10000.0,
    frequencies: Any = None,
    scale: float = 1.0,
) -> torch.Tensor:
    """See ``attn_course.reference.rotate``.

    Computed in float32 or more, returned in x's dtype.
    """
    positions = torch.as_tensor(positions, device=x.device)
    check_rotation(x, positions, layout, base, frequencies, scale)
    options = {"base": base, "frequencies": frequencies, "scale": scale}
    return turned(x, waves(positions, x.shape[-1], x.dtype, **options), layout)


def waves(positions, dim, dtype, *, base, frequencies=None, scale=1.0):
    """Cosine and sine of what vectors at these positions are turned by."""
    angle = position_angles(positions, dim, base=base, dtype=dtype, steps=frequencies)
    return scale * torch.cos(angle), scale * torch.sin(angle)


def turned(x, waves, layout):
    """``rotate`` of what was checked, by cosine and sine."""
    cosine, sine = waves
    width = 2 * cosine.shape[-1]
    first, second = _split(x[..., :width].to(cosine.dtype), layout)
    pairs = first * cosine - second * sine, first * sine + second * cosine
    found = _join(*pairs, layout).to(x.dtype)
    return found if width == x.shape[-1] else torch.cat([found, x[..., width:]], -1)


def change_layout(x: torch.Tensor, *, to: Layout) -> torch.Tensor:
    """See ``attn_course.reference.change_layout``."""
    return _join(*_split(x, other_layout(x, to)), to)


def _split(x, layout):
    """The first and the second column of every pair."""
    if layout == "half":
        return x.chunk(2, dim=-1)
    return x[..., 0::2], x[..., 1::2]


def _join(first, second, layout):
    if layout == "half":
        return torch.cat([first, second], dim=-1)
    return torch.stack([first, second], dim=-1).flatten(-2)


class RotaryEncoding(torch.nn.Module):
    """Rotate query and key, each by its positions; nothing is learned.

    Query i stands at i + S - T, key j at j: the last query on the last key.
    frequencies, scale: what ``rotary_frequencies`` gives; of fewer frequencies than
    pairs, only the first columns turn. As a dict, frequencies is what it is called with
    at every call, with the length of the longest text so far: {"dim": 64, "method":
    "ntk", "factor": 4.0, "trained_length": 2048}. Keys in a cache keep their turn, as
    in ``transformers``: beyond trained_length decoding is not the whole pass.

    Raises:
        ValueError: key_dim is odd, the layout unknown, base or scale not above 0, more
            frequencies than pairs, or a shape not as ``forward`` says.
    """

    def __init__(
        self,
        key_dim: int,
        *,
        layout: Layout = "half",
        base: float = 10000.0,
        frequencies: Any = None,
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        self.rule = frequencies if isinstance(frequencies, dict) else None
        if self.rule is not None:
            frequencies, _ = rotary_frequencies(**self.rule, length=1)
        self.frequencies = check_turns(key_dim, layout, base, frequencies, scale)
        self.key_dim, self.layout, self.base = key_dim, layout, base
        self.scale = scale

    def forward(
        self, query: torch.Tensor, key: torch.Tensor, *, first_position: Any = 0
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """query (..., T, key_dim), key (..., S, key_dim) -> the same shapes.

        Their heads may differ in number. The first key stands at first_position, when
        the keys before it were rotated and cached. Where that is a pair, it is what
        ``waves`` gave for the positions of all keys, once for many layers.
        """
        check_rotary(query, key, self.key_dim)
        T, S = query.shape[-2], key.shape[-2]
        if isinstance(first_position, tuple):
            queries = keys = first_position
        else:
            places = torch.arange(S, device=key.device) + first_position
            queries = keys = self.waves(places, key.dtype)
            if T != S:
                places = torch.arange(S - T, S, device=key.device) + first_position
                queries = self.waves(places, query.dtype)
        return turned(query, queries, self.layout), turned(key, keys, self.layout)

    def waves(self, positions: torch.Tensor, dtype: Any) -> Waves:
        """Cosine and sine of what vectors at these positions are turned by."""
        options = {"frequencies": self.frequencies, "scale": self.scale}
        if self.rule is not None:
            ends = torch.nn.functional.pad(positions.flatten() + 1, (0, 1))
            steps, _ = rotary_frequencies(**self.rule, length=ends.max().cpu())
            options["frequencies"] = steps
        return waves(positions, self.key_dim, dtype, base=self.base, **options)

    def extra_repr(self) -> str:
        said = f"key_dim={self.key_dim}, layout={self.layout}, base={self.base}"
        if self.frequencies is not None:
            said += f", frequencies={self.rule or self.frequencies}, scale={self.scale}"
        return said
