"""Keys in parts in TensorFlow; see ``attn_course.core.split_keys``."""

from attn_course.core.frameworks import tf
from attn_course.core.precision.tf import wide
from attn_course.core.split_keys.shared import FEWEST_KEYS, PART, count_parts


def parts_of(query, key, value, bias=None):
    """In how many parts the keys of (B, G, S, K) are worth cutting, for (B, H, T, K).

    In a graph the number of keys may be unknown: then so is that of the parts.
    """
    (B, G, S, _), (_, H, T, _) = key.shape, query.shape
    if None in (B, T):
        return None
    parts = count_parts(B * G, H // G * T, FEWEST_KEYS * PART if S is None else S)
    if parts is None or not tf.config.list_physical_devices("GPU"):
        return None
    if S is not None:
        return parts
    S = tf.shape(key)[2]
    return tf.where(S < FEWEST_KEYS, 1, tf.minimum(parts, S // PART))


def attend_in_parts(query, key, value, mask=None, *, bias=None, scale=None, parts):
    """Attention to so many parts of the keys at once, each a place in a batch axis.

    They are equally long; fewer keys than parts, which are left, are one more.
    """
    dtype, S = query.dtype, tf.shape(key)[-2]
    query, key, value = (tf.cast(x, wide(dtype)) for x in (query, key, value))
    query *= query.shape[-1] ** -0.5 if scale is None else scale
    parts = tf.minimum(parts, S)
    size = S // parts
    whole = size * parts
    found = []
    for keys, N, C in ((slice(whole), parts, size), (slice(whole, S), 1, S - whole)):
        cut = [rows(x[..., keys, :], N, C) for x in (key, value)]
        own = [to_columns(x, S, keys, N, C) for x in (mask, bias)]
        found.append(of_parts(query[..., None, :, :], *cut, *own))
    joined = (tf.concat(x, axis=-3) for x in zip(*found, strict=True))
    return tf.cast(merge(*joined), dtype)


def rows(x, N, C):
    """(..., N * C, X) -> (..., N, C, X)."""
    *lead, _, width = tf.unstack(tf.shape(x), num=x.shape.rank)
    return tf.reshape(x, (*lead, N, C, width))


def to_columns(x, S, keys, N, C):
    """A mask or bias (..., T, S) for parts of the keys: (..., N, T, C)."""
    if x is None:
        return None
    x = tf.broadcast_to(x, tf.concat([tf.shape(x)[:-1], [S]], axis=0))[..., keys]
    return tf.linalg.matrix_transpose(rows(tf.linalg.matrix_transpose(x), N, C))


def of_parts(query, key, value, mask=None, bias=None):
    """Of each part its highest score, its sum of exponentials, and its context."""
    score = tf.matmul(query, key, transpose_b=True)
    if bias is not None:
        score = score + tf.cast(bias, score.dtype)
    if mask is not None:
        score = tf.where(mask, score, tf.constant(-float("inf"), score.dtype))
    # Finite, also where all is blocked: minus infinity minus itself is NaN.
    highest = tf.reduce_max(tf.stop_gradient(score), axis=-1, keepdims=True)
    highest = tf.maximum(highest, score.dtype.min)
    weight = tf.exp(score - highest)
    return highest, tf.reduce_sum(weight, axis=-1, keepdims=True), weight @ value


def merge(highest, total, context, axis=-3):
    """What parts found, as one; where none has seen a key, zeros."""
    kept = tf.exp(highest - tf.reduce_max(highest, axis=axis, keepdims=True))
    total, context = (tf.reduce_sum(kept * x, axis=axis) for x in (total, context))
    return context / tf.where(total == 0, tf.ones_like(total), total)
