"""Rotary positions in TensorFlow. Formulas: ``reference.py``."""

from attn_course.frameworks import keras, tf
from attn_course.keras_layer import Layer
from attn_course.positional.absolute.tf import position_angles
from attn_course.positional.checks import (
    LAYOUTS,
    check_pairs,
    check_rotary,
    check_rotation,
)
from attn_course.shapes import check_choice, shape_of


def rotate(x, positions, *, layout="half", base=10000.0):
    """See ``attn_course.reference.rotate``.

    Computed in float32 or more, returned in x's dtype.
    """
    positions = tf.convert_to_tensor(positions)
    check_rotation(x, positions)
    angle = position_angles(positions, x.shape[-1], base=base, dtype=x.dtype)
    first, second = _split(tf.cast(x, angle.dtype), layout)
    cosine, sine = tf.cos(angle), tf.sin(angle)
    turned = first * cosine - second * sine, first * sine + second * cosine
    return tf.cast(_join(*turned, layout), x.dtype)


def change_layout(x, *, to):
    """See ``attn_course.reference.change_layout``."""
    check_choice("to", to, LAYOUTS)
    check_pairs("the last axis of x", shape_of(x)[-1])
    return _join(*_split(x, "interleaved" if to == "half" else "half"), to)


@keras.saving.register_keras_serializable("attn_course")
class RotaryEncoding(Layer):
    """Rotate query and key, each by its positions; nothing is learned.

    Query i stands at i + S - T, key j at j: the last query on the last key.

    Shapes:
        query (..., T, key_dim), key (..., S, key_dim) -> the same shapes; their heads
        may differ in number. first_position: where the first key stands, when the
        keys before it were rotated and cached.

    Raises:
        ValueError: key_dim is odd, the layout unknown, or a shape not as above.
    """

    def __init__(self, key_dim, *, layout="half", base=10000.0, **options):
        super().__init__(**options)
        check_pairs("key_dim", key_dim)
        check_choice("layout", layout, LAYOUTS)
        self.key_dim, self.layout, self.base = key_dim, layout, base
        self.sizes = {"key_dim": key_dim, "layout": layout, "base": base}
        self.built = True

    def call(self, query, key, *, first_position=0):
        check_rotary(query, key, self.key_dim)
        T, S = tf.shape(query)[-2], tf.shape(key)[-2]
        options = {"layout": self.layout, "base": self.base}
        queries = tf.range(S - T, S) + first_position
        keys = tf.range(S) + first_position
        return rotate(query, queries, **options), rotate(key, keys, **options)


def _split(x, layout):
    """The first and the second column of every pair."""
    check_choice("layout", layout, LAYOUTS)
    if layout == "half":
        return tf.split(x, 2, axis=-1)
    return x[..., 0::2], x[..., 1::2]


def _join(first, second, layout):
    if layout == "half":
        return tf.concat([first, second], axis=-1)
    pairs = tf.stack([first, second], axis=-1)
    width = 2 * first.shape[-1]
    joined = tf.reshape(pairs, tf.concat([tf.shape(first)[:-1], [width]], axis=0))
    return tf.ensure_shape(joined, [*first.shape[:-1], width])
