"""Windows in TensorFlow: blocks of queries, each with the keys around it.

The formulas stand in ``reference.py``.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from attn_course.core.frameworks import keras, tf
from attn_course.core.kv_cache.tf import KVCache
from attn_course.core.layer.tf import dense, split
from attn_course.core.masks.basic import global_positions
from attn_course.core.masks.tf import Mask
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.blocks.shared import check_pattern
from attn_course.mechanisms.blocks.tf import (
    PatternAttention,
    Result,
    as_one,
    attend,
    cut,
    from_columns,
    near_keys,
    of_one,
    over_heads,
    sizes,
    to_columns,
    turned,
)
from attn_course.mechanisms.window.shared import (
    DilatedSizes,
    LongformerSizes,
    WindowSizes,
    check_global_heads,
    check_kept,
)

__all__ = [
    "DilatedWindowAttention",
    "LongformerAttention",
    "SlidingWindowAttention",
    "dilated_window_attention",
    "longformer_attention",
    "sliding_window_attention",
]


def sliding_window_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    window: int,
    mask: Mask = None,
    *,
    causal: bool = False,
    softmax: Callable | None = None,
    scale: float | None = None,
) -> Result:
    """See ``attn_course.reference.sliding_window_attention``.

    Forms at most T x (2 window + 64) scores. The weights are None.
    """
    check_at_least(1, window=window)
    check_pattern(query, key, value, mask, rows=None)
    how = {"window": window, "causal": causal, "softmax": softmax, "scale": scale}
    return over_heads(near_keys, query, key, value, mask, **how)


def dilated_window_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    window: int,
    dilation: int,
    mask: Mask = None,
    *,
    causal: bool = False,
    softmax: Callable | None = None,
    scale: float | None = None,
) -> Result:
    """See ``attn_course.reference.dilated_window_attention``.

    Positions with the same remainder by the dilation see only each other: every
    remainder is a sequence of its own, with a sliding window. The weights are None.
    """
    check_at_least(1, window=window, dilation=dilation)
    check_pattern(query, key, value, mask, rows=None)
    how = {"window": window, "dilation": dilation, "causal": causal}
    how |= {"softmax": softmax, "scale": scale}
    return over_heads(by_remainder, query, key, value, mask, **how)


def by_remainder(query, key, value, seen, window, dilation, causal=False, **how):
    """``near_keys`` of the positions with the same remainder by the dilation."""
    Z, T = sizes(query)[:2]
    front = (sizes(key)[1] - T) % dilation
    heads = key, value, tf.repeat(seen, Z // sizes(seen)[0], 0)
    parts = (to_columns(x, dilation) for x in heads)
    query = to_columns(query, dilation, front)
    context = near_keys(query, *parts, window, causal, **how)
    return from_columns(context, dilation, front, T)


def longformer_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Mask = None,
    *,
    window: int,
    positions: Sequence[int],
    causal: bool = False,
    global_heads: tuple[tf.Tensor, tf.Tensor, tf.Tensor] | None = None,
    softmax: Callable | None = None,
    scale: float | None = None,
) -> Result:
    """See ``attn_course.reference.longformer_attention``.

    Every block of queries also has the global keys; the global queries are computed
    once more, with all keys. The weights are None.
    """
    check_at_least(1, window=window)
    check_pattern(query, key, value, mask, rows=None)
    check_global_heads(global_heads, query, key, value)
    how = {"window": window, "positions": positions, "global_heads": global_heads}
    how |= {"causal": causal, "softmax": softmax, "scale": scale}
    return over_heads(near_and_global, query, key, value, mask, **how)


def near_and_global(
    query, key, value, seen, window, positions, causal=False, global_heads=None, **how
):
    """``near_keys`` and, for all, the global ones; global queries with all keys."""
    T, S = sizes(query)[1], sizes(key)[1]
    chosen = global_positions(positions, key.shape[1])
    if not chosen:
        return near_keys(query, key, value, seen, window, causal, **how)
    columns = tf.constant(chosen, tf.int32)
    rows = columns - (S - T)
    i, j = tf.range(T)[:, None] + S - T, tf.range(S)
    asked, *others = query, key, value
    if global_heads is not None:
        asked, *others = (as_one(x) for x in global_heads)
    common = [tf.gather(x, columns, axis=1) for x in (key, value, seen)]
    by_global = of_one(common[2], turned(seen))
    if causal:
        by_global = by_global & (j <= columns[:, None])
    own = cut(seen, S - T, S)
    common[2] = of_one(own, turned(common[2])) & ((columns <= i) | (not causal))
    # Counted there, a global key is not counted in the window again.
    counted = tf.reduce_any(j[:, None] == columns, axis=1)[:, None]
    seen = tf.where(counted, tf.zeros((), seen.dtype), seen)
    context = near_keys(query, key, value, seen, window, causal, common, **how)
    asked = tf.gather(asked, tf.maximum(rows, 0), axis=1)
    full = attend(asked, *others, by_global, **how)
    return put_rows(context, rows, full)


@keras.saving.register_keras_serializable("attn_course")
class SlidingWindowAttention(PatternAttention):
    """A layer whose heads see ``window`` positions, the query's own among them.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``sliding_window_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    Sizes = WindowSizes
    mask_rows = None
    pattern = staticmethod(partial(over_heads, near_keys))

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        window: int,
        **options: Any,
    ) -> None:
        own = {"window": window}
        super().__init__(model_dim, num_heads, own=own, **options)

    def new_cache(self, batch: int, capacity: int | None, **options: Any) -> KVCache:
        """An empty cache for ``cache=`` that keeps no more than the window.

        options: those of ``KVCache``; a larger window, or None, keeps more. A window
        and the first tokens: ``MultiHeadAttention``, whose cache takes ``sinks`` too.

        Raises:
            ValueError: the window is smaller than the layer's, or there are sinks.
        """
        options = {"window": self.sizes.window} | options
        check_kept(self.sizes.window, **options)
        cache = super().new_cache(batch, capacity, **options)
        cache.masks_rows = False  # the pattern does
        return cache


