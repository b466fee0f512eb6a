"""Scaled dot-product attention in TensorFlow: the formula, then what is called."""

from collections.abc import Callable

from attn_course.core.frameworks import tf
from attn_course.core.masks.tf import Mask
from attn_course.core.precision.tf import wide
from attn_course.core.shapes import check_arrays, check_attention, check_softmax_mask
from attn_course.mechanisms.dot_product.shared import with_bias

__all__ = ["masked_softmax", "scaled_dot_product_attention"]


def attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Mask = None,
    *,
    bias: tf.Tensor | None = None,
    scale: float | None = None,
    softmax: Callable | None = None,
    dropout: Callable | None = None,
) -> tuple[tf.Tensor, tf.Tensor]:
    """The formula, equation 1 of the paper: softmax(Q K^T / sqrt(d_k)) V."""
    if scale is None:  # from the tensor: inside tf.function K may be unknown
        scale = tf.cast(tf.shape(query)[-1], query.dtype) ** -0.5
    score = tf.matmul(scale * query, key, transpose_b=True)
    if bias is not None:
        score = score + tf.cast(bias, score.dtype)
    softmax = allowed_softmax if softmax is None else softmax
    weights = softmax(score, mask)
    used = weights if dropout is None else dropout(weights)
    return used @ value, weights


def allowed_softmax(score: tf.Tensor, mask: Mask = None) -> tf.Tensor:
    """Softmax over the keys that the mask allows; where it allows none, zeros."""
    if mask is None:
        return tf.nn.softmax(score, axis=-1)
    # Of minus infinities alone the softmax would be NaN, and its gradient too: a row
    # without any allowed key has zeros instead, and is set to zero behind.
    seen = tf.reduce_any(mask, axis=-1, keepdims=True)
    blocked = tf.cast(tf.where(seen, -float("inf"), 0.0), score.dtype)
    weights = tf.nn.softmax(tf.where(mask, score, blocked), axis=-1)
    return tf.where(mask, weights, tf.zeros((), score.dtype))


def masked_softmax(score: tf.Tensor, mask: Mask = None) -> tf.Tensor:
    """See ``attn_course.reference.masked_softmax``.

    Computed in float32 or more, returned in score's dtype.
    """
    check_arrays(score=score)
    score = tf.convert_to_tensor(score)
    if not score.dtype.is_floating:
        score = tf.cast(score, tf.float32)
    allowed = not_blocked(score)
    if mask is not None:
        check_softmax_mask(mask, score)
        allowed = allowed & mask
    weights = allowed_softmax(tf.cast(score, wide(score.dtype)), allowed)
    return tf.cast(weights, score.dtype)


def scaled_dot_product_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Mask = None,
    *,
    bias: tf.Tensor | None = None,
    scale: float | None = None,
    causal: bool = False,
    need_weights: bool = True,
    softmax: Callable | None = None,
    dropout: Callable | None = None,
) -> tuple[tf.Tensor, tf.Tensor | None]:
    """``attention`` of checked arguments: ``reference.scaled_dot_product_attention``.

    TensorFlow has no fused kernel for the CPU: ``need_weights=False`` only keeps the
    weights from leaving. dropout is a function that drops weights.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_attention(query, key, value, mask, bias)
    options = {"bias": bias, "scale": scale, "causal": causal, "softmax": softmax}
    options |= {"need_weights": need_weights, "dropout": dropout}
    return dot_product(query, key, value, mask, **options)


def dot_product(
    query,
    key,
    value,
    mask=None,
    *,
    bias=None,
    scale=None,
    causal=False,
    need_weights=True,
    softmax=None,
    dropout=None,
):
    """``scaled_dot_product_attention`` of what was checked."""
    mask = allowed_keys(query, key, mask, bias=bias, causal=causal)
    softmax, bias = with_bias(softmax, bias)
    dtype = wide(query.dtype)
    inputs = [tf.cast(x, dtype) for x in (query, key, value)]
    options = {"bias": bias, "scale": scale, "softmax": softmax, "dropout": dropout}
    output, weights = attention(*inputs, mask, **options)
    weights = tf.cast(weights, query.dtype) if need_weights else None
    return tf.cast(output, query.dtype), weights


def allowed_keys(
    query: tf.Tensor,
    key: tf.Tensor,
    mask: Mask = None,
    *,
    bias: tf.Tensor | None = None,
    causal: bool = False,
) -> Mask:
    """What mask, causal and a bias of minus infinity allow together; None is all."""
    if causal:
        mask = block_future(mask, query, key)
    if bias is not None:
        seen = not_blocked(bias)
        if 2 < len(bias.shape) < len(query.shape):  # (H, T, S) is a bias, and no mask
            seen = seen[None]
        mask = seen if mask is None else mask & seen
    return mask


def not_blocked(score: tf.Tensor) -> tf.Tensor:
    """Whether a score, or a bias, is anything but minus infinity."""
    return score != tf.constant(-float("inf"), score.dtype)


def block_future(mask: Mask, query: tf.Tensor, key: tf.Tensor) -> tf.Tensor:
    """See ``attn_course.mechanisms.dot_product.reference.block_future``."""
    T, S = tf.shape(query)[-2], tf.shape(key)[-2]
    allowed = tf.range(S) <= tf.range(T)[:, None] + S - T
    return allowed if mask is None else mask & allowed
