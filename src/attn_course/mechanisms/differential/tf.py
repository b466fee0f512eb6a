"""Differential attention in TensorFlow: the formula, then what is called."""

from collections.abc import Callable
from typing import Any

from attn_course.core.chunked.tf import widen
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.tf import AttentionLayer
from attn_course.core.masks.tf import Mask
from attn_course.mechanisms.differential.shared import (
    EPSILON,
    INITIAL,
    SPREAD,
    DifferentialSizes,
    check_differential,
)
from attn_course.mechanisms.dot_product.tf import dot_product

__all__ = ["DifferentialAttention", "differential_attention"]


def learned_factor(lambda_query, lambda_key, lambda_init):
    """exp(query[0] . key[0]) - exp(query[1] . key[1]) + lambda_init, a number."""
    first, second = tf.unstack(tf.exp(tf.reduce_sum(lambda_query * lambda_key, -1)))
    return first - second + lambda_init


def difference(query, key, value, mask, factor, **options):
    """The formula: softmax(Q_1 K_1^T) V - factor softmax(Q_2 K_2^T) V, and weights."""
    halves = zip(tf.split(query, 2, axis=-1), tf.split(key, 2, axis=-1), strict=True)
    (context, weights), (noise, other) = (
        dot_product(q, k, value, mask, **options) for q, k in halves
    )
    weights = None if weights is None else weights - factor * other
    return context - factor * noise, weights


def differential_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Mask = None,
    *,
    lambda_query: tf.Tensor,
    lambda_key: tf.Tensor,
    lambda_init: float = INITIAL,
    epsilon: float = EPSILON,
    bias: tf.Tensor | None = None,
    scale: float | None = None,
    causal: bool = False,
    need_weights: bool = True,
    softmax: Callable | None = None,
) -> tuple[tf.Tensor, tf.Tensor | None]:
    """See ``attn_course.reference.differential_attention``.

    Computed in float32 or more. bias, scale and softmax are those of both softmaxes.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    heads, dtype = (query, key, value), query.dtype
    lambdas = {"lambda_query": lambda_query, "lambda_key": lambda_key}
    check_differential(heads, mask, lambdas, lambda_init, epsilon, bias)
    query, key, value = widen(*heads)
    vectors = (tf.cast(x, query.dtype) for x in lambdas.values())
    options = {"bias": bias, "scale": scale, "causal": causal, "softmax": softmax}
    options["need_weights"] = need_weights
    factor = learned_factor(*vectors, lambda_init)
    context, weights = difference(query, key, value, mask, factor, **options)
    context = keras.ops.rms_normalization(context, epsilon=epsilon)
    weights = None if weights is None else tf.cast(weights, dtype)
    return tf.cast((1 - lambda_init) * context, dtype), weights


@keras.saving.register_keras_serializable("attn_course")
class DifferentialAttention(AttentionLayer):
    """Layer of ``differential_attention``: two softmaxes of half a head's width.

    query_key_norm, rotary: of the halves, 2 H heads of key_dim / 2 columns. No dropout.

    Raises:
        ValueError: key_dim is odd, lambda_init no share, or another size is wrong.
    """

    Sizes = DifferentialSizes
    can_drop = False
    own_softmax = own_scale = True

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        lambda_init: float = INITIAL,
        epsilon: float = EPSILON,
        **options: Any,
    ) -> None:
        own = {"lambda_init": lambda_init, "epsilon": epsilon}
        super().__init__(model_dim, num_heads, own=own, **options)
        shape = 2, self.sizes.key_dim // 2
        self.lambda_query = self.vectors("lambda_query", shape)
        self.lambda_key = self.vectors("lambda_key", shape)

    def vectors(self, name, shape):
        """Drawn so that the factor begins close to lambda_init."""
        draw = keras.initializers.RandomNormal(stddev=SPREAD)
        return self.add_weight(name=name, shape=shape, initializer=draw)

    def prepare(self, query, key, **position):
        """Norm and positions of each half, as of heads of their own."""
        halves = (tf.concat(tf.split(x, 2, axis=-1), axis=1) for x in (query, key))
        prepared = super().prepare(*halves, **position)
        query, key = (tf.concat(tf.split(x, 2, axis=1), axis=-1) for x in prepared)
        return query, key

    def attend(self, query, key, value, mask, *, dropout, **options):
        check_supported("DifferentialAttention", dropout=dropout)
        names = ("lambda_query", "lambda_key")
        options |= {name: getattr(self, name) for name in names}
        options["lambda_init"] = self.sizes.lambda_init
        options["epsilon"] = self.sizes.epsilon
        return differential_attention(query, key, value, mask, **options)
