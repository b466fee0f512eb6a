"""Blocks of positions in TensorFlow: what all sparse patterns are computed with.

Every function has the leading axes as one: ``Z`` examples and heads, heads last.
"""

from collections.abc import Callable
from typing import Any

from attn_course.core.frameworks import tf
from attn_course.core.layer.tf import AttentionLayer
from attn_course.core.precision.tf import wide
from attn_course.mechanisms.blocks.shared import check_unweighted, own_sizes
from attn_course.mechanisms.dot_product.tf import block_future

__all__: list[str] = []
BLOCK = 64  # queries that share their keys: more of them waste keys, fewer waste time
CACHE_GROUP = 2**13  # queries of all heads computed together: scores fit a cache
Result = tuple[tf.Tensor, None]
turned = tf.linalg.matrix_transpose


def over_heads(
    attend_heads: Callable,
    query,
    key,
    value,
    mask=None,
    *,
    softmax=None,
    scale=None,
    **own,
) -> Result:
    """Call with all leading axes as one: (Z, T, K), (Z, S, K), (Z, S, V), (Z, S, 1).

    And with the sizes of the pattern, and ``softmax=`` and ``scale=``, which ``attend``
    takes. What comes in was checked.
    """
    shapes = [sizes(x) for x in (query, key, value)]
    (*lead, T, _), (*_, S, _), (*_, V) = shapes
    heads = [
        tf.reshape(x, (-1, *shape[-2:]))
        for x, shape in zip((query, key, value), shapes, strict=True)
    ]
    if mask is None:
        seen = tf.ones((1, S, 1), tf.bool)
    else:
        seen = tf.reshape(tf.broadcast_to(mask, (*lead, 1, S)), (-1, S, 1))
    how = {"softmax": softmax and of_heads(softmax, query), "scale": scale}
    context = attend_heads(*heads, seen, **own, **how)
    return tf.reshape(context, (*lead, T, V)), None


def as_one(x):
    """The leading axes of (..., positions, X) as one."""
    return tf.reshape(x, (-1, *sizes(x)[-2:]))


def of_heads(softmax, query):
    """A softmax of (B, H, ..., S) for scores with B and H as one axis."""
    H = query.shape[-3] if len(query.shape) > 2 else 1

    def folded(score, mask):
        shape = sizes(score)
        unfolded = (-1, H, *shape[1:])
        if mask is not None:
            mask = tf.reshape(tf.broadcast_to(mask, shape), unfolded)
        return tf.reshape(softmax(tf.reshape(score, unfolded), mask), shape)

    return folded


def attend(query, key, value, mask=None, *, causal=False, softmax=None, scale=None):
    """The context, in float32 or more, in the dtype that came.

    A row that may attend to nothing is set to zero in the context: so the mask is
    broadcast over all scores once, and not twice.
    """
    if causal:
        mask = block_future(mask, query, key)
    dtype = wide(query.dtype)
    query_wide, key, value = (tf.cast(x, dtype) for x in (query, key, value))
    if scale is None:
        scale = tf.cast(tf.shape(query)[-1], dtype) ** -0.5
    score = tf.matmul(scale * query_wide, key, transpose_b=True)
    if softmax is not None:
        return tf.cast(softmax(score, mask) @ value, query.dtype)
    if mask is not None:
        score = tf.where(mask, score, score.dtype.min)
    context = tf.nn.softmax(score) @ value
    if mask is not None:
        seen = tf.reduce_any(mask, -1, keepdims=True)
        context = tf.where(seen, context, tf.zeros((), context.dtype))
    return tf.cast(context, query.dtype)


def near_keys(query, key, value, seen, window, causal=False, common=None, **how):
    """The context of queries that see their window, and common keys besides.

    Shapes:
        query (Z, T, K), key (Z, S, K), value (Z, S, V), Z for all leading axes; seen
        (Z or 1, S, 1), True for keys that may be seen at all, or numbers of documents;
        common: key (Z, G, K), value (Z, G, V) and mask (Z or 1, T, G).
    """
    T, S = sizes(query)[1], sizes(key)[1]
    if isinstance(T, int) and isinstance(S, int):
        window = min(window, max(T, S))
    back, ahead = window - 1, 0 if causal else window - 1

    def rows(start, stop):
        first = start + S - T - back
        others = common and (*common[:2], common[2][:, start:stop])
        asked, width = query[:, start:stop], back + ahead
        packed = seen.dtype != tf.bool
        own = cut(seen, start + S - T, stop + S - T) if packed else None
        return band(asked, key, value, seen, first, width, others, own, **how)

    return in_parts(rows, query)


