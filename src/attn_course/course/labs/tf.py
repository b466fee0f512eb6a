"""What the labs' models are made of in TensorFlow; see ``labs.pytorch``."""

from attn_course import tf as attn_tf
from attn_course.core.frameworks import keras, tf
from attn_course.course.training import tf as training


class Model(keras.Model):
    """The library's model; its face and its training loop; tables and linear maps."""

    face, loop = attn_tf, training
    tensor, mean = staticmethod(tf.constant), staticmethod(tf.reduce_mean)

    def table(self, rows, width):
        """A vector for each token, normal numbers of variance 1."""
        start = keras.initializers.RandomNormal(stddev=1.0)
        return keras.layers.Embedding(rows, width, start)

    def linear(self, inputs, outputs, bias=True):
        """A linear map; Keras sees the width of its inputs by itself."""
        return keras.layers.Dense(outputs, use_bias=bias)
