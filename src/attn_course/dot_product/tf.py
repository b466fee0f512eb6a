"""Scaled dot-product attention in TensorFlow.

The formula and the shapes stand in ``reference.py``.
"""

from attn_course.frameworks import tf
from attn_course.shapes import check_floats, check_head_mask, check_shapes


def masked_softmax(score, mask=None):
    """See ``attn_course.reference.masked_softmax``.

    Computed in float32 or more, returned in score's dtype.
    """
    wide = tf.float64 if score.dtype == tf.float64 else tf.float32
    if mask is None:
        return tf.cast(tf.nn.softmax(tf.cast(score, wide), axis=-1), score.dtype)
    # The lowest finite number instead of minus infinity: a row without any allowed key
    # then stays free of NaN, in the gradient too; the second `where` sets it to zero.
    score_wide = tf.where(mask, tf.cast(score, wide), wide.min)
    weights = tf.where(mask, tf.nn.softmax(score_wide, axis=-1), tf.zeros((), wide))
    return tf.cast(weights, score.dtype)


def scaled_dot_product_attention(
    query,
    key,
    value,
    mask=None,
    *,
    bias=None,
    scale=None,
    causal=False,
    need_weights=True,
):
    """See ``attn_course.reference.scaled_dot_product_attention``.

    TensorFlow has no fused kernel for the CPU: ``need_weights=False`` only keeps the
    weights from leaving.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_floats(query=query, key=key, value=value)
    sizes = check_shapes(
        query=(query, "...TK"), key=(key, "...SK"), value=(value, "...SV")
    )
    if mask is not None:
        check_head_mask(mask, (*sizes["..."], sizes["T"], sizes["S"]))
    if causal:
        mask = block_future(mask, query, key)
    if mask is not None:
        key, value = hide_unseen(key, mask), hide_unseen(value, mask)
    if scale is None:  # from the tensor: inside tf.function K may be unknown
        scale = tf.cast(tf.shape(key)[-1], key.dtype) ** -0.5
    score = scale * tf.einsum("...tk,...sk->...ts", query, key)
    if bias is not None:
        score = score + bias
    weights = masked_softmax(score, mask)
    output = tf.einsum("...ts,...sv->...tv", weights, value)
    return output, weights if need_weights else None


def block_future(mask, query, key):
    """See ``attn_course.dot_product.reference.block_future``."""
    T, S = tf.shape(query)[-2], tf.shape(key)[-2]
    allowed = tf.range(S) <= tf.range(T)[:, None] + S - T
    return allowed if mask is None else mask & allowed


def hide_unseen(vectors, mask):
    """See ``attn_course.dot_product.reference.hide_unseen``."""
    seen = tf.reduce_any(mask, axis=-2)[..., None]
    return tf.where(seen, vectors, tf.zeros((), vectors.dtype))


def hide_nan(vectors, mask):
    """See ``attn_course.dot_product.reference.hide_nan``."""
    seen = tf.reduce_any(mask, axis=-2)[..., None]
    kept = seen | tf.math.is_finite(vectors)
    return tf.where(kept, vectors, tf.zeros((), vectors.dtype))