def band(query, key, value, seen, first, width, common=None, own=None, **how):
    """Query i sees keys first + i to first + i + width: overlapping blocks of keys.

    Shapes:
        query (Z, T, K), key (Z, S, K), value and seen alike; nothing is seen where
        there is no key. own (Z, T, 1): seen at the queries, where it is numbers.
    """
    T, C = sizes(query)[1], BLOCK
    N = blocks_in(T, C)
    query_ZNCK = to_blocks(cut(query, 0, N * C), C)
    key_ZNLK, value_ZNLV, seen_ZNL1 = (
        to_blocks(cut(x, first, first + N * C + width), C, width)
        for x in (key, value, seen)
    )
    i, j = tf.range(C)[:, None], tf.range(C + width)
    own_ZNC1 = None if own is None else to_blocks(cut(own, 0, N * C), C)
    mask_ZNCL = (i <= j) & (j <= i + width) & of_one(own_ZNC1, turned(seen_ZNL1))
    near = key_ZNLK, value_ZNLV, mask_ZNCL
    if common is not None:
        *pair, allowed = common
        near = beside((*pair, to_blocks(cut(allowed, 0, N * C), C)), near)
    return cut(from_blocks(attend(query_ZNCK, *near, **how)), 0, T)


def of_one(own, seen):
    """Where keys may be seen at all; of numbers, those of the query's own document."""
    return seen if seen.dtype == tf.bool else (own == seen) & (seen != 0)


def in_parts(rows, query, size=None):
    """``rows(start, stop)`` of all queries, by default a few at a time.

    Where the length is unknown, in a graph, all are one part.
    """
    Z, T = query.shape[:2]
    if T is None:
        return rows(0, tf.shape(query)[1])
    size = size or max(1, CACHE_GROUP // (Z or 1) // BLOCK) * BLOCK
    bounds = [(start, min(start + size, T)) for start in range(0, T, size)]
    return tf.concat([rows(*bound) for bound in bounds], 1)


def beside(common, near):
    """Keys and values (Z, G, X), mask (Z, N, C, G), beside those of every block."""
    Z, N = sizes(near[0])[:2]
    everywhere = [tf.repeat(x[:, None], N, 1) for x in common[:2]]
    key, value = (tf.concat(pair, 2) for pair in zip(everywhere, near, strict=False))
    masks = [tf.repeat(x, Z // sizes(x)[0], 0) for x in (common[2], near[2])]
    return key, value, tf.concat(masks, 3)


def cut(x, first, last):
    """Positions first to last of x, (Z, positions, X); zeros where it has none."""
    S = tf.shape(x)[1] if x.shape[1] is None else x.shape[1]
    most = max if all(isinstance(n, int) for n in (first, last, S)) else tf.maximum
    x = tf.pad(x, ((0, 0), (most(-first, 0), most(last - S, 0)), (0, 0)))
    start = most(first, 0)
    return x[:, start : start + last - first]


def blocks_in(positions, size):
    """How many blocks hold the positions."""
    return (positions + size - 1) // size


def to_blocks(x, size, overlap=0):
    """(Z, blocks * size + overlap, X) -> (Z, blocks, size + overlap, X)."""
    Z, positions, width = sizes(x)
    blocks = (positions - overlap) // size
    x = tf.pad(x, ((0, 0), (0, size), (0, 0)))
    parts = []
    for start in range(0, size + overlap, size):
        part = x[:, start : start + blocks * size]
        part = tf.reshape(part, (Z, blocks, size, width))
        parts.append(part[:, :, : size + overlap - start])
    return tf.concat(parts, 2)


def from_blocks(x):
    """(Z, blocks, size, X) -> (Z, blocks * size, X)."""
    Z, blocks, size, width = sizes(x)
    return tf.reshape(x, (Z, blocks * size, width))


def to_columns(x, stride, front=0):
    """(Z, positions, X) -> (stride * Z, rows, X), padded to whole rows.

    Positions with the same remainder come together.
    """
    Z, positions, width = sizes(x)
    rows = blocks_in(front + positions, stride)
    x = to_blocks(cut(x, -front, rows * stride - front), stride)
    return tf.reshape(tf.transpose(x, (2, 0, 1, 3)), (stride * Z, rows, width))


def from_columns(x, stride, front, size):
    """``to_columns`` back: (stride * Z, rows, X) -> (Z, size, X)."""
    Z, rows, width = sizes(x)
    x = tf.reshape(x, (stride, Z // stride, rows, width))
    return cut(from_blocks(tf.transpose(x, (1, 2, 0, 3))), front, front + size)


class PatternAttention(AttentionLayer):
    """A layer whose heads see what ``pattern`` says, a function with the layer's sizes.

    That is the pattern's function without its checks: the layer's are enough.
    A subclass has a constructor with sizes of its own, and their record ``Sizes``.
    """

    can_drop = mask_rows = False
    own_softmax = own_scale = reads_positions = True
    pattern: Callable

    def __init__(self, model_dim: int, num_heads: int, **options: Any) -> None:
        super().__init__(model_dim, num_heads, **options)
        self.own = own_sizes(self.sizes)

    def attend(
        self, query, key, value, mask, *, bias, need_weights, dropout, **options
    ):
        check_unweighted(bias)
        return self.pattern(query, key, value, mask=mask, **self.own, **options)


def sizes(x):
    """The shape: numbers where they are known, else tensors."""
    shape = tf.shape(x)
    return [shape[n] if size is None else size for n, size in enumerate(x.shape)]
