"""The look-up model and the date model in TensorFlow."""

from attn_course.core.frameworks import keras, tf
from attn_course.course.labs import heads
from attn_course.course.labs.heads import (
    LOOK_UP_BATCH,
    MODEL_DIM,
    RATE,
    fill_in as fill_in,
    hidden,
)
from attn_course.course.labs.tf import Model
from attn_course.course.training import tf as loop
from attn_course.tasks.look_up import (
    ASKED,
    SEVERAL_NAMES,
    SEVERAL_VALUES,
    several_look_ups,
)
from attn_course.tasks.text import PAD
from attn_course.tf import MultiHeadAttention


class LookUpModel(keras.Model):
    """Answers a question for several names with one multi-head attention.

    Shapes:
        names (B, S), values (B, S), asked (B, A) -> logits (B, A, values),
        weights (B, num_heads, 1, S) or None.
    """

    def __init__(self, num_heads, num_asked=ASKED):
        super().__init__()
        self.names = _embedding(SEVERAL_NAMES)
        self.values = _embedding(SEVERAL_VALUES)
        # One vector a name for each place in the question.
        self.asked = _embedding(num_asked * SEVERAL_NAMES)
        self.attention = MultiHeadAttention(MODEL_DIM, num_heads)
        self.output_layer = keras.layers.Dense(num_asked * SEVERAL_VALUES)

    def call(self, names, values, asked, head_mask=None, need_weights=False):
        places = SEVERAL_NAMES * tf.range(asked.shape[1], dtype=asked.dtype)
        question = tf.reduce_sum(self.asked(asked + places), axis=1, keepdims=True)
        memory = self.names(names) + self.values(values)
        options = {"head_mask": head_mask, "need_weights": need_weights}
        found, weights = self.attention(question, memory, **options)
        logits = self.output_layer(found[:, 0])
        return tf.reshape(logits, [tf.shape(asked)[0], -1, SEVERAL_VALUES]), weights


def train_look_up(model, *, steps, seed=0, every=100, asked=ASKED):
    """Train with Adam; returns the share of right values, of every 100 steps."""
    questions = several_look_ups(LOOK_UP_BATCH, seed=seed, asked=asked)
    options = {"steps": steps, "rate": RATE, "every": every}
    return [line.score for line in loop.train(model, questions, _right, **options)]


def _right(model, names, values, asked, answer):
    """The cross-entropy, and the share of right values."""
    return loop.scored(model(names, values, asked)[0], answer)


class DateModel(heads.DateModel, Model):
    pass


def losses(model, tokens, mask, missing, head_masks=None):
    """The sum of the cross-entropy over the hidden characters of each row: (B)."""
    logits, _ = model(tokens, mask, head_masks)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(missing, logits)
    return tf.reduce_sum(tf.where(missing == PAD, 0.0, each), axis=1)


def train(model, batches, *, steps, seed=0, every=50):
    """Train with Adam to fill in hidden characters; returns the log of the loss."""
    data = hidden(batches, seed=seed)
    return loop.train(model, data, _mean_loss, steps=steps, rate=RATE, every=every)


def _mean_loss(model, tokens, mask, missing):
    count = tf.reduce_sum(tf.cast(missing != PAD, tf.float32))
    return tf.reduce_sum(losses(model, tokens, mask, missing)) / count


def _embedding(rows):
    normal = keras.initializers.RandomNormal(stddev=1.0)  # as PyTorch begins
    return keras.layers.Embedding(rows, MODEL_DIM, normal)
