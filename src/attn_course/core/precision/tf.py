"""See ``attn_course.core.precision``."""

from attn_course.core.frameworks import tf


def wide(dtype: tf.DType) -> tf.DType:
    """The dtype to compute in: float32, or float64 if that is given."""
    return tf.float64 if dtype == tf.float64 else tf.float32
