"""The pretrained encoder of sentences in TensorFlow."""

from attn_course.core.frameworks import keras, tf
from attn_course.core.parity import set_parameters
from attn_course.tasks.minilm import (
    FF_DIM,
    HEADS,
    LAYERS,
    MODEL_DIM,
    encode,
    load_vocabulary,
    load_weights,
)
from attn_course.tf import Encoder

EPSILON = 1e-12  # of every norm, where our layers have 1e-5


class MiniLM(keras.layers.Layer):
    """BERT with six layers; a sentence is the mean of its tokens, at length 1.

    Shapes:
        ids (B, T), mask (B, T) -> (B, model_dim).
        layers: stop after so many; None: after all.
    """

    def __init__(self):
        super().__init__()
        self.tokens = keras.layers.Embedding(len(load_vocabulary()), MODEL_DIM)
        self.positions = keras.layers.Embedding(512, MODEL_DIM)
        self.kinds = keras.layers.Embedding(2, MODEL_DIM)  # here all are of kind 0
        self.norm = keras.layers.LayerNormalization(epsilon=EPSILON)
        sizes = LAYERS, MODEL_DIM, HEADS, FF_DIM
        self.encoder = Encoder(*sizes, activation="gelu")
        for layer in self.encoder.layers:
            layer.norm1.epsilon = layer.norm2.epsilon = EPSILON
        for table in (self.tokens, self.positions, self.kinds):
            table.build()
        self.norm.build((None, None, MODEL_DIM))
        self.built = True

    def call(self, ids, mask, layers=None):
        places = tf.range(tf.shape(ids)[1])
        x = self.tokens(ids) + self.positions(places) + self.kinds.embeddings[0]
        x, padding = self.norm(x), mask[:, None, None]
        for layer in self.encoder.layers[:layers]:
            x, _ = layer(x, padding, need_weights=False)
        real = tf.cast(mask, x.dtype)[..., None]
        mean = tf.reduce_sum(x * real, axis=1) / tf.reduce_sum(real, axis=1)
        return mean / tf.norm(mean, axis=-1, keepdims=True)


def minilm():
    """The encoder with its trained weights.

    Raises:
        ValueError: the weights have not been fetched.
    """
    model = MiniLM()
    set_parameters(model, load_weights())
    return model


def embed(model, texts, layers=None):
    """Texts -> one vector of length 1 each: an array (n, model_dim)."""
    ids, mask = encode(texts)
    return model(tf.constant(ids), tf.constant(mask), layers=layers).numpy()
