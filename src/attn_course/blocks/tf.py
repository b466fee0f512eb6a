"""Blocks of positions in TensorFlow: what all sparse patterns are computed with.

Every function has the leading axes as one: ``Z`` examples and heads.
"""

from collections.abc import Callable

from attn_course.dot_product.tf import wide
from attn_course.frameworks import tf

__all__: list[str] = []
BLOCK = 64  # queries that share their keys: more of them waste keys, fewer waste time
GROUP = 2**13  # queries of all heads computed together: their scores fit a cache
Result = tuple[tf.Tensor, None]


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


def in_parts(rows, query, size=None):
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


def attend_wide(query, key, value, mask=None):
    """Attention in float32 or more, in the dtype that came.

    A row that may attend to nothing is set to zero in the context: so the mask is
    broadcast over all scores once, and not twice.
    """
    query_wide, key, value = (tf.cast(x, wide(x.dtype)) for x in (query, key, value))
    scale = tf.cast(tf.shape(query)[-1], query_wide.dtype) ** -0.5
    score = tf.matmul(scale * query_wide, key, transpose_b=True)
    if mask is not None:
        score = tf.where(mask, score, score.dtype.min)
    context = tf.nn.softmax(score) @ value
    if mask is not None:
        seen = tf.reduce_any(mask, -1, keepdims=True)
        context = tf.where(seen, context, tf.zeros((), context.dtype))
    return tf.cast(context, query.dtype)


def beside(common, near):
    """Keys and values (Z, G, X), mask (Z, N, C, G), beside those of every block."""
    Z, N = sizes(near[0])[:2]
    everywhere = [tf.repeat(x[:, None], N, 1) for x in common[:2]]
    key, value = (tf.concat(pair, 2) for pair in zip(everywhere, near, strict=False))
    masks = [tf.repeat(x, Z // sizes(x)[0], 0) for x in (common[2], near[2])]
    return key, value, tf.concat(masks, 3)


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
