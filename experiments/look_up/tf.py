"""The learned look-up in TensorFlow."""

import numpy as np

from attn_course.core.frameworks import keras, tf
from attn_course.course.training import tf as loop
from attn_course.mechanisms.dot_product.tf import scaled_dot_product_attention
from attn_course.tasks.look_up import look_ups
from experiments.look_up import BATCH, RATE, start


def look(parameters, names, values, asked, *, scale):
    """The logits (B, values) of what is kept under the name that is asked for."""
    query = tf.gather(parameters["query"], asked)[:, None]
    key = tf.gather(parameters["key"], names)
    value = tf.gather(parameters["value"], values)
    found, _ = scaled_dot_product_attention(query, key, value, scale=scale)
    return found[:, 0] @ parameters["output"]


def train(scale, *, width, steps, seed=0, rate=RATE, every=50):
    """Share of right answers while it learns, one number for every ``every`` steps."""
    model = keras.layers.Layer()
    model.learned = {
        k: keras.Variable(x, name=k) for k, x in start(width, seed).items()
    }

    def right(model, *question):
        *question, answer = question
        logits = look(model.learned, *question, scale=scale)
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(answer, logits)
        guess = tf.argmax(logits, axis=-1)
        return tf.reduce_mean(each), tf.reduce_mean(
            tf.cast(guess == answer, tf.float32)
        )

    options = {"steps": steps, "rate": rate, "every": every}
    log = loop.train(model, look_ups(BATCH, seed=seed), right, **options)
    return np.array([line.score for line in log])
