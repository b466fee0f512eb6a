"""The cache of keys and values in TensorFlow; see ``attn_course.core.kv_cache``."""

from typing import Any

from attn_course.core.frameworks import keras, tf
from attn_course.core.kv_cache.shared import (
    cache_slots,
    check_chunk,
    check_columns,
    check_truncate,
    gap_refused,
    gradient_refused,
    is_half,
    overflow,
)
from attn_course.core.masks.tf import Mask

__all__ = ["KVCache"]


class KVCache(tf.Module):
    """The keys and values of all positions so far, in memory that is taken once.

    With ``window`` it keeps the last ``window`` positions and the first ``sinks``. Its
    parts are variables, made here, so that ``tf.function`` may write them; ``length``
    is one too. XLA (``jit_compile``) can't return a length that grows.

    It is for inference: what it holds has no gradient. Decode without a tape, train
    without a cache; a gradient that reaches the keys and values of an ``update`` raises
    ValueError.

    In a ``tf.function`` a cache may be an argument or captured; make it outside.

        @tf.function
        def step(x):
            return layer(x, causal=True, need_weights=False, cache=cache)[0]

    Half precision in a wider cache is kept exactly and comes back as it came, as under
    a mixed policy.

    Shapes:
        ``update(key (B, G, T, K), value (B, G, T, V))`` -> (B, G, S, K), (B, G, S, V),
        S positions so far or, with a window, those that a query of the chunk may see.

    Raises:
        ValueError: a size, shape or dtype is wrong, the cache is full, or a gradient is
            asked of what it holds; inside ``tf.function`` a full cache is an
            ``InvalidArgumentError``.
    """

    masks_rows = True  # False where the layer's pattern has the same window

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
        self.key, self.value = self.memory(slots, dtype=dtype)
        self.length = zeros((), "int32")

    def memory(self, slots: int, **place: Any) -> tuple[tf.Variable, tf.Variable]:
        """Zeros for so many positions: (B, G, slots, K) and (B, G, slots, V)."""
        *lead, key_dim, value_dim = self.sizes
        widths = key_dim, value_dim
        return tuple(zeros((*lead, slots, width), **place) for width in widths)

    @property
    def nbytes(self) -> int:
        """The bytes of its keys and values."""
        return bytes_of(self.key) + bytes_of(self.value)

    def take(self, rows: tf.Tensor) -> None:
        """Go on with these rows (B) of the batch, each for the one in its place."""
        self.key.assign(tf.gather(self.key, rows))
        self.value.assign(tf.gather(self.value, rows))

    def reset(self) -> None:
        """Forget everything; the memory stays."""
        self.length.assign(0)

    def truncate(self, length: int) -> None:
        """Go back to the first ``length`` positions; a ring of a window can't."""
        now = int(self.length) if tf.executing_eagerly() else None
        check_truncate(length, now, self.window)
        self.length.assign(length)

    def update(self, key: tf.Tensor, value: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Write a chunk behind what is there; return what its queries may see."""
        seen = self.write(*self.extend(key, value), key, value)
        key_seen, value_seen = (tf.cast(x, key.dtype) for x in seen)
        return without_gradient(key_seen, key), without_gradient(value_seen, value)

    def write(self, start, end, key, value):
        """Put the chunk start .. end - 1 in its place; what its queries may see."""
        key, value = tf.cast(key, self.key.dtype), tf.cast(value, self.value.dtype)
        if self.window is None:
            self.key[:, :, start:end].assign(key)
            self.value[:, :, start:end].assign(value)
            return self.key[:, :, :end], self.value[:, :, :end]
        past = self.slots(self.kept(0, start, start - self.window + 1))
        new = self.kept(start, end, end - self.window)
        axes = [tf.range(size) for size in self.key.shape[:2]]
        index = tf.stack(tf.meshgrid(*axes, self.slots(new), indexing="ij"), axis=-1)
        seen = []
        for store, chunk in ((self.key, key), (self.value, value)):
            seen.append(tf.concat([tf.gather(store, past, axis=2), chunk], axis=2))
            scatter(store, index, tf.gather(chunk, new - start, axis=2))
        return tuple(seen)

    def limit(
        self, T: Any, mask: Mask = None, bias: tf.Tensor | None = None
    ) -> tuple[tf.Tensor | None, tf.Tensor | None]:
        """Mask and bias, over all keys so far, for what ``update`` will return.

        T is the number of positions in the chunk. Without a window they stay.
        """
        if tf.executing_eagerly() and not (mask is None and bias is None):
            check_columns(int(self.length) + T, mask=mask, bias=bias)
        if self.window is None:
            return mask, bias
        start = tf.identity(self.length)
        query = tf.range(start, start + T)
        key = tf.concat([self.kept(0, start, start - self.window + 1), query], axis=0)
        mask, bias = columns(mask, key), columns(bias, key)
        one = not tf.is_tensor(T) and T == 1  # a single query sees all that is kept
        if self.masks_rows and not one:
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
        wider = is_half(key) and not is_half(self.key)
        check_chunk(self.key, self.sizes, key, value, mixed=wider)
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


def columns(x, key):
    """The columns of a mask or bias for these keys; one column serves all."""
    return x if x is None or x.shape[-1] == 1 else tf.gather(x, key, axis=-1)


@tf.custom_gradient
def without_gradient(seen, chunk):
    """What a cache holds of a chunk, whose gradient it would not hand on."""

    def refuse(gradient):
        raise gradient_refused()

    return tf.identity(seen), refuse


def scatter(store, index, chunk):
    """store[index] = chunk, in a variable; of values without a width there are none."""
    if store.shape[-1]:
        store.scatter_nd_update(index, chunk)


def zeros(shape, dtype):
    """A variable of zeros; a dtype of None is Keras's."""
    dtype = keras.config.floatx() if dtype is None else dtype
    return tf.Variable(tf.zeros(shape, dtype), trainable=False)


def bytes_of(x):
    """The bytes of a tensor or variable."""
    return x.shape.num_elements() * x.dtype.size
