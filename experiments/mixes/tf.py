"""The model of ``experiments.mixes`` in TensorFlow."""

from attn_course import tf as in_tf
from attn_course.core.frameworks import keras, tf
from attn_course.course.training.tf import train as train
from experiments.mixes import ASK, KEYS, WIDTH, make_stack


class Model(keras.Model):
    """Symbols (B, T) -> logits (B, T, keys)."""

    def __init__(self, mix):
        super().__init__()
        start = keras.initializers.RandomNormal(stddev=1.0)  # PyTorch's
        self.embedding = keras.layers.Embedding(ASK + 1, WIDTH, start)
        self.output_layer = keras.layers.Dense(KEYS)
        self.encoder = make_stack(in_tf, mix)

    def call(self, tokens):
        x, _ = self.encoder(self.embedding(tokens), causal=True, need_weights=False)
        return self.output_layer(x)


def loss(model, tokens, wanted):
    """The cross-entropy of the keys that are asked for."""
    asked, keys = wanted >= 0, tf.maximum(wanted, 0)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(keys, model(tokens))
    return tf.reduce_mean(each[asked])


def guess(model, tokens):
    """The likeliest keys (B) at the last position."""
    return tf.argmax(model(tf.constant(tokens))[:, -1], axis=-1).numpy()
