"""The cache in fewer bits in PyTorch. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.kv_cache.pytorch import KVCache
from attn_course.core.precision.pytorch import wide
from attn_course.core.quantized.shared import (
    AXES,
    BITS,
    HALF,
    LARGEST,
    TINY,
    Axis,
    Kind,
    check_going_back,
    check_quantized,
    check_rounding,
    hadamard,
)

__all__ = ["QuantizedKVCache", "dequantize", "quantize"]

Codes = tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]


def quantize(x: torch.Tensor, *, kind: Kind, axis: int = -1) -> Codes:
    """Codes, with a scale for all numbers along an axis.

    Shapes:
        x (..., S, K); axis: -1, a scale per token, or -2, per channel
        -> codes (..., S, K), of int4 (..., S, K / 2), which is two in a byte, the
        first half of K in the lower bits; scale and low in 16 bits, with 1 in place of
        the axis. low is None for fp8.

    Raises:
        ValueError: the kind is not known, x is not floating, or of odd width for int4.
    """
    check_quantized(x, kind)
    x = x.to(wide(x.dtype)).clamp(-HALF, HALF)
    if kind == "fp8":
        scale = (x.abs().amax(axis, keepdim=True) / LARGEST).half().clamp(min=TINY)
        codes = (x / scale.to(x.dtype)).clamp(-LARGEST, LARGEST)
        return codes.to(torch.float8_e4m3fn), scale, None
    most = 2 ** BITS[kind] - 1
    low = x.amin(axis, keepdim=True).half()
    scale = (x.amax(axis, keepdim=True) - low.to(x.dtype)) / most
    scale = scale.half().clamp(min=TINY)
    codes = ((x - low.to(x.dtype)) / scale.to(x.dtype)).round().clamp(0, most)
    return packed(codes.to(torch.uint8), kind), scale, low


def dequantize(
    codes: torch.Tensor,
    scale: torch.Tensor,
    low: torch.Tensor | None = None,
    *,
    kind: Kind,
    dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """What the codes stand for: code * scale + low.

    Shapes:
        as ``quantize`` returns them -> (..., S, K), in float32 unless told otherwise.
    """
    dtype = torch.float32 if dtype is None else dtype
    x = unpacked(codes, kind).to(dtype) * scale.to(dtype)
    return x if low is None else x + low.to(dtype)


def packed(codes, kind):
    """Two codes of 4 bits in a byte; others as they are."""
    if kind != "int4":
        return codes
    first, second = codes.chunk(2, dim=-1)
    return first + 16 * second


def unpacked(codes, kind):
    """One code in each place."""
    if kind != "int4":
        return codes
    return torch.cat([codes % 16, codes // 16], dim=-1)


class QuantizedKVCache(KVCache):
    """A ``KVCache`` whose keys and values are kept as codes, and come back rounded.

    kind: "int8", "int4" or "fp8". key_per, value_per: "token" or "channel", whose scale
    is for ``block_size`` positions. rotate: turned by a Hadamard matrix before they are
    rounded. dtype: what comes back, and what stays in full.

    Shapes:
        as ``KVCache``.

    Raises:
        ValueError: as ``KVCache``; int4 and an odd width, rotate and a width that is no
            power of 2; ``truncate`` into a block that is rounded.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        capacity: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        kind: Kind = "int8",
        key_per: Axis = "token",
        value_per: Axis = "token",
        rotate: bool = False,
        block_size: int = 32,
        dtype: torch.dtype | None = None,
        device: Any = None,
    ) -> None:
        value_dim = key_dim if value_dim is None else value_dim
        widths = {"key_dim": key_dim, "value_dim": value_dim}
        check_rounding(kind, key_per, value_per, rotate, block_size, **widths)
        self.how = {"kind": kind, "rotate": rotate}
        per = key_per, value_per
        self.blocks = [block_size if x == "channel" else 1 for x in per]
        sizes = batch, num_kv_heads, capacity, key_dim, value_dim
        super().__init__(*sizes, dtype=dtype, device=device)

    def memory(self, slots, **place):
        """Codes for so many positions; of keys and values, what stays in full."""
        *lead, key_dim, value_dim = self.sizes
        widths = zip(self.blocks, (key_dim, value_dim), strict=True)
        how = self.how | place
        self.sides = tuple(Side((*lead, slots, K), P, **how) for P, K in widths)
        return tuple(side.rest for side in self.sides)

    @property
    def nbytes(self) -> int:
        """The bytes of codes, scales, lows, and of what stays in full."""
        return sum(x.nbytes for side in self.sides for x in (*side.parts, side.rest))

    def take(self, rows: torch.Tensor) -> None:
        """Go on with these rows (B) of the batch, each for the one in its place."""
        for side in self.sides:
            side.take(rows)

    def truncate(self, length: int) -> None:
        """Go back to the first ``length`` positions, not into a rounded block."""
        for P in self.blocks:
            check_going_back(length, self.length // P * P if P > 1 else 0)
        super().truncate(length)

    def write(self, start, end, key, value):
        """Put the chunk start .. end - 1 in its place; all positions, read back."""
        chunks = zip(self.sides, (key, value), strict=True)
        return tuple(side.write(start, end, chunk) for side, chunk in chunks)


class Side:
    """The keys of a cache, or its values: blocks as codes, the rest in full."""

    def __init__(self, shape, block_size, *, kind, rotate, dtype=None, device=None):
        *lead, slots, width = shape
        place = {"dtype": dtype, "device": device}
        self.kind, self.block_size = kind, block_size
        self.axis = AXES["token" if block_size == 1 else "channel"]
        self.rest = torch.zeros(*lead, block_size - 1, width, **place)
        like = place | {"dtype": wide(self.rest.dtype)}
        self.turn = torch.as_tensor(hadamard(width), **like) if rotate else None
        block = torch.zeros(block_size, width, **like)
        block = quantize(block, kind=kind, axis=self.axis)
        lead = *lead, slots // block_size
        parts = [x for x in block if x is not None]
        self.parts = [x.new_zeros(*lead, *x.shape) for x in parts]

    def write(self, start, end, x):
        """Round the blocks that a chunk fills; all positions so far, read back."""
        P = self.block_size
        first, last = start // P, end // P
        rest = torch.cat([self.rest[:, :, : start % P], x.to(self.rest.dtype)], dim=2)
        full, rest = rest.tensor_split([(last - first) * P], dim=2)
        self.rest[:, :, : end % P] = rest
        blocks = self.turned(full.unflatten(2, (last - first, P)))
        codes = quantize(blocks, kind=self.kind, axis=self.axis)
        for store, part in zip(self.parts, codes, strict=False):
            store[:, :, first:last] = part
        stored = [store[:, :, :last] for store in self.parts]
        known = dequantize(*stored, kind=self.kind, dtype=wide(rest.dtype))
        known = self.turned(known).flatten(2, 3).to(rest.dtype)
        return torch.cat([known, rest], dim=2)

    def turned(self, x):
        """Times the Hadamard matrix, which is its own inverse."""
        return x if self.turn is None else x.to(self.turn.dtype) @ self.turn

    def take(self, rows):
        """Rows of the batch."""
        self.parts = [x[rows] for x in self.parts]
        self.rest = self.rest[rows]
