"""The model of the task in TensorFlow."""

from attn_course.core.frameworks import keras, tf
from attn_course.course.labs.stack import FF_DIM, HEADS, RATE, STEPS, WIDTH
from attn_course.course.training import tf as loop
from attn_course.tf import Encoder


class OddOne(keras.Model):
    """Sets of images (B, IMAGES, PIXELS) -> a score per image (B, IMAGES), weights.

    It knows no positions: in whatever order the images come, their scores are the same.
    """

    def __init__(self, num_layers, norm="pre"):
        super().__init__()
        self.embedding = keras.layers.Dense(WIDTH)
        self.encoder = Encoder(num_layers, WIDTH, HEADS, FF_DIM, norm=norm)
        self.score = keras.layers.Dense(1)

    def call(self, images):
        x, weights = self.encoder(self.embedding(images))
        return self.score(x)[..., 0], weights


def cross_entropy(model, given, answer):
    """Over the images of a set; and the share that is right."""
    logits, _ = model(given)
    found = tf.argmax(logits, axis=-1, output_type=answer.dtype)
    right = tf.reduce_mean(tf.cast(found == answer, logits.dtype))
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(answer, logits)
    return tf.reduce_mean(loss), right


def train(model, batches):
    """Train with Adam; returns the log, a loss and a share per line."""
    options = {"steps": STEPS, "rate": RATE, "clip": 1.0}
    return loop.train(model, batches, cross_entropy, **options)
