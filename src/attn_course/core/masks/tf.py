"""What a mask is in TensorFlow: a tensor, or an array of NumPy."""

import numpy as np

from attn_course.core.frameworks import tf

Mask = tf.Tensor | np.ndarray | None
