"""The model of ``experiments.associative`` in TensorFlow."""

from attn_course import tf as face
from attn_course.core.frameworks import keras, tf
from attn_course.course.training import tf as loop
from attn_course.mechanisms.delta_rule.tf import unit
from experiments.associative import MODEL_DIM, attention
from experiments.tasks.recall import NAMES, UNKNOWN, VALUES

__all__ = ["Memory", "guess", "loop", "loss"]


class Memory(keras.Model):
    """Names and values (B, T) -> logits (B, T, VALUES)."""

    def __init__(self, memory, key_dim):
        super().__init__()
        start = keras.initializers.RandomNormal(stddev=1.0)  # PyTorch's
        self.written = keras.layers.Embedding(NAMES, MODEL_DIM, start)
        start = keras.initializers.RandomNormal(stddev=1.0)
        self.value = keras.layers.Embedding(UNKNOWN + 1, MODEL_DIM, start)
        self.attention = attention(face, unit, memory, key_dim)
        self.bias = face.AlibiBias(4) if "ALiBi" in memory else None
        self.output_layer = keras.layers.Dense(VALUES)

    def call(self, names, values):
        x = self.written(names) + self.value(values)
        options = {"causal": True, "need_weights": False}
        if self.bias is not None:
            options["bias"] = self.bias(*2 * [tf.shape(x)[1]])
        found, _ = self.attention(x, **options)
        return self.output_layer(found)


def loss(model, names, values, answer, old):
    """The cross-entropy of what is asked for, and the share that is right."""
    logits = model(names, values)[:, -tf.shape(answer)[1] :]
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(answer, logits)
    right = tf.argmax(logits, axis=-1) == answer
    return tf.reduce_mean(each), tf.reduce_mean(tf.cast(right, "float32"))


def guess(model, names, values):
    """The likeliest values (B, T)."""
    return tf.argmax(model(tf.constant(names), tf.constant(values)), axis=-1).numpy()
