"""Attention by distance in TensorFlow. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.tf import AttentionLayer, Layer
from attn_course.core.masks.tf import Mask
from attn_course.core.precision.tf import wide
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.dot_product.shared import with_bias
from attn_course.mechanisms.dot_product.tf import allowed_keys, allowed_softmax
from attn_course.mechanisms.relative.shared import (
    RelativeSizes,
    bucket_table,
    head_slopes,
)

__all__ = [
    "AlibiBias",
    "RelativeAttention",
    "RelativeBias",
    "alibi_bias",
    "alibi_slopes",
    "relative_buckets",
]


def alibi_slopes(num_heads: int, *, dtype: Any = None) -> tf.Tensor:
    """See ``attn_course.reference.alibi_slopes``. A dtype of None is float32."""
    dtype = tf.float32 if dtype is None else tf.as_dtype(dtype)
    return tf.constant(head_slopes(num_heads), dtype=dtype)


def alibi_bias(
    num_heads: int,
    T: Any,
    S: Any,
    *,
    dtype: Any = None,
) -> tf.Tensor:
    """See ``attn_course.reference.alibi_bias``. A dtype of None is float32.

    Computed in float32 or more.
    """
    dtype = tf.float32 if dtype is None else tf.as_dtype(dtype)
    own = wide(dtype)
    slopes = alibi_slopes(num_heads, dtype=own)
    distance = tf.cast(tf.abs(key_distance(T, S)), own)
    return tf.cast(-slopes[:, None, None] * distance, dtype)


def key_distance(T: Any, S: Any) -> tf.Tensor:
    """See ``attn_course.mechanisms.relative.reference.key_distance``."""
    check_at_least(0, T=T, S=S)
    queries = tf.range(S - T, S)
    return tf.range(S) - queries[:, None]


def relative_buckets(
    T: Any,
    S: Any,
    *,
    num_buckets: int = 32,
    max_distance: int = 128,
    bidirectional: bool = True,
) -> tf.Tensor:
    """See ``attn_course.reference.relative_buckets``."""
    table = bucket_table(num_buckets, max_distance, bidirectional)
    return _look_up(tf.constant(table), T, S)


def _look_up(table, T, S):
    """The entry of every pair's distance; beyond the table's ends, the end's."""
    most = len(table) // 2
    distance = key_distance(T, S)
    return tf.gather(table, tf.clip_by_value(distance, -most, most) + most)


@keras.saving.register_keras_serializable("attn_course")
class AlibiBias(Layer):
    """The bias of ALiBi: ``attn_course.reference.alibi_bias``; nothing is learned.

    Raises:
        ValueError: num_heads is below 1, or T or S negative.
    """

    def __init__(self, num_heads: int, **options: Any) -> None:
        super().__init__(**options)
        check_at_least(1, num_heads=num_heads)
        self.num_heads = num_heads
        self.config = {"num_heads": num_heads}
        self._allow_non_tensor_positional_args = True  # T and S are whole numbers
        self.built = True

    def call(self, T: Any, S: Any) -> tf.Tensor:
        """T queries, S keys -> (1, num_heads, T, S), in the layer's compute dtype."""
        return alibi_bias(self.num_heads, T, S, dtype=self.compute_dtype)[None]


@keras.saving.register_keras_serializable("attn_course")
class RelativeBias(Layer):
    """The bias of T5: ``attn_course.reference.relative_bias``.

    Raises:
        ValueError: a size is not as ``relative_buckets`` demands, or T or S negative.
    """

    def __init__(
        self,
        num_heads: int,
        *,
        num_buckets: int = 32,
        max_distance: int = 128,
        bidirectional: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        check_at_least(1, num_heads=num_heads)
        self.table = bucket_table(num_buckets, max_distance, bidirectional)
        self.config = {"num_heads": num_heads, "num_buckets": num_buckets}
        self.config |= {"max_distance": max_distance, "bidirectional": bidirectional}
        start = keras.initializers.RandomNormal(stddev=0.02)
        self.weight = self.add_weight((num_buckets, num_heads), start, name="weight")
        self._allow_non_tensor_positional_args = True  # T and S are whole numbers
        self.built = True

    def call(self, T: Any, S: Any) -> tf.Tensor:
        """T queries, S keys -> (1, num_heads, T, S), in the layer's compute dtype."""
        bias_TSH = tf.gather(self.weight, _look_up(self.table, T, S))
        return tf.cast(tf.transpose(bias_TSH, (2, 0, 1))[None], self.compute_dtype)


def attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    far_key: tf.Tensor,
    far_value: tf.Tensor,
    mask: Mask = None,
    *,
    bias: tf.Tensor | None = None,
    scale: float | None = None,
    softmax: Callable | None = None,
    dropout: Callable | None = None,
) -> tuple[tf.Tensor, tf.Tensor]:
    """The formula, equations 3 and 4: softmax(Q (K + A)^T / sqrt(d)) (V + A').

    far_key A (T, S, K) and far_value A' (T, S, V): a vector per pair of positions.
    """
    query = (query.shape[-1] ** -0.5 if scale is None else scale) * query
    score = tf.matmul(query, key, transpose_b=True)
    score = score + tf.einsum("bhtk,tsk->bhts", query, far_key)
    if bias is not None:
        score = score + tf.cast(bias, score.dtype)
    weights = (softmax or allowed_softmax)(score, mask)
    used = weights if dropout is None else dropout(weights)
    return used @ value + tf.einsum("bhts,tsv->bhtv", used, far_value), weights


@keras.saving.register_keras_serializable("attn_course")
class RelativeAttention(AttentionLayer):
    """Relative attention: ``attn_course.reference.relative_attention``.

    Multi-head attention with a bias that the query chooses, query[t] . relative_key[r],
    and with the vectors of the distances added to the values. What it is called with:
    ``AttentionLayer``. Both tables have a row for every distance from -max_distance to
    max_distance, and all heads share them.

    Raises:
        ValueError: max_distance is negative, or a size not as ``AttentionLayer`` says.
    """

    Sizes = RelativeSizes
    own_softmax = own_scale = reads_positions = True

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        max_distance: int,
        use_bias: bool = False,
        **options: Any,
    ) -> None:
        options |= {"use_bias": use_bias, "own": {"max_distance": max_distance}}
        super().__init__(model_dim, num_heads, **options)
        widths = self.sizes.key_dim, self.sizes.value_dim
        rows = 2 * max_distance + 1
        self.relative_key = self.add_weight((rows, widths[0]), name="relative_key")
        self.relative_value = self.add_weight((rows, widths[1]), name="relative_value")

    def attend(self, query, key, value, mask, *, bias, causal, need_weights, **options):
        mask = allowed_keys(query, key, mask, bias=bias, causal=causal)
        softmax, bias = with_bias(options.pop("softmax", None), bias)
        most = self.sizes.max_distance
        distance = key_distance(tf.shape(query)[2], tf.shape(key)[2])
        rows = tf.clip_by_value(distance, -most, most) + most
        tables = self.relative_key, self.relative_value
        far = [tf.gather(table, rows) for table in tables]
        inputs = [tf.cast(x, wide(query.dtype)) for x in (query, key, value, *far)]
        options |= {"softmax": softmax, "bias": bias}
        context, weights = attention(*inputs, mask, **options)
        weights = tf.cast(weights, query.dtype) if need_weights else None
        return tf.cast(context, query.dtype), weights
