"""Windows in TensorFlow: blocks of queries, each with the keys around it.

The formulas stand in ``reference.py``.
"""

from collections.abc import Sequence
from typing import Any

from attn_course.blocks.shared import check_pattern, check_unweighted
from attn_course.blocks.tf import (
    BLOCK,
    Result,
    attend_wide,
    beside,
    cut,
    fold,
    in_parts,
    merge,
    over_heads,
    sizes,
    split,
    turned,
    unfold,
)
from attn_course.frameworks import keras, tf
from attn_course.layers.tf import AttentionLayer, Mask
from attn_course.masks.basic import global_positions
from attn_course.shapes import check_at_least

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
) -> Result:
    """See ``attn_course.reference.sliding_window_attention``.

    Forms at most T x (2 window + 64) scores. The weights are None.
    """
    check_at_least(1, window=window)
    check_pattern(query, key, value, mask)

    def attend_heads(*heads):
        return near_keys(*heads, window, causal)

    return over_heads(attend_heads, query, key, value, mask)


def dilated_window_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    window: int,
    dilation: int,
    mask: Mask = None,
    *,
    causal: bool = False,
) -> Result:
    """See ``attn_course.reference.dilated_window_attention``.

    Positions with the same remainder by the dilation see only each other: every
    remainder is a sequence of its own, with a sliding window. The weights are None.
    """
    check_at_least(1, window=window, dilation=dilation)
    check_pattern(query, key, value, mask)

    def attend_heads(query, key, value, seen):
        Z, T = sizes(query)[:2]
        front = (sizes(key)[1] - T) % dilation
        heads = key, value, tf.repeat(seen, Z // sizes(seen)[0], 0)
        parts = (fold(x, dilation) for x in heads)
        context = near_keys(fold(query, dilation, front), *parts, window, causal)
        return unfold(context, dilation, front, T)

    return over_heads(attend_heads, query, key, value, mask)


def longformer_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Mask = None,
    *,
    window: int,
    positions: Sequence[int],
    causal: bool = False,
) -> Result:
    """See ``attn_course.reference.longformer_attention``.

    Every block of queries also has the global keys; the global queries are computed
    once more, with all keys. The weights are None.
    """
    check_at_least(1, window=window)
    check_pattern(query, key, value, mask)
    T, S = sizes(query)[-2], sizes(key)[-2]
    chosen = global_positions(positions, key.shape[-2])
    columns = tf.constant(chosen, tf.int32)
    rows = columns - (S - T)
    i, j = tf.range(T)[:, None] + S - T, tf.range(S)

    def attend_heads(query, key, value, seen):
        common = [tf.gather(x, columns, axis=1) for x in (key, value, seen)]
        common[2] = turned(common[2]) & ((columns <= i) if causal else (i == i))
        by_global = turned(seen) & (j <= columns[:, None]) if causal else turned(seen)
        # Counted there, a global key is not counted in the window again.
        seen = seen & ~tf.reduce_any(j[:, None] == columns, axis=1)[:, None]
        context = near_keys(query, key, value, seen, window, causal, common)
        query_G = tf.gather(query, tf.maximum(rows, 0), axis=1)
        full = attend_wide(query_G, key, value, by_global)
        return put_rows(context, rows, full)

    if not chosen:
        return sliding_window_attention(query, key, value, window, mask, causal=causal)
    return over_heads(attend_heads, query, key, value, mask)


