"""Positions beyond the training in PyTorch. Formulas: ``reference.py``."""

import math
from typing import Any

from attn_course.core.frameworks import torch
from attn_course.mechanisms.parts.lengthening.shared import (
    Method,
    check_lengthening,
    check_log_scale,
    check_pair,
    ramp_ends,
    score_scale,
)
from attn_course.mechanisms.parts.positional.shared import check_positions, frequencies

__all__ = ["LogLengthScale", "log_length_scale", "rotary_frequencies"]


def rotary_frequencies(
    dim: int,
    *,
    base: float = 10000.0,
    method: Method | None = None,
    factor: float = 1.0,
    trained_length: int | None = None,
    length: int | None = None,
    low: float | None = None,
    high: float | None = None,
    truncate: bool = True,
    short: Any = None,
    long: Any = None,
) -> tuple[torch.Tensor, float]:
    """See ``attn_course.reference.rotary_frequencies``. The frequencies are float64."""
    options = method, factor, trained_length, length, low, high, short, long
    low, high = check_lengthening(dim, base, *options)
    theta = torch.tensor(frequencies(dim, base), dtype=torch.float64)
    keep = torch.full_like(theta, 0.0 if method == "linear" else 1.0)
    if method == "yarn":
        keep = pair_ramp(dim, base, trained_length, low, high, truncate)
    if method == "llama3":
        keep = turn_ramp(theta, trained_length, low, high)
    if method in ("ntk", "longrope"):
        theta = theta / divisors(dim, *options[:4], short, long)
    scale = score_scale(method, factor, trained_length)
    return keep * theta + (1 - keep) * theta / factor, scale


def divisors(dim, method, factor, trained_length, length, short, long):
    """See ``attn_course.mechanisms.parts.lengthening.reference.divisors``."""
    if method == "longrope":
        beyond = torch.as_tensor(0 if length is None else length) > trained_length
        lists = (torch.tensor(x, dtype=torch.float64) for x in (long, short))
        return torch.where(beyond, *lists)
    factor = torch.as_tensor(factor, dtype=torch.float64)
    if length is not None:
        factor = torch.clamp(factor * length / trained_length - (factor - 1), min=1)
    return factor ** (2 * torch.arange(dim // 2, dtype=torch.float64) / (dim - 2))


def pair_ramp(dim, base, trained_length, low, high, truncate):
    """See ``attn_course.mechanisms.parts.lengthening.reference.pair_ramp``."""
    first, last = ramp_ends(dim, base, trained_length, low, high, truncate)
    pairs = torch.arange(dim // 2, dtype=torch.float64)
    return 1 - torch.clip((pairs - first) / (last - first), 0, 1)


def turn_ramp(theta, trained_length, low, high):
    """See ``attn_course.mechanisms.parts.lengthening.reference.turn_ramp``."""
    turns = trained_length * theta / (2 * math.pi)
    return torch.clip((turns - low) / (high - low), 0, 1)


def log_length_scale(
    positions: Any, *, trained_length: int, strength: float = 0.1
) -> torch.Tensor:
    """See ``attn_course.reference.log_length_scale``.

    float64 where the positions are, else float32.
    """
    positions = torch.as_tensor(positions)
    check_positions(positions)
    check_log_scale(trained_length, strength)
    wide = torch.promote_types(positions.dtype, torch.float32)
    return 1 + strength * torch.log1p(
        torch.floor((positions.to(wide) + 1) / trained_length)
    )


class LogLengthScale(torch.nn.Module):
    """Multiply every query by ``log_length_scale`` of its position; the keys stay.

    Stands where a rotation stands: attention over heads with it as ``rotary`` knows no
    positions otherwise. Query i stands at i + S - T: padding in front counts, as in
    transformers' Llama 4.

    Raises:
        ValueError: trained_length is below 1, strength not above 0, or a shape is not
            as ``forward`` says.
    """

    def __init__(self, trained_length: int, *, strength: float = 0.1) -> None:
        super().__init__()
        check_log_scale(trained_length, strength)
        self.trained_length, self.strength = trained_length, strength

    def forward(
        self, query: torch.Tensor, key: torch.Tensor, *, first_position: Any = 0
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """query (..., T, K), key (..., S, K) -> the same shapes.

        The first key stands at first_position, when the keys before it are cached.
        """
        check_pair(query, key)
        T, S = query.shape[-2], key.shape[-2]
        wide = torch.promote_types(query.dtype, torch.float32)
        positions = torch.arange(S - T, S, device=query.device) + first_position
        options = {"trained_length": self.trained_length, "strength": self.strength}
        scale = log_length_scale(positions.clamp(min=0).to(wide), **options)
        return (query.to(wide) * scale[:, None]).to(query.dtype), key

    def extra_repr(self) -> str:
        return f"trained_length={self.trained_length}, strength={self.strength}"
