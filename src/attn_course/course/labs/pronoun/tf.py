"""The reader of sentences in TensorFlow."""

from attn_course.core.frameworks import keras, tf
from attn_course.course.labs import pronoun
from attn_course.course.labs.pronoun import SPREAD, guess as guess, train as train
from attn_course.course.labs.tf import Model
from attn_course.tasks.pronoun import IT, WORDS


class Reader(pronoun.Reader, Model):
    def table(self, rows, width):
        """Smaller numbers than usual."""
        normal = keras.initializers.RandomNormal(stddev=SPREAD)
        return keras.layers.Embedding(rows, width, normal)

    def one_hot(self, words, dtype):
        """The words themselves: 1 at their place in `WORDS`."""
        return tf.one_hot(words, len(WORDS), dtype=dtype)

    def loss_of(self, words, answer):
        """How unlikely the right word is."""
        copied, _ = self(words)
        share = tf.gather(copied[:, IT], answer, batch_dims=1)
        return -tf.reduce_mean(tf.math.log(share))
