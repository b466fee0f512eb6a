"""The players of the game of pairs in TensorFlow."""

from attn_course.core.frameworks import keras, tf
from attn_course.course.labs.pairs import BATCH, MODEL_DIM, RATE, STATE_DIM, may_see
from attn_course.course.training import tf as loop
from attn_course.tasks.pairs import ANIMALS, NUMBERS, pairs
from attn_course.tf import SelfAttention


class Player(keras.Model):
    """One head of self-attention, or a GRU, over the cards; a residual; a linear map.

    Shapes:
        animals, numbers (B, T) -> logits (B, T, NUMBERS), weights (B, T, T) or None.
    """

    def __init__(self, reader):
        super().__init__()
        normal = {"embeddings_initializer": keras.initializers.RandomNormal(stddev=1)}
        self.animal = keras.layers.Embedding(len(ANIMALS), MODEL_DIM, **normal)
        self.number = keras.layers.Embedding(NUMBERS, MODEL_DIM, **normal)
        self.mask = self.attention = None
        if reader == "gru":
            gru = keras.layers.GRU(STATE_DIM, return_sequences=True)
            self.gru = keras.layers.Bidirectional(gru)
            self.merge = keras.layers.Dense(MODEL_DIM)
        else:
            sizes = {"key_dim": MODEL_DIM, "value_dim": MODEL_DIM}
            self.attention = SelfAttention(MODEL_DIM, **sizes)
            self.mask = may_see(reader)
        self.output_layer = keras.layers.Dense(NUMBERS)

    def call(self, animals, numbers):
        x = self.animal(animals) + self.number(numbers)
        if self.attention is None:
            mixed, weights = self.merge(self.gru(x)), None
        else:
            mixed, weights = self.attention(x, self.mask)
        return self.output_layer(x + mixed), weights


def train(model, *, steps, seed=0, every=50):
    """Train with Adam on the cross-entropy; returns the log: loss, share right."""
    data = pairs(BATCH, seed=seed)
    return loop.train(model, data, _loss, steps=steps, rate=RATE, every=every)


def _loss(model, animals, numbers, answer):
    return loop.scored(model(animals, numbers)[0], answer)


def guess(model, batch):
    """The likeliest number (B, T) of every card's twin."""
    logits, _ = model(tf.constant(batch.animals), tf.constant(batch.numbers))
    return tf.argmax(logits, axis=-1).numpy()
