"""Biases from the distance of two positions in TensorFlow.

Formulas: ``reference.py``.
"""

from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.positional.bias.rules import bucket_table, head_slopes
from attn_course.shapes import check_at_least


def alibi_slopes(num_heads, *, dtype=None):
    """See ``attn_course.reference.alibi_slopes``. A dtype of None is float32."""
    dtype = tf.float32 if dtype is None else tf.as_dtype(dtype)
    return tf.constant(head_slopes(num_heads), dtype=dtype)


def alibi_bias(num_heads, T, S, *, dtype=None):
    """See ``attn_course.reference.alibi_bias``. A dtype of None is float32.

    Computed in float32 or more.
    """
    dtype = tf.float32 if dtype is None else tf.as_dtype(dtype)
    wide = tf.float64 if dtype == tf.float64 else tf.float32
    slopes = alibi_slopes(num_heads, dtype=wide)
    distance = tf.cast(tf.abs(key_distance(T, S)), wide)
    return tf.cast(-slopes[:, None, None] * distance, dtype)


def key_distance(T, S):
    """See ``attn_course.positional.bias.reference.key_distance``."""
    queries = tf.range(S - T, S)
    return tf.range(S) - queries[:, None]


def relative_buckets(T, S, *, num_buckets=32, max_distance=128, bidirectional=True):
    """See ``attn_course.reference.relative_buckets``."""
    options = {"num_buckets": num_buckets, "max_distance": max_distance}
    table = bucket_table(**options, bidirectional=bidirectional)
    return _look_up(tf.constant(table), T, S)


def _look_up(table, T, S):
    """The entry of every pair's distance; beyond the table's ends, the end's."""
    most = len(table) // 2
    distance = key_distance(T, S)
    return tf.gather(table, tf.clip_by_value(distance, -most, most) + most)


@keras.saving.register_keras_serializable("attn_course")
class AlibiBias(Layer):
    """The bias of ALiBi: ``attn_course.reference.alibi_bias``; nothing is learned.

    Shapes:
        T, S -> (1, H, T, S), in the layer's compute dtype.

    Raises:
        ValueError: num_heads is below 1.
    """

    def __init__(self, num_heads, **options):
        super().__init__(**options)
        check_at_least(1, num_heads=num_heads)
        self.num_heads = num_heads
        self.sizes = {"num_heads": num_heads}
        self._allow_non_tensor_positional_args = True  # T and S are whole numbers
        self.built = True

    def call(self, T, S):
        return alibi_bias(self.num_heads, T, S, dtype=self.compute_dtype)[None]


@keras.saving.register_keras_serializable("attn_course")
class RelativeBias(Layer):
    """The bias of T5: ``attn_course.reference.relative_bias``.

    Shapes:
        T, S -> (1, H, T, S), in the layer's compute dtype.

    Raises:
        ValueError: a size is not as ``relative_buckets`` demands.
    """

    def __init__(
        self,
        num_heads,
        *,
        num_buckets=32,
        max_distance=128,
        bidirectional=True,
        **options,
    ):
        super().__init__(**options)
        check_at_least(1, num_heads=num_heads)
        self.sizes = {"num_buckets": num_buckets, "max_distance": max_distance}
        self.sizes |= {"bidirectional": bidirectional}
        self.table = bucket_table(**self.sizes)
        self.sizes |= {"num_heads": num_heads}
        start = keras.initializers.RandomNormal(stddev=0.02)
        self.weight = self.add_weight((num_buckets, num_heads), start, name="weight")
        self._allow_non_tensor_positional_args = True  # T and S are whole numbers
        self.built = True

    def call(self, T, S):
        bias_TSH = tf.gather(self.weight, _look_up(self.table, T, S))
        return tf.cast(tf.transpose(bias_TSH, (2, 0, 1))[None], self.compute_dtype)
