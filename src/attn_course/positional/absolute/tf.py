"""Sinusoidal and learned positions in TensorFlow. Formulas: ``reference.py``."""

from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.positional.checks import check_reach, check_sequence
from attn_course.positional.frequencies import frequencies
from attn_course.shapes import check_at_least


def sinusoidal_encoding(length, dim, *, first_position=0, base=10000.0, dtype=None):
    """See ``attn_course.reference.sinusoidal_encoding``. A dtype of None is float32."""
    check_at_least(0, length=length)
    check_at_least(1, dim=dim)
    dtype = tf.float32 if dtype is None else tf.as_dtype(dtype)
    positions = tf.range(length) + first_position
    angle = position_angles(positions, dim, base=base, dtype=dtype)
    waves = tf.stack([tf.sin(angle), tf.cos(angle)], axis=-1)
    waves = tf.reshape(waves, (length, 2 * angle.shape[1]))
    return tf.cast(waves[:, :dim], dtype)


def position_angles(positions, dim, *, base, dtype):
    """See ``attn_course.positional.absolute.reference.position_angles``.

    In float32 or more: bfloat16 holds no odd position beyond 256.
    """
    wide = tf.float64 if dtype == tf.float64 else tf.float32
    steps = tf.constant(frequencies(dim, base), dtype=wide)
    return tf.cast(positions, wide)[..., None] * steps


@keras.saving.register_keras_serializable("attn_course")
class SinusoidalEncoding(Layer):
    """Add ``sinusoidal_encoding`` to every token; nothing is learned.

    A mask that Keras carries on x ends here: give it to the attention as an argument.

    Shapes:
        x (B, T, model_dim) -> (B, T, model_dim). first_position: where x begins, when
        its past stands in a cache.

    Raises:
        ValueError: x is not as above.
    """

    def __init__(self, model_dim, *, base=10000.0, **options):
        super().__init__(**options)
        check_at_least(1, model_dim=model_dim)
        self.model_dim, self.base = model_dim, base
        self.sizes = {"model_dim": model_dim, "base": base}
        self.built = True

    def call(self, x, *, first_position=0):
        check_sequence(x, self.model_dim)
        options = {"first_position": first_position, "base": self.base}
        options |= {"dtype": x.dtype}
        return x + sinusoidal_encoding(tf.shape(x)[1], self.model_dim, **options)


@keras.saving.register_keras_serializable("attn_course")
class LearnedEncoding(Layer):
    """Add a learned vector to every token: ``attn_course.reference.learned_encoding``.

    A mask that Keras carries on x ends here: give it to the attention as an argument.

    Shapes:
        x (B, T, model_dim) -> (B, T, model_dim). first_position: where x begins.

    Raises:
        ValueError: x is not as above, or ends after max_length.
    """

    def __init__(self, max_length, model_dim, **options):
        super().__init__(**options)
        check_at_least(1, max_length=max_length, model_dim=model_dim)
        self.max_length, self.model_dim = max_length, model_dim
        self.sizes = {"max_length": max_length, "model_dim": model_dim}
        # As small as BERT's and GPT-2's: the words are louder at first.
        start = keras.initializers.RandomNormal(stddev=0.02)
        self.weight = self.add_weight((max_length, model_dim), start, name="weight")
        self.built = True

    def call(self, x, *, first_position=0):
        check_sequence(x, self.model_dim)
        check_reach(x, first_position, self.max_length)
        rows = tf.range(tf.shape(x)[1]) + first_position
        return x + tf.cast(tf.gather(self.weight, rows), x.dtype)
