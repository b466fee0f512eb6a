"""The players of the game of pairs in TensorFlow."""

from functools import partial

from attn_course.core.frameworks import keras
from attn_course.course.labs import pairs
from attn_course.course.labs.pairs import MODEL_DIM, STATE_DIM, may_see
from attn_course.course.training import tf as loop
from attn_course.tasks.pairs import ANIMALS, NUMBERS
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


train, guess = (partial(each, loop) for each in (pairs.train, pairs.guess))
