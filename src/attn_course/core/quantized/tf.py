"""The cache in fewer bits in TensorFlow. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.frameworks import tf
from attn_course.core.kv_cache.tf import KVCache, bytes_of, zeros
from attn_course.core.precision.tf import wide
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

Codes = tuple[tf.Tensor, tf.Tensor, tf.Tensor | None]


def quantize(x: tf.Tensor, *, kind: Kind, axis: int = -1) -> Codes:
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
    x = tf.clip_by_value(tf.cast(x, wide(x.dtype)), -HALF, HALF)
    if kind == "fp8":
        scale = half(tf.reduce_max(tf.abs(x), axis, keepdims=True) / LARGEST, TINY)
        codes = tf.clip_by_value(x / tf.cast(scale, x.dtype), -LARGEST, LARGEST)
        return tf.cast(codes, tf.dtypes.experimental.float8_e4m3fn), scale, None
    most = 2 ** BITS[kind] - 1
    low = half(tf.reduce_min(x, axis, keepdims=True))
    scale = (tf.reduce_max(x, axis, keepdims=True) - tf.cast(low, x.dtype)) / most
    scale = half(scale, TINY)
    codes = tf.round((x - tf.cast(low, x.dtype)) / tf.cast(scale, x.dtype))
    return packed(tf.cast(tf.clip_by_value(codes, 0, most), "uint8"), kind), scale, low


def dequantize(
    codes: tf.Tensor,
    scale: tf.Tensor,
    low: tf.Tensor | None = None,
    *,
    kind: Kind,
    dtype: Any = None,
) -> tf.Tensor:
    """What the codes stand for: code * scale + low.

    Shapes:
        as ``quantize`` returns them -> (..., S, K), in float32 unless told otherwise.
    """
    dtype = tf.float32 if dtype is None else dtype
    x = tf.cast(unpacked(codes, kind), dtype) * tf.cast(scale, dtype)
    return x if low is None else x + tf.cast(low, dtype)


def half(x, least=-HALF):
    """In 16 bits, and at least so much."""
    return tf.maximum(tf.cast(x, "float16"), tf.cast(least, "float16"))


def packed(codes, kind):
    """Two codes of 4 bits in a byte; others as they are."""
    if kind != "int4":
        return codes
    first, second = tf.split(codes, 2, axis=-1)
    return first + 16 * second


def unpacked(codes, kind):
    """One code in each place."""
    if kind != "int4":
        return codes
    return tf.concat([codes % 16, codes // 16], axis=-1)


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
        dtype: Any = None,
    ) -> None:
        value_dim = key_dim if value_dim is None else value_dim
        widths = {"key_dim": key_dim, "value_dim": value_dim}
        check_rounding(kind, key_per, value_per, rotate, block_size, **widths)
        self.how = {"kind": kind, "rotate": rotate}
        per = key_per, value_per
        self.blocks = [block_size if x == "channel" else 1 for x in per]
        sizes = batch, num_kv_heads, capacity, key_dim, value_dim
        super().__init__(*sizes, dtype=dtype)

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
        sides = self.sides
        return sum(bytes_of(x) for side in sides for x in (*side.parts, side.rest))

    def take(self, rows: tf.Tensor) -> None:
        """Go on with these rows (B) of the batch, each for the one in its place."""
        for side in self.sides:
            side.take(rows)

    def truncate(self, length: int) -> None:
        """Go back to the first ``length`` positions, not into a rounded block.

        A graph can't look.
        """
        for P in self.blocks if tf.executing_eagerly() else ():
            check_going_back(length, int(self.length) // P * P if P > 1 else 0)
        super().truncate(length)

    def write(self, start, end, key, value):
        """Put the chunk start .. end - 1 in its place; all positions, read back."""
        chunks = zip(self.sides, (key, value), strict=True)
        return tuple(side.write(start, end, chunk) for side, chunk in chunks)


class Side(tf.Module):
    """The keys of a cache, or its values: blocks as codes, the rest in full."""

    def __init__(self, shape, block_size, *, kind, rotate, dtype=None):
        super().__init__()
        *lead, slots, width = shape
        self.kind, self.block_size = kind, block_size
        self.axis = AXES["token" if block_size == 1 else "channel"]
        self.rest = zeros((*lead, block_size - 1, width), dtype)
        like = wide(self.rest.dtype)
        self.turn = tf.constant(hadamard(width), like) if rotate else None
        block = tf.zeros((block_size, width), like)
        block = quantize(block, kind=kind, axis=self.axis)
        lead = *lead, slots // block_size
        parts = [x for x in block if x is not None]
        self.parts = [memory((*lead, *x.shape), x.dtype) for x in parts]

    def write(self, start, end, x):
        """Round the blocks that a chunk fills; all positions so far, read back."""
        P = self.block_size
        first, last = start // P, end // P
        chunk = tf.cast(x, self.rest.dtype)
        rest = tf.concat([self.rest[:, :, : start % P], chunk], axis=2)
        full, rest = rest[:, :, : (last - first) * P], rest[:, :, (last - first) * P :]
        self.rest[:, :, : end % P].assign(rest)
        (B, G), K = self.rest.shape[:2], self.rest.shape[-1]
        blocks = self.turned(tf.reshape(full, (B, G, last - first, P, K)))
        codes = quantize(blocks, kind=self.kind, axis=self.axis)
        for store, part in zip(self.parts, codes, strict=False):
            store[:, :, first:last].assign(part)
        stored = [store[:, :, :last] for store in self.parts]
        known = dequantize(*stored, kind=self.kind, dtype=wide(rest.dtype))
        known = tf.cast(self.turned(known), rest.dtype)
        return tf.concat([tf.reshape(known, (B, G, last * P, K)), rest], axis=2)

    def turned(self, x):
        """Times the Hadamard matrix, which is its own inverse."""
        return x if self.turn is None else tf.cast(x, self.turn.dtype) @ self.turn

    def take(self, rows):
        """Rows of the batch; fp8 has no gather, and float16 holds all its numbers."""
        for x in (*self.parts, self.rest):
            kept = x.dtype if x.dtype.size > 1 or x.dtype == tf.uint8 else tf.float16
            x.assign(tf.cast(tf.gather(tf.cast(x, kept), rows), x.dtype))


def memory(shape, dtype):
    """A variable of zeros; of fp8 they are cast, for it has no constant."""
    return tf.Variable(tf.cast(tf.zeros(shape), dtype), trainable=False)
