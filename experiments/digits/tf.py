"""The readers of digits in TensorFlow."""

from attn_course.core.frameworks import keras, tf
from attn_course.course.training import tf as loop
from attn_course.tf import FeatureMapAttention, IntraAttentionLSTM
from experiments.digits import (
    ATTENTION_DIM,
    CHANNELS,
    HIDDEN_DIM,
    KEY_DIM,
    RATE,
    batches,
    may_look,
)


class PixelReader(keras.Model):
    """One convolution of 3 by 3, attention over its map, a mean over all pixels.

    Shapes:
        images (B, 8, 8) -> logits (B, 10), weights (B, 64, 64) or None.
    """

    def __init__(self, look):
        super().__init__()
        self.look = look
        self.convolution = keras.layers.Conv2D(CHANNELS, 3, padding="same")
        self.attention = None
        if look != "none":
            sizes = {"key_dim": KEY_DIM, "value_dim": CHANNELS}
            self.attention = FeatureMapAttention(CHANNELS, **sizes)
        self.output_layer = keras.layers.Dense(10)

    def call(self, images, need_weights=False):
        features = tf.nn.relu(self.convolution(images[..., None]))
        weights = None
        if self.attention is not None:
            mask = may_look(self.look, features.shape[1] * features.shape[2])
            options = {"need_weights": need_weights}
            features, weights = self.attention(features, mask, **options)
            features = tf.nn.relu(features)
        return self.output_layer(tf.reduce_mean(features, axis=(1, 2))), weights


class RowReader(keras.Model):
    """Eight rows in turn, by an LSTM that attends to its past or by a plain one.

    Shapes:
        images (B, 8, 8) -> logits (B, 10), weights (B, 8, 8) or None.
    """

    def __init__(self, attends):
        super().__init__()
        self.attends = attends
        if attends:
            self.reader = IntraAttentionLSTM(8, HIDDEN_DIM, attention_dim=ATTENTION_DIM)
        else:
            self.reader = keras.layers.LSTM(HIDDEN_DIM, return_sequences=True)
        self.output_layer = keras.layers.Dense(10)

    def call(self, images):
        found = self.reader(images)
        states, weights = found if self.attends else (found, None)
        return self.output_layer(states[:, -1]), weights


def train(model, digits, *, steps, seed=0, every=40):
    """Train with Adam on the cross-entropy; returns the log of the loss."""
    data = batches(digits, seed=seed)
    return loop.train(model, data, _loss, steps=steps, rate=RATE, every=every)


def _loss(model, images, labels):
    logits, _ = model(images)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    return tf.reduce_mean(each)


def accuracy(model, digits):
    """The share of images whose digit is the likeliest."""
    logits, _ = model(tf.constant(digits.images))
    return (tf.argmax(logits, axis=-1).numpy() == digits.labels).mean()
