"""The cache of keys and values in TensorFlow; see ``attn_course.kv_cache``."""

from typing import Any

from attn_course.frameworks import keras, tf
from attn_course.kv_cache.shared import (
    blocks_of,
    cache_slots,
    check_chunk,
    check_columns,
    gap_refused,
    overflow,
)
from attn_course.layers.tf import Mask
from attn_course.shapes import check_at_least

__all__ = ["KVCache", "PagedKVCache"]


class KVCache(tf.Module):
    """The keys and values of all positions so far, in memory that is taken once.

    With ``window`` it keeps the last ``window`` positions and the first ``sinks``. Its
    parts are variables, made here, so that ``tf.function`` may write them; ``length``
    is one too. XLA (``jit_compile``) can't return a length that grows.

    Shapes:
        ``update(key (B, G, T, K), value (B, G, T, V))`` -> (B, G, S, K), (B, G, S, V),
        S positions so far or, with a window, those that a query of the chunk may see.

    Raises:
        ValueError: a size, shape or dtype is wrong, or the cache is full; inside
            ``tf.function`` a full cache is an ``InvalidArgumentError``.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        capacity: int | None,
        key_dim: int,
        value_dim: int | None = None,
        *,
        dtype: Any = None,
        window: int | None = None,
        sinks: int = 0,
    ) -> None:
        super().__init__()
        value_dim = key_dim if value_dim is None else value_dim
        self.sizes = batch, num_kv_heads, key_dim, value_dim
        slots = cache_slots(
            batch, num_kv_heads, capacity, key_dim, value_dim, window, sinks
        )
        self.capacity, self.window, self.sinks = capacity, window, sinks
        self.key = zeros((batch, num_kv_heads, slots, key_dim), dtype)
        self.value = zeros((batch, num_kv_heads, slots, value_dim), dtype)
        self.length = zeros((), "int32")

    @property
    def nbytes(self) -> int:
        """The bytes of its keys and values."""
        return bytes_of(self.key) + bytes_of(self.value)

    def reset(self) -> None:
        """Forget everything; the memory stays."""
        self.length.assign(0)

    def update(self, key: tf.Tensor, value: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Write a chunk behind what is there; return what its queries may see."""
        start, end = self.extend(key, value)
        if self.window is None:
            self.key[:, :, start:end].assign(key)
            self.value[:, :, start:end].assign(value)
            return self.key[:, :, :end], self.value[:, :, :end]
        past = self.slots(self.kept(0, start, start - self.window + 1))
        new = self.kept(start, end, end - self.window)
        axes = [tf.range(size) for size in self.key.shape[:2]]
        place = tf.stack(tf.meshgrid(*axes, self.slots(new), indexing="ij"), axis=-1)
        seen = []
        for store, chunk in ((self.key, key), (self.value, value)):
            chunk = tf.stop_gradient(chunk)
            seen.append(tf.concat([tf.gather(store, past, axis=2), chunk], axis=2))
            write(store, place, tf.gather(chunk, new - start, axis=2))
        return tuple(seen)

    def limit(
        self, T: Any, mask: Mask = None, bias: tf.Tensor | None = None
    ) -> tuple[tf.Tensor | None, tf.Tensor | None]:
        """Mask and bias, over all keys so far, for what ``update`` will return.

        T is the number of positions in the chunk. Without a window they stay.
        """
        if self.window is None:
            return mask, bias
        start = tf.identity(self.length)
        if tf.executing_eagerly():
            check_columns(int(start) + T, mask=mask, bias=bias)
        query = tf.range(start, start + T)
        key = tf.concat([self.kept(0, start, start - self.window + 1), query], axis=0)
        mask, bias = columns(mask, key), columns(bias, key)
        if tf.is_tensor(T) or T > 1:  # a single query sees all that is kept
            near = (key > query[:, None] - self.window) | (key < self.sinks)
            mask = near if mask is None else mask & near
        return mask, bias

    def next_position(self, mask: Mask = None) -> tf.Tensor:
        """Where the next chunk begins, for a rotary encoding.

        Raises:
            ValueError: padding (B, 1, 1, S) blocks keys between others, so that their
                positions are not those of the text. A graph can't look.
        """
        looks = mask is not None and tf.executing_eagerly()
        if looks and mask.ndim == 4 and tuple(mask.shape[1:3]) == (1, 1):
            fell = tf.cast(mask[..., :-1] & ~mask[..., 1:], tf.int32)
            if tf.reduce_any((tf.cumsum(fell, axis=-1) > 0) & mask[..., 1:]):
                raise gap_refused()
        return tf.identity(self.length)

    def extend(self, key, value):
        """The first position of a chunk and the one behind it, after checks."""
        check_chunk(self.key, self.sizes, key, value)
        start, T = tf.identity(self.length), tf.shape(key)[2]
        if self.capacity is not None:
            if tf.executing_eagerly() and start + T > self.capacity:
                raise ValueError(overflow(int(start), int(T), self.capacity))
            tf.debugging.assert_less_equal(start + T, self.capacity, "cache is full")
        self.length.assign(start + T)
        return start, start + T

    def kept(self, first, last, oldest):
        """The positions first .. last - 1 that are sinks, or not before oldest."""
        sinks = tf.maximum(first, tf.minimum(self.sinks, last))
        parts = (first, sinks), (tf.maximum(sinks, oldest), last)
        return tf.concat([tf.range(*x) for x in parts], axis=0)

    def slots(self, positions):
        """Where positions stand: sinks first, then round and round."""
        ring = self.sinks + (positions - self.sinks) % self.window
        return tf.where(positions < self.sinks, positions, ring)


