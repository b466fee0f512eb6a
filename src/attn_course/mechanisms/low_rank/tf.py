"""Linformer attention in TensorFlow. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.core.chunked.tf import widen
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.tf import AttentionLayer
from attn_course.mechanisms.dot_product.tf import scaled_dot_product_attention
from attn_course.mechanisms.low_rank.shared import (
    LinformerSizes,
    Sharing,
    check_linformer,
    check_linformer_call,
)

__all__ = ["LinformerAttention", "linformer_attention"]


def linformer_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Any = None,
    *,
    key_projection: tf.Tensor,
    value_projection: tf.Tensor | None = None,
    scale: float | None = None,
    need_weights: bool = True,
    softmax: Callable | None = None,
) -> tuple[tf.Tensor, tf.Tensor | None]:
    """See ``attn_course.reference.linformer_attention``.

    Computed in float32 or more; ``need_weights=False`` keeps the weights from leaving.
    """
    check_linformer(query, key, value, mask, key_projection, value_projection)
    if value_projection is None:
        value_projection = key_projection
    dtype, seen = query.dtype, None
    query, key, value = widen(query, key, value)
    if mask is not None:
        shown, nothing = tf.linalg.matrix_transpose(mask), tf.zeros((), key.dtype)
        key, value = (tf.where(shown, x, nothing) for x in (key, value))
        seen = tf.reduce_any(mask, axis=-1, keepdims=True)
    key = tf.matmul(tf.cast(key_projection, key.dtype), key)
    value = tf.matmul(tf.cast(value_projection, key.dtype), value)
    options = {"scale": scale, "need_weights": need_weights, "softmax": softmax}
    found = scaled_dot_product_attention(query, key, value, seen, **options)
    output, weights = (None if x is None else tf.cast(x, dtype) for x in found)
    return output, weights


@keras.saving.register_keras_serializable("attn_course")
class LinformerAttention(AttentionLayer):
    """Multi-head attention to ``rank`` mixtures of at most ``length`` keys.

    sharing: "heads" has one projection of keys and one of values for all heads,
    "key_value" one for both, "none" one a head of each. A shorter input takes their
    first columns. Weights are (B, H, T, rank). No bias, no causal, no dropout.

    Raises:
        ValueError: a size is not a whole number of at least 1, or sharing is unknown.
    """

    Sizes = LinformerSizes
    can_drop = False
    own_softmax = own_scale = True

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        length: int,
        rank: int,
        sharing: Sharing = "heads",
        **options: Any,
    ) -> None:
        own = {"length": length, "rank": rank, "sharing": sharing}
        super().__init__(model_dim, num_heads, own=own, **options)
        shape = (rank, length)
        if sharing == "none":
            shape = (num_heads, *shape)
        draw = keras.initializers.RandomNormal(stddev=rank**-0.5)
        options = {"shape": shape, "initializer": draw}
        self.key_projection = self.add_weight(name="key_projection", **options)
        self.value_projection = None
        if sharing != "key_value":
            draw = keras.initializers.RandomNormal(stddev=rank**-0.5)
            options = {"shape": shape, "initializer": draw}
            self.value_projection = self.add_weight(name="value_projection", **options)

    def attend(self, query, key, value, mask, *, bias, causal, dropout, **options):
        length, S = self.sizes.length, key.shape[-2]
        check_linformer_call(bias, causal, dropout, S, length)
        names = ("key_projection", "value_projection")
        columns = tf.shape(key)[-2]
        projections = {
            name: None if x is None else tf.convert_to_tensor(x)[..., :columns]
            for name, x in ((name, getattr(self, name)) for name in names)
        }
        return linformer_attention(query, key, value, mask, **projections, **options)

    def compute_output_shape(
        self, query_shape: tuple, key_shape: tuple | None = None, **shapes: Any
    ) -> tuple[tuple, tuple]:
        weights = query_shape[0], self.num_heads, query_shape[1], self.sizes.rank
        return tuple(query_shape), weights
