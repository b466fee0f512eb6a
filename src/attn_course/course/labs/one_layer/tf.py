"""The model of ``attn_course.course.labs.one_layer`` in TensorFlow."""

from functools import partial

from attn_course import tf as face
from attn_course.core.frameworks import keras, tf
from attn_course.course.labs import one_layer
from attn_course.course.labs.positions import rate_at
from attn_course.course.training import tf as loop
from attn_course.tf import EncoderLayer

make_attention = partial(one_layer.make_attention, face)


class Echo(keras.Model):
    """Tokens (B, T) -> logits (B, T, symbols), and the weights (B, 1, T, T)."""

    def __init__(self, symbols, width, kind="plain"):
        super().__init__()
        start = keras.initializers.RandomNormal(stddev=1.0)  # PyTorch's
        self.embedding = keras.layers.Embedding(symbols, width, start)
        attention = make_attention(kind, width)
        options = {"norm": "pre", "attention": attention}
        self.layer = EncoderLayer(width, 1, 4 * width, **options)
        self.output_layer = keras.layers.Dense(symbols)

    def call(self, tokens, mask=None):
        x = self.embedding(tokens)
        x, weights = self.layer(x, mask=mask, causal=True)
        return self.output_layer(x), weights

    def added(self, tokens, mask=None):
        """The length (B, T) of what the attention adds to each position."""
        x = self.layer.norm1(self.embedding(tokens))
        found, _ = self.layer.attention(x, mask=mask, causal=True)
        return tf.norm(found, axis=-1)


def train(kind, seed, steps=one_layer.STEPS):
    """A trained model of one kind."""
    keras.utils.set_random_seed(seed)
    model = Echo(**one_layer.SIZES, kind=kind)
    options = {"rate": one_layer.RATE, "clip": 1.0, "schedule": rate_at}
    loop.train(model, one_layer.batches(seed), loss, steps=steps, **options)
    return model


def loss(model, tokens, targets):
    """The cross-entropy of the next symbol."""
    return loop.class_loss(model(tokens)[0], targets)


measured = partial(one_layer.measured, loop)
