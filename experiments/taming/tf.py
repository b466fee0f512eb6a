"""The model of ``experiments.taming`` in TensorFlow."""

from attn_course import tf as in_tf
from attn_course.core.frameworks import keras, tf
from attn_course.course.training.tf import train as train
from experiments.taming import CAP, make_stack


class Watched(keras.layers.Layer):
    """Another softmax, and the largest score that it was given."""

    def __init__(self, kind):
        super().__init__()
        self.softmax = in_tf.CappedSoftmax(CAP) if kind == "cap" else None
        self.largest = 0.0
        self.built = True

    def call(self, score, mask=None):
        self.largest = tf.reduce_max(tf.abs(score))
        if self.softmax is not None:
            return self.softmax(score, mask)
        return tf.nn.softmax(tf.where(mask, score, score.dtype.min))


class Model(keras.Model):
    """Bytes (B, T) -> logits (B, T, 256): two layers, pre-norm, with RoPE."""

    def __init__(self, width, kind):
        super().__init__()
        self.watched = [Watched(kind) for _ in range(2)]
        start = keras.initializers.RandomNormal(stddev=1.0)  # PyTorch's
        self.embedding = keras.layers.Embedding(256, width, start)
        self.output_layer = keras.layers.Dense(256)
        self.encoder = make_stack(in_tf, width, kind, self.watched)

    def call(self, tokens):
        return self.output_layer(self.encoder(self.embedding(tokens), causal=True)[0])

    def largest(self):
        return tf.reduce_max([part.largest for part in self.watched])


def loss(model, tokens, targets):
    """The cross-entropy of the next byte, and the largest score."""
    logits = model(tokens)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
    return tf.reduce_mean(each), model.largest()
