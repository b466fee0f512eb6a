"""Windows in TensorFlow: blocks of queries, each with the keys around it.

The formulas stand in ``reference.py``.
"""

from collections.abc import Callable, Sequence

from attn_course.dot_product.tf import attention, wide
from attn_course.frameworks import tf
from attn_course.layers.tf import Mask
from attn_course.masks.basic import global_positions
from attn_course.shapes import check_at_least
from attn_course.window.shared import check_pattern

__all__ = [
    "dilated_window_attention",
    "longformer_attention",
    "sliding_window_attention",
]
BLOCK = 64  # queries that share their keys: more of them waste keys, fewer waste time
GROUP = 2**14  # queries of all heads computed together, where that saves memory
Result = tuple[tf.Tensor, None]


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
        by_global = turned(seen)
        if causal:
            by_global = by_global & (j <= columns[:, None])
        # Counted there, a global key is not counted in the window again.
        seen = seen & ~tf.reduce_any(j[:, None] == columns, axis=1)[:, None]
        context = near_keys(query, key, value, seen, window, causal, common)
        query_G = tf.gather(query, tf.maximum(rows, 0), axis=1)
        full = attend(query_G, key, value, by_global)
        return put_rows(context, rows, full)

    if not chosen:
        return sliding_window_attention(query, key, value, window, mask, causal=causal)
    return over_heads(attend_heads, query, key, value, mask)


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

    return in_groups(rows, query)


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
    context = attend(query_ZNCK, *near)
    return cut(merge(context), 0, T)


def beside(common, near):
    """Keys and values (Z, G, X), mask (Z, N, C, G), beside those of every block."""
    Z, N = sizes(near[0])[:2]
    everywhere = [tf.repeat(x[:, None], N, 1) for x in common[:2]]
    key, value = (tf.concat(pair, 2) for pair in zip(everywhere, near, strict=False))
    masks = [tf.repeat(x, Z // sizes(x)[0], 0) for x in (common[2], near[2])]
    return key, value, tf.concat(masks, 3)


def attend(query, key, value, mask=None):
    """``attention`` in float32 or more, in the dtype that came."""
    heads = [tf.cast(x, wide(x.dtype)) for x in (query, key, value)]
    return tf.cast(attention(*heads, mask)[0], query.dtype)


def over_heads(attend_heads: Callable, query, key, value, mask) -> Result:
    """Call with all leading axes as one: (Z, T, K), (Z, S, K), (Z, S, V), (Z, S, 1)."""
    lead = sizes(query)[:-2]
    heads = [tf.reshape(x, (-1, *sizes(x)[-2:])) for x in (query, key, value)]
    if mask is None:
        seen = tf.ones((1, sizes(key)[-2], 1), tf.bool)
    else:
        mask = tf.broadcast_to(mask, (*lead, 1, sizes(key)[-2]))
        seen = tf.reshape(mask, (-1, sizes(key)[-2], 1))
    context = attend_heads(*heads, seen)
    return tf.reshape(context, (*lead, *sizes(query)[-2:-1], value.shape[-1])), None


def in_groups(rows, query, size=None):
    """``rows(start, stop)`` of all queries, by default a few at a time.

    Where the length is unknown, in a graph, all are one part.
    """
    Z, T = sizes(query)[:2]
    if not isinstance(T, int):
        return rows(0, T)
    Z = Z if isinstance(Z, int) else 1
    size = size or max(1, GROUP // Z // BLOCK) * BLOCK
    bounds = [(start, min(start + size, T)) for start in range(0, T, size)]
    return tf.concat([rows(*bound) for bound in bounds], 1)


def put_rows(x, rows, new):
    """x (Z, T, V) with new (Z, G, V) at the rows (G) that are not negative."""
    T = sizes(x)[1]
    places = tf.where(rows < 0, T, rows)[:, None]
    source = tf.range(T + 1)
    source = tf.tensor_scatter_nd_update(source, places, T + tf.range(tf.size(rows)))
    return tf.gather(tf.concat([x, new], 1), source[:T], axis=1)


def cut(x, first, last):
    """Positions first to last of x, (Z, positions, X); zeros where it has none."""
    S = sizes(x)[1]
    most = max if all(isinstance(n, int) for n in (first, last, S)) else tf.maximum
    x = tf.pad(x, ((0, 0), (most(-first, 0), most(last - S, 0)), (0, 0)))
    start = most(first, 0)
    return x[:, start : start + last - first]


def sizes(x):
    """The shape: numbers where they are known, else tensors."""
    shape = tf.shape(x)
    return [shape[n] if size is None else size for n, size in enumerate(x.shape)]


def turned(x):
    """The last two axes exchanged."""
    return tf.linalg.matrix_transpose(x)


def split(x, size, overlap=0):
    """(Z, blocks * size + overlap, X) -> (Z, blocks, size + overlap, X)."""
    Z, positions, width = sizes(x)
    blocks = (positions - overlap) // size
    x = cut(x, 0, positions + size)
    parts = []
    for start in range(0, size + overlap, size):
        part = x[:, start : start + blocks * size]
        part = tf.reshape(part, (Z, blocks, size, width))
        parts.append(part[:, :, : size + overlap - start])
    return tf.concat(parts, 2)


def merge(x):
    """(Z, blocks, size, X) -> (Z, blocks * size, X)."""
    Z, blocks, size, width = sizes(x)
    return tf.reshape(x, (Z, blocks * size, width))


def fold(x, stride, front=0):
    """(Z, positions, X) -> (stride * Z, rows, X), padded to whole rows.

    Positions with the same remainder come together.
    """
    Z, positions, width = sizes(x)
    rows = (front + positions + stride - 1) // stride
    x = split(cut(x, -front, rows * stride - front), stride)
    return tf.reshape(tf.transpose(x, (2, 0, 1, 3)), (stride * Z, rows, width))


def unfold(x, stride, front, size):
    """``fold`` back: (stride * Z, rows, X) -> (Z, size, X)."""
    Z, rows, width = sizes(x)
    x = tf.reshape(x, (stride, Z // stride, rows, width))
    return cut(merge(tf.transpose(x, (1, 2, 0, 3))), front, front + size)