@keras.saving.register_keras_serializable("attn_course")
class DilatedWindowAttention(PatternAttention):
    """A layer whose heads see a window with gaps.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``dilated_window_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    Sizes = DilatedSizes
    mask_rows = None
    pattern = staticmethod(partial(over_heads, by_remainder))

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        window: int,
        dilation: int,
        **options: Any,
    ) -> None:
        own = {"window": window, "dilation": dilation}
        super().__init__(model_dim, num_heads, own=own, **options)


@keras.saving.register_keras_serializable("attn_course")
class LongformerAttention(PatternAttention):
    """A layer with a window and global positions.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``longformer_attention``. The mask is padding. The weights are None. Every
    text must reach behind the last of the positions.

    global_projections: the rows of global queries are computed from projections of
    their own, ``query_global``, ``key_global`` and ``value_global``, as in the paper
    and the released checkpoints (section 3.1); a cache then holds twice the heads.
    Without, one projection serves all.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    Sizes = LongformerSizes
    mask_rows = None
    pattern = staticmethod(partial(over_heads, near_and_global))

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        window: int,
        positions: Sequence[int],
        global_projections: bool = False,
        **options: Any,
    ) -> None:
        own = {"window": window, "positions": positions}
        own["global_projections"] = global_projections
        super().__init__(model_dim, num_heads, own=own, **options)
        self.own = {"window": window, "positions": self.sizes.positions}
        self.query_global_dense = None
        if global_projections:
            for name in ("query", "key", "value"):
                part = getattr(self, f"{name}_dense")
                widths = *part.kernel.shape, self.sizes.use_bias
                made = dense(self, f"{name}_global", *widths)
                setattr(self, f"{name}_global_dense", made)

    def project(self, query, key, value):
        """Linear maps, cut into heads; behind them those for global queries."""
        heads = super().project(query, key, value)
        if self.query_global_dense is None:
            return heads
        value = split(self.value_global_dense(value), self.num_kv_heads)
        if self.sizes.value_norm is not None:
            value = self.normed(value)
        own = (
            split(self.query_global_dense(query), self.num_heads),
            split(self.key_global_dense(key), self.num_kv_heads),
            value,
        )
        return tuple(tf.concat(pair, 1) for pair in zip(heads, own, strict=True))

    def attend(self, query, key, value, mask, **options):
        if self.query_global_dense is not None:
            both = (tf.split(x, 2, 1) for x in (query, key, value))
            (query, key, value), options["global_heads"] = zip(*both, strict=True)
        return super().attend(query, key, value, mask, **options)


def put_rows(x, rows, new):
    """x (Z, T, V) with new (Z, G, V) at the rows (G) that are not negative."""
    T = sizes(x)[1]
    places = tf.where(rows < 0, T, rows)[:, None]
    source = tf.range(T + 1)
    source = tf.tensor_scatter_nd_update(source, places, T + tf.range(tf.size(rows)))
    return tf.gather(tf.concat([x, new], 1), source[:T], axis=1)
