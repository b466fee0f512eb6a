"""Positional encodings in TensorFlow. Formulas: ``reference.py``."""

import math
from typing import Any

import numpy as np

from attn_course.core.chunked.tf import by_turns
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.tf import Layer
from attn_course.core.precision.tf import wide
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.parts.lengthening.tf import rotary_frequencies
from attn_course.mechanisms.parts.positional.shared import (
    Layout,
    check_reach,
    check_rotary,
    check_rotation,
    check_sequence,
    check_turns,
    check_waves,
    frequencies,
    other_layout,
)

__all__ = [
    "LearnedEncoding",
    "RotaryEncoding",
    "SinusoidalEncoding",
    "change_layout",
    "rotate",
    "sinusoidal_encoding",
]


Waves = tuple[tf.Tensor, tf.Tensor]


def sinusoidal_encoding(
    length: Any,
    dim: int,
    *,
    first_position: Any = 0,
    base: float = 10000.0,
    dtype: Any = None,
) -> tf.Tensor:
    """See ``attn_course.reference.sinusoidal_encoding``. A dtype of None is float32."""
    check_waves(length, dim, base)
    options = {"first_position": first_position, "base": base, "dtype": dtype}
    return sinusoids(length, dim, **options)


def sinusoids(length, dim, *, first_position=0, base=10000.0, dtype=None):
    """``sinusoidal_encoding`` of what was checked."""
    dtype = tf.float32 if dtype is None else tf.as_dtype(dtype)
    positions = tf.range(length) + first_position
    angle = position_angles(positions, dim, base=base, dtype=dtype)
    waves = tf.stack([tf.sin(angle), tf.cos(angle)], axis=-1)
    waves = tf.reshape(waves, (length, 2 * angle.shape[1]))
    return tf.cast(waves[:, :dim], dtype)


def position_angles(
    positions: tf.Tensor, dim: int, *, base: float, dtype: Any, steps: Any = None
) -> tf.Tensor:
    """See ``attn_course.mechanisms.parts.positional.reference.position_angles``.

    In float32 or more: bfloat16 holds no odd position beyond 256. Whole turns are taken
    off in float64: float32 knows the angle of a position beyond 100,000 to 0.004 alone.
    (TFLite, which lacks it, takes positions of a length that is known.)
    """
    own = wide(dtype)
    steps = frequencies(dim, base) if steps is None else steps
    steps = steps if tf.is_tensor(steps) else np.asarray(steps)
    angle = tf.cast(positions, tf.float64)[..., None] * tf.cast(steps, tf.float64)
    return tf.cast(angle - 2 * math.pi * tf.round(angle / (2 * math.pi)), own)


@keras.saving.register_keras_serializable("attn_course")
class SinusoidalEncoding(Layer):
    """Add ``sinusoidal_encoding`` to every token; nothing is learned.

    Raises:
        ValueError: model_dim is below 1, base not above 0, or x of another shape.
    """

    hands_on_padding = True

    def __init__(
        self, model_dim: int, *, base: float = 10000.0, **options: Any
    ) -> None:
        super().__init__(**options)
        check_waves(0, model_dim, base, "model_dim")
        self.model_dim, self.base = model_dim, base
        self.config = {"model_dim": model_dim, "base": base}
        self.built = True

    def call(self, x: tf.Tensor, *, first_position: Any = 0) -> tf.Tensor:
        """x (B, T, model_dim) -> the same shape; x begins at first_position."""
        check_sequence(x, self.model_dim)
        options = {"first_position": first_position, "base": self.base}
        options |= {"dtype": x.dtype}
        return x + sinusoids(tf.shape(x)[1], self.model_dim, **options)

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return x_shape


@keras.saving.register_keras_serializable("attn_course")
class LearnedEncoding(Layer):
    """Add a learned vector to every token: ``attn_course.reference.learned_encoding``.

    Differs: where the length is unknown until a compiled graph runs, XLA can raise
        nothing: positions from max_length on become NaN.

    Raises:
        ValueError: a size is below 1, x not as ``call`` says, or its end beyond
            max_length.
    """

    hands_on_padding = True

    def __init__(self, max_length: int, model_dim: int, **options: Any) -> None:
        super().__init__(**options)
        check_at_least(1, max_length=max_length, model_dim=model_dim)
        self.max_length, self.model_dim = max_length, model_dim
        self.config = {"max_length": max_length, "model_dim": model_dim}
        # As small as BERT's and GPT-2's: the words are louder at first.
        start = keras.initializers.RandomNormal(stddev=0.02)
        self.weight = self.add_weight((max_length, model_dim), start, name="weight")
        self.built = True

    def call(self, x: tf.Tensor, *, first_position: Any = 0) -> tf.Tensor:
        """x (B, T, model_dim) -> the same shape; x begins at first_position."""
        check_reach(x, self.model_dim, first_position, self.max_length)
        rows = tf.range(tf.shape(x)[1]) + first_position
        learned = tf.gather(self.weight, rows)
        if not tf.executing_eagerly():  # XLA would read the last row again and again
            known = (rows >= 0) & (rows < self.max_length)
            learned = tf.where(known[:, None], learned, float("nan"))
        return x + tf.cast(learned, x.dtype)

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return x_shape


