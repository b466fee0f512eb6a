"""What a mask is in TensorFlow, a tensor or an array, and a bias in less bits."""

from typing import Any

import numpy as np

from attn_course.core.frameworks import keras, tf

Mask = tf.Tensor | np.ndarray | None


def finite_cast(bias: Any, dtype: tf.DType) -> Any:
    """A bias in another dtype, where nothing finite becomes infinite and so blocks."""
    own, cast = tf.as_dtype(bias.dtype), keras.ops.cast(bias, dtype.name)
    if own.max <= dtype.max:
        return cast
    clipped = keras.ops.clip(cast, float(dtype.min), float(dtype.max))
    return keras.ops.where(keras.ops.isfinite(bias), clipped, cast)
