"""The reader of sentences in TensorFlow."""

from attn_course.core.frameworks import keras, tf
from attn_course.course.labs.pronoun import BATCH, RATE, SPREAD, WIDTH
from attn_course.course.training import tf as loop
from attn_course.tasks.pronoun import IT, WORDS, batches
from attn_course.tf import SelfAttention, scaled_dot_product_attention


class Reader(keras.Model):
    """Two layers of self-attention; the second copies words.

    Shapes:
        words (B, T) -> shares (B, T, len(WORDS)), weights, two of (B, T, T).
    """

    def __init__(self, mask, *, residual=True):
        super().__init__()
        normal = keras.initializers.RandomNormal(stddev=SPREAD)
        self.embedding = keras.layers.Embedding(len(WORDS), WIDTH, normal)
        self.first = SelfAttention(WIDTH, key_dim=WIDTH, value_dim=WIDTH)
        self.query = keras.layers.Dense(WIDTH, use_bias=False)
        self.key = keras.layers.Dense(WIDTH, use_bias=False)
        self.mask, self.residual = mask, residual

    def call(self, words):
        x = self.embedding(words)
        mixed, first = self.first(x, self.mask)
        x = x + mixed if self.residual else mixed
        names = tf.one_hot(words, len(WORDS), dtype=x.dtype)
        query, key = self.query(x), self.key(x)
        copied, second = scaled_dot_product_attention(query, key, names)
        return copied, (first, second)


def train(model, *, steps, seed=0, every=20):
    """Train with Adam on the share that the right word gets; returns the log."""
    data = batches(BATCH, seed=seed)
    return loop.train(model, data, _loss, steps=steps, rate=RATE, every=every)


def _loss(model, words, answer):
    copied, _ = model(words)
    share = tf.gather(copied[:, IT], answer, batch_dims=1)
    return -tf.reduce_mean(tf.math.log(share))


def guess(model, words):
    """What "it" copies most, as a place in `WORDS` (B), and the weights."""
    copied, weights = model(tf.constant(words))
    return tf.argmax(copied[:, IT], axis=-1).numpy(), [w.numpy() for w in weights]