@keras.saving.register_keras_serializable("attn_course")
class SlidingWindowAttention(AttentionLayer):
    """A layer whose heads see ``window`` positions, the query's own among them.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``sliding_window_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    can_drop = False

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        window: int,
        **options: Any,
    ) -> None:
        check_at_least(1, window=window)
        super().__init__(model_dim, num_heads, **options)
        self.config |= {"window": window}

    def attend(self, query, key, value, mask, *, causal, **options):
        check_unweighted(**options)
        sizes = {name: self.config[name] for name in ("window",)}
        return sliding_window_attention(
            query, key, value, mask=mask, causal=causal, **sizes
        )


@keras.saving.register_keras_serializable("attn_course")
class DilatedWindowAttention(AttentionLayer):
    """A layer whose heads see a window with gaps.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``dilated_window_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    can_drop = False

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        window: int,
        dilation: int,
        **options: Any,
    ) -> None:
        check_at_least(1, window=window, dilation=dilation)
        super().__init__(model_dim, num_heads, **options)
        self.config |= {"window": window, "dilation": dilation}

    def attend(self, query, key, value, mask, *, causal, **options):
        check_unweighted(**options)
        sizes = {name: self.config[name] for name in ("window", "dilation")}
        return dilated_window_attention(
            query, key, value, mask=mask, causal=causal, **sizes
        )


@keras.saving.register_keras_serializable("attn_course")
class LongformerAttention(AttentionLayer):
    """A layer with a window and global positions; one projection serves both.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``longformer_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    can_drop = False

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        window: int,
        positions: Sequence[int],
        **options: Any,
    ) -> None:
        check_at_least(1, window=window)
        positions = global_positions(positions, None)
        super().__init__(model_dim, num_heads, **options)
        self.config |= {"window": window, "positions": positions}

    def attend(self, query, key, value, mask, *, causal, **options):
        check_unweighted(**options)
        sizes = {name: self.config[name] for name in ("window", "positions")}
        return longformer_attention(query, key, value, mask, causal=causal, **sizes)


def near_keys(query, key, value, seen, window, causal, common=None):
    """The context of queries that see their window, and common keys besides.

    Shapes:
        query (Z, T, K), key (Z, S, K), value (Z, S, V), Z for all leading axes; seen
        (Z or 1, S, 1), True for keys that may be seen at all; common: key (Z, G, K),
        value (Z, G, V) and mask (Z or 1, T, G).
    """
    T, S = sizes(query)[1], sizes(key)[1]
    if isinstance(T, int) and isinstance(S, int):
        window = min(window, max(T, S))
    back, ahead = window - 1, 0 if causal else window - 1

    def rows(start, stop):
        first, last = start + S - T - back, stop + S - T + ahead
        near = [cut(x, first, last) for x in (key, value, seen)]
        others = common and (*common[:2], common[2][:, start:stop])
        return band(query[:, start:stop], *near, back + ahead, others)

    return in_parts(rows, query)


def band(query, key, value, seen, width, common=None):
    """Query i sees keys i to i + width: blocks of queries, overlapping blocks of keys.

    Shapes:
        query (Z, T, K), key (Z, T + width, K), value and seen alike.
    """
    T, C = sizes(query)[1], BLOCK
    N = (T + C - 1) // C
    query_ZNCK = split(cut(query, 0, N * C), C)
    key_ZNLK, value_ZNLV, seen_ZNL1 = (
        split(cut(x, 0, N * C + width), C, width) for x in (key, value, seen)
    )
    i, j = tf.range(C)[:, None], tf.range(C + width)
    mask_ZNCL = (i <= j) & (j <= i + width) & turned(seen_ZNL1)
    near = key_ZNLK, value_ZNLV, mask_ZNCL
    if common is not None:
        *pair, allowed = common
        near = beside((*pair, split(cut(allowed, 0, N * C), C)), near)
    context = attend_wide(query_ZNCK, *near)
    return cut(merge(context), 0, T)


def put_rows(x, rows, new):
    """x (Z, T, V) with new (Z, G, V) at the rows (G) that are not negative."""
    T = sizes(x)[1]
    places = tf.where(rows < 0, T, rows)[:, None]
    source = tf.range(T + 1)
    source = tf.tensor_scatter_nd_update(source, places, T + tf.range(tf.size(rows)))
    return tf.gather(tf.concat([x, new], 1), source[:T], axis=1)
