"""The pretrained encoder in TensorFlow."""

import math

from attn_course.core.frameworks import keras, tf
from attn_course.core.parity import set_parameters
from attn_course.tasks.reactions import (
    EMBEDDING_DIM,
    FF_DIM,
    HEADS,
    LAYERS,
    LONGEST,
    MODEL_DIM,
    load_vocabulary,
    load_weights,
)
from attn_course.tf import EncoderLayer

EPSILON = 1e-12  # of every norm, where our layers have 1e-5


class Albert(keras.layers.Layer):
    """One encoder layer, used twelve times, and narrow embeddings (Lan et al. 2020).

    Shapes:
        ids (B, T), mask (B, T), head_masks: one (H) or (B, H) per layer
        -> output (B, T, model_dim), the weights (B, H, T, T) of every layer.
        scores: output -> (B, T, tokens), for the token that was hidden.
    """

    def __init__(self):
        super().__init__()
        num_tokens = len(load_vocabulary())
        self.tokens = keras.layers.Embedding(num_tokens, EMBEDDING_DIM)
        self.positions = keras.layers.Embedding(LONGEST, EMBEDDING_DIM)
        self.kinds = keras.layers.Embedding(2, EMBEDDING_DIM)  # here all are of kind 0
        self.norm = keras.layers.LayerNormalization(epsilon=EPSILON)
        self.widen = keras.layers.Dense(MODEL_DIM)
        self.layer = EncoderLayer(MODEL_DIM, HEADS, FF_DIM, activation="gelu")
        self.layer.norm1.epsilon = self.layer.norm2.epsilon = EPSILON
        self.narrow = keras.layers.Dense(EMBEDDING_DIM)
        self.last_norm = keras.layers.LayerNormalization(epsilon=EPSILON)
        self.token_bias = self.add_weight(shape=(num_tokens,), name="token_bias")
        for table in (self.tokens, self.positions, self.kinds):
            table.build()
        for part in (self.norm, self.widen, self.last_norm):
            part.build((None, None, EMBEDDING_DIM))
        self.narrow.build((None, None, MODEL_DIM))
        self.built = True

    def call(self, ids, mask=None, head_masks=(None,) * LAYERS):
        places = tf.range(tf.shape(ids)[1])
        x = self.tokens(ids) + self.positions(places) + self.kinds.embeddings[0]
        x, weights = self.widen(self.norm(x)), []
        mask = None if mask is None else mask[:, None, None]
        for head_mask in head_masks:
            x, found = self.layer(x, mask, head_mask=head_mask)
            weights.append(found)
        return x, tuple(weights)

    def scores(self, output):
        x = self.narrow(output)
        x = x * (1 + tf.math.erf(x / math.sqrt(2))) / 2
        # The same table reads the answer that wrote the question.
        table = tf.convert_to_tensor(self.tokens.embeddings)
        return self.last_norm(x) @ tf.transpose(table) + self.token_bias


def albert():
    """The encoder with its trained weights.

    Raises:
        ValueError: the file of the weights is missing or damaged.
    """
    model = Albert()
    set_parameters(model, load_weights())
    return model
