"""What the labs' models are made of in TensorFlow; see ``labs.pytorch``."""

from attn_course import tf as attn_tf
from attn_course.core.frameworks import keras, tf
from attn_course.course.training import tf as training


class Model(keras.Model):
    """The library's model, with its face, its training loop, and parts of models."""

    framework, library, face, loop = "tf", tf, attn_tf, training
    tensor, listed = staticmethod(tf.constant), staticmethod(list)
    mean = staticmethod(tf.reduce_mean)

    def length(self, x):
        """How many positions a tensor (B, T, ...) has, also in a graph."""
        return tf.shape(x)[1]

    def table(self, rows, width):
        """A vector for each token, normal numbers of variance 1."""
        start = keras.initializers.RandomNormal(stddev=1.0)
        return keras.layers.Embedding(rows, width, start)

    def linear(self, inputs, outputs, bias=True):
        """A linear map; Keras sees the width of its inputs by itself."""
        return keras.layers.Dense(outputs, use_bias=bias)

    def norm(self, width):
        """With PyTorch's epsilon."""
        return keras.layers.LayerNormalization(epsilon=1e-5)