class PagedKVCache(KVCache):
    """The same in blocks of ``block_size`` positions that are taken when needed.

    A table says for every sequence which blocks are its own, so that a sequence wastes
    less than one block. What ``update`` returns is gathered; a kernel for paged
    attention would read the blocks where they are.

    Raises:
        ValueError: a size, shape or dtype is wrong, or the cache is full; inside
            ``tf.function`` a full cache is an ``InvalidArgumentError``.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        capacity: int,
        key_dim: int,
        value_dim: int | None = None,
        *,
        block_size: int,
        dtype: Any = None,
    ) -> None:
        check_at_least(1, block_size=block_size)
        super().__init__(batch, num_kv_heads, capacity, key_dim, value_dim, dtype=dtype)
        blocks = blocks_of(capacity, block_size)
        positions = batch * blocks * block_size
        self.block_size, self.used = block_size, zeros((), "int32")
        self.table = zeros((batch, blocks), "int32")
        self.key, self.value = (
            zeros((positions, num_kv_heads, x.shape[-1]), x.dtype)
            for x in (self.key, self.value)
        )

    @property
    def nbytes(self) -> int:
        """The bytes of the blocks in use."""
        position = bytes_of(self.key[0]) + bytes_of(self.value[0])
        return int(self.used) * self.block_size * position

    def reset(self) -> None:
        """Forget everything; all blocks are free again."""
        self.length.assign(0)
        self.used.assign(0)

    def update(self, key: tf.Tensor, value: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Write a chunk into the sequences' blocks; return all positions so far."""
        start, end = self.extend(key, value)
        self.take_blocks(start, end)
        seen = self.slots(tf.range(end))
        new = seen[:, start:, None]
        write(self.key, new, tf.transpose(key, (0, 2, 1, 3)))
        write(self.value, new, tf.transpose(value, (0, 2, 1, 3)))
        return tuple(
            tf.transpose(tf.gather(x, seen), (0, 2, 1, 3))
            for x in (self.key, self.value)
        )

    def take_blocks(self, start, end):
        """Enter the next free blocks into the table, as many as the chunk needs."""
        before, after = (blocks_of(x, self.block_size) for x in (start, end))
        batch, more = self.table.shape[0], after - before
        free = tf.identity(self.used) + tf.range(batch * more)
        free = tf.transpose(tf.reshape(free, (more, batch)))
        self.table[:, before:after].assign(free)
        self.used.assign_add(batch * more)

    def slots(self, positions):
        """Where positions stand in the pool, for every sequence: (B, S)."""
        block = tf.gather(self.table, positions // self.block_size, axis=1)
        return block * self.block_size + positions % self.block_size


def columns(x, key):
    """The columns of a mask or bias for these keys; one column serves all."""
    return x if x is None or x.shape[-1] == 1 else tf.gather(x, key, axis=-1)


def write(store, place, chunk):
    """store[place] = chunk, in a variable; of values without a width there are none."""
    if store.shape[-1]:
        store.scatter_nd_update(place, chunk)


def zeros(shape, dtype):
    """A variable of zeros; a dtype of None is Keras's."""
    dtype = keras.config.floatx() if dtype is None else dtype
    return tf.Variable(tf.zeros(shape, dtype), trainable=False)


def bytes_of(x):
    """The bytes of a tensor or variable."""
    return x.shape.num_elements() * x.dtype.size