def rotate(
    x: tf.Tensor,
    positions: Any,
    *,
    layout: Layout = "half",
    base: float = 10000.0,
    frequencies: Any = None,
    scale: float = 1.0,
) -> tf.Tensor:
    """See ``attn_course.reference.rotate``.

    Computed in float32 or more, returned in x's dtype.
    """
    positions = tf.convert_to_tensor(positions)
    check_rotation(x, positions, layout, base, frequencies, scale)
    options = {"base": base, "frequencies": frequencies, "scale": scale}
    return turned(x, waves(positions, x.shape[-1], x.dtype, **options), layout)


def waves(positions, dim, dtype, *, base, frequencies=None, scale=1.0):
    """Cosine and sine of what vectors at these positions are turned by."""
    angle = position_angles(positions, dim, base=base, dtype=dtype, steps=frequencies)
    return scale * tf.cos(angle), scale * tf.sin(angle)


def turned(x, waves, layout):
    """``rotate`` of what was checked, by cosine and sine."""
    cosine, sine = waves
    width = 2 * cosine.shape[-1]
    first, second = _split(tf.cast(x[..., :width], cosine.dtype), layout)
    pairs = first * cosine - second * sine, first * sine + second * cosine
    found = tf.cast(_join(*pairs, layout), x.dtype)
    return found if width == x.shape[-1] else tf.concat([found, x[..., width:]], -1)


def change_layout(x: tf.Tensor, *, to: Layout) -> tf.Tensor:
    """See ``attn_course.reference.change_layout``."""
    return _join(*_split(x, other_layout(x, to)), to)


def _split(x, layout):
    """The first and the second column of every pair."""
    if layout == "half":
        return tf.split(x, 2, axis=-1)
    return by_turns(x)


def _join(first, second, layout):
    if layout == "half":
        return tf.concat([first, second], axis=-1)
    pairs = tf.stack([first, second], axis=-1)
    width = 2 * first.shape[-1]
    joined = tf.reshape(pairs, tf.concat([tf.shape(first)[:-1], [width]], axis=0))
    return tf.ensure_shape(joined, [*first.shape[:-1], width])


@keras.saving.register_keras_serializable("attn_course")
class RotaryEncoding(Layer):
    """Rotate query and key, each by its positions; nothing is learned.

    Query i stands at i + S - T, key j at j: the last query on the last key.
    frequencies, scale: what ``rotary_frequencies`` gives; of fewer frequencies than
    pairs, only the first columns turn. As a dict, frequencies is what it is called with
    at every call, with the length of the longest text so far: {"dim": 64, "method":
    "ntk", "factor": 4.0, "trained_length": 2048}. Keys in a cache keep their turn, as
    in ``transformers``: beyond trained_length decoding is not the whole pass.

    Raises:
        ValueError: key_dim is odd, the layout unknown, base or scale not above 0, more
            frequencies than pairs, or a shape not as ``call`` says.
    """

    def __init__(
        self,
        key_dim: int,
        *,
        layout: Layout = "half",
        base: float = 10000.0,
        frequencies: Any = None,
        scale: float = 1.0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.rule = frequencies if isinstance(frequencies, dict) else None
        if self.rule is not None:
            frequencies, _ = rotary_frequencies(**self.rule, length=1)
        self.frequencies = check_turns(key_dim, layout, base, frequencies, scale)
        self.key_dim, self.layout, self.base = key_dim, layout, base
        self.scale = scale
        self.config = {"key_dim": key_dim, "layout": layout, "base": base}
        self.config |= {"frequencies": self.rule or self.frequencies, "scale": scale}
        self.built = True

    def call(
        self, query: tf.Tensor, key: tf.Tensor, *, first_position: Any = 0
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """query (..., T, key_dim), key (..., S, key_dim) -> the same shapes.

        Their heads may differ in number. The first key stands at first_position, when
        the keys before it were rotated and cached. Where that is a pair, it is what
        ``waves`` gave for the positions of all keys, once for many layers.
        """
        check_rotary(query, key, self.key_dim)
        T, S = tf.shape(query)[-2], tf.shape(key)[-2]
        if isinstance(first_position, tuple):
            queries = keys = first_position
        else:
            queries = keys = self.waves(tf.range(S) + first_position, key.dtype)
            if query.shape[-2] is None or query.shape[-2] != key.shape[-2]:
                queries = self.waves(tf.range(S - T, S) + first_position, query.dtype)
        return turned(query, queries, self.layout), turned(key, keys, self.layout)

    def waves(self, positions: tf.Tensor, dtype: Any) -> Waves:
        """Cosine and sine of what vectors at these positions are turned by."""
        options = {"frequencies": self.frequencies, "scale": self.scale}
        if self.rule is not None:
            length = tf.reduce_max(positions) + 1
            options["frequencies"], _ = rotary_frequencies(**self.rule, length=length)
        return waves(positions, self.key_dim, dtype, base=self.base, **options)

    def compute_output_shape(
        self, query_shape: tuple, key_shape: tuple
    ) -> tuple[tuple, tuple]:
        return query_shape, key_shape
