"""Parts for attention over heads in TensorFlow. What they are for: ``__init__.py``."""

from functools import partial
from typing import Any, ClassVar

from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.tf import Layer, dense, merge, split
from attn_course.core.masks.tf import Mask
from attn_course.core.shapes import check_at_least, check_flags, check_positive
from attn_course.mechanisms.dot_product.tf import allowed_softmax
from attn_course.mechanisms.parts.gated.shared import (
    check_gate,
    check_pair,
    check_score,
    heads_of_norm,
)

__all__ = ["CappedSoftmax", "OutputGate", "QueryKeyNorm", "SinkSoftmax"]


@keras.saving.register_keras_serializable("attn_course")
class OutputGate(Layer):
    """context * sigmoid(x W + b): how much of each head, or element, goes on."""

    parity_names: ClassVar = {"linear": ""}

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        value_dim: int | None = None,
        *,
        use_bias: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        each = 1 if value_dim is None else value_dim
        check_at_least(1, model_dim=model_dim, num_heads=num_heads, value_dim=each)
        check_flags(use_bias=use_bias)
        self.config = {"model_dim": model_dim, "num_heads": num_heads}
        self.config |= {"value_dim": value_dim, "use_bias": use_bias}
        self.num_heads = num_heads
        self.linear = dense(self, "linear", model_dim, num_heads * each, use_bias)
        self.built = True

    def call(self, context: tf.Tensor, x: tf.Tensor) -> tf.Tensor:
        """context (B, H, T, V), the query's input x (B, T, D) -> (B, H, T, V)."""
        check_gate(self.config, context, x)
        return context * tf.sigmoid(split(self.linear(x), self.num_heads))

    def compute_output_shape(self, context_shape, x_shape=None):
        return tuple(context_shape)


@keras.saving.register_keras_serializable("attn_course")
class QueryKeyNorm(Layer):
    """Queries and keys of the same length each, times what is learned.

    num_heads, num_kv_heads: one length for all heads together; None is one for each.
    use_scale False: nothing is learned.
    """

    def __init__(
        self,
        key_dim: int,
        *,
        epsilon: float = 1e-6,
        num_heads: int | None = None,
        num_kv_heads: int | None = None,
        use_scale: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        check_at_least(1, key_dim=key_dim)
        check_positive(epsilon=epsilon)
        self.heads = H, G = heads_of_norm(num_heads, num_kv_heads, use_scale)
        self.key_dim = key_dim
        self.config = {"key_dim": key_dim, "epsilon": epsilon}
        self.config |= {"num_heads": H, "num_kv_heads": G, "use_scale": use_scale}
        self.query, self.key = self.norm("query", H), self.norm("key", G)
        self.built = True

    def norm(self, name, heads):
        if not self.config["use_scale"]:
            return partial(keras.ops.rms_normalization, epsilon=self.config["epsilon"])
        options = {"epsilon": self.config["epsilon"], "dtype": self.dtype_policy}
        part = keras.layers.RMSNormalization(name=name, **options)
        with keras.name_scope(self.name):
            part.build((None, self.config["key_dim"] * (heads or 1)))
        return part

    def call(self, query: tf.Tensor, key: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """query (B, H, T, K), key (B, G, S, K) -> the same shapes."""
        check_pair(self.config["key_dim"], self.heads, query, key)
        H, G = self.heads
        if H is None:
            return self.query(query), self.key(key)
        return split(self.query(merge(query)), H), split(self.key(merge(key)), G)

    def compute_output_shape(self, query_shape, key_shape):
        return tuple(query_shape), tuple(key_shape)


@keras.saving.register_keras_serializable("attn_course")
class SinkSoftmax(Layer):
    """sigmoid(lse - b) * softmax(score): a head may attend to nothing."""

    def __init__(self, num_heads: int, **options: Any) -> None:
        super().__init__(**options)
        check_at_least(1, num_heads=num_heads)
        self.config = {"num_heads": num_heads}
        self.sink = self.add_weight(
            shape=(num_heads,), initializer="zeros", name="sink"
        )
        self.built = True

    def call(self, score: tf.Tensor, mask: Mask = None) -> tf.Tensor:
        """score (B, H, ..., S) -> weights, whose rows sum to less than 1."""
        check_score(score, mask, self.sink.shape[0])
        seen = score if mask is None else tf.where(mask, score, score.dtype.min)
        lse = tf.reduce_logsumexp(seen, -1, keepdims=True)
        shape = (-1, *[1] * (len(score.shape) - 2))
        sink = tf.reshape(tf.cast(self.sink, score.dtype), shape)
        return tf.sigmoid(lse - sink) * allowed_softmax(score, mask)

    def compute_output_shape(self, score_shape):
        return tuple(score_shape)


@keras.saving.register_keras_serializable("attn_course")
class CappedSoftmax(Layer):
    """softmax(cap * tanh(score / cap) + bias): no score beyond the cap."""

    takes_bias = True

    def __init__(self, cap: float, **options: Any) -> None:
        super().__init__(**options)
        check_positive(cap=cap)
        self.config = {"cap": cap}
        self.built = True

    def call(
        self, score: tf.Tensor, mask: Mask = None, bias: tf.Tensor | None = None
    ) -> tf.Tensor:
        """score (..., S), bias that broadcasts to it -> weights of score's shape."""
        check_score(score, mask)
        cap = self.config["cap"]
        capped = cap * tf.tanh(score / cap)
        capped = capped if bias is None else capped + tf.cast(bias, capped.dtype)
        return allowed_softmax(capped, mask)

    def compute_output_shape(self, score_shape):
        return tuple(score_shape)
