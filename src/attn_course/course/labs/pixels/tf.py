"""The writer of digits in TensorFlow."""

import math

from attn_course.core.frameworks import keras, tf
from attn_course.course.labs.pixels import (
    HEADS,
    LAYERS,
    LENGTH,
    LEVELS,
    RATE,
    WIDTH,
    batches,
    levels,
    rate_at,
    shifted,
)
from attn_course.course.training import tf as loop
from attn_course.tf import (
    Encoder,
    LearnedEncoding,
    LinearAttention,
    linear_attention_step,
    merge_heads,
    split_heads,
)


class Writer(keras.Model):
    """Pre-norm blocks over pixels, causal, with linear or softmax attention.

    Shapes:
        pixels (B, T) -> logits (B, T, LEVELS).
    """

    def __init__(self, attention="linear"):
        super().__init__()
        made = None
        if attention == "linear":
            made = lambda layer: LinearAttention(WIDTH, HEADS)  # noqa: E731
        start = keras.initializers.RandomNormal(stddev=1.0)  # PyTorch's
        self.embedding = keras.layers.Embedding(LEVELS + 1, WIDTH, start)
        self.position = LearnedEncoding(LENGTH, WIDTH)
        sizes = (LAYERS, WIDTH, HEADS, 4 * WIDTH)
        self.blocks = Encoder(*sizes, norm="pre", attention=made)
        self.output_layer = keras.layers.Dense(LEVELS)

    def call(self, pixels):
        x = self.position(self.embedding(pixels))
        x, _ = self.blocks(x, causal=True, need_weights=False)
        return self.output_layer(x)

    def step(self, state, pixel, position):
        """One pixel (B): logits (B, LEVELS) and the states of all layers."""
        x = self.embedding(pixel)[:, None]
        x, states = self.position(x, first_position=position), []
        for layer, old in zip(
            self.blocks.layers, state or [None] * LAYERS, strict=True
        ):
            own, inner = layer.attention, layer.norm1(x)
            heads = (
                split_heads(part(inner), HEADS)
                for part in (own.query_dense, own.key_dense, own.value_dense)
            )
            found, new = linear_attention_step(old, *heads)
            x = x + own.output_dense(merge_heads(found))
            x = x + layer.feed_forward(layer.norm2(x))
            states.append(new)
        return self.output_layer(self.blocks.final_norm(x))[:, 0], states


def train(model, digits, *, steps, seed=0, every=50):
    """Train with Adam on the cross-entropy; returns the log of the loss."""
    options = {"steps": steps, "rate": RATE, "every": every, "schedule": rate_at}
    return loop.train(model, batches(digits, seed=seed), _loss, clip=1.0, **options)


def _loss(model, pixels, targets):
    logits = model(pixels)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
    return tf.reduce_mean(each)


def score(model, digits):
    """Mean bits per pixel, and the share of pixels whose likeliest level is right."""
    pixels = levels(digits)
    logits, wanted = model(tf.constant(shifted(pixels))), tf.constant(pixels)
    nats = tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, logits)
    right = tf.reduce_mean(tf.cast(tf.argmax(logits, axis=-1) == wanted, tf.float64))
    return float(tf.reduce_mean(nats)) / math.log(2), float(right)


def step(model, state, pixel, position):
    """For ``write``: probabilities (B, LEVELS) of NumPy, and the next state."""
    logits, state = model.step(state, tf.constant(pixel), position)
    return tf.nn.softmax(logits).numpy(), state
