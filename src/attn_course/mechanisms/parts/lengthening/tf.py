"""Positions beyond the training in TensorFlow. Formulas: ``reference.py``."""

import math
from typing import Any

from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.tf import Layer
from attn_course.mechanisms.parts.lengthening.shared import (
    Method,
    check_lengthening,
    check_log_scale,
    check_pair,
    ramp_ends,
    score_scale,
)
from attn_course.mechanisms.parts.positional.shared import check_positions, frequencies

__all__ = ["LogLengthScale", "log_length_scale", "rotary_frequencies"]


def rotary_frequencies(
    dim: int,
    *,
    base: float = 10000.0,
    method: Method | None = None,
    factor: float = 1.0,
    trained_length: int | None = None,
    length: int | None = None,
    low: float | None = None,
    high: float | None = None,
    truncate: bool = True,
    short: Any = None,
    long: Any = None,
) -> tuple[tf.Tensor, float]:
    """See ``attn_course.reference.rotary_frequencies``. The frequencies are float64."""
    options = method, factor, trained_length, length, low, high, short, long
    low, high = check_lengthening(dim, base, *options)
    theta = tf.constant(frequencies(dim, base), tf.float64)
    keep = tf.fill(theta.shape, tf.cast(0 if method == "linear" else 1, tf.float64))
    if method == "yarn":
        keep = pair_ramp(dim, base, trained_length, low, high, truncate)
    if method == "llama3":
        keep = turn_ramp(theta, trained_length, low, high)
    if method in ("ntk", "longrope"):
        theta = theta / divisors(dim, *options[:4], short, long)
    scale = score_scale(method, factor, trained_length)
    return keep * theta + (1 - keep) * theta / factor, scale


def divisors(dim, method, factor, trained_length, length, short, long):
    """See ``attn_course.mechanisms.parts.lengthening.reference.divisors``."""
    if method == "longrope":
        beyond = (0 if length is None else length) > trained_length
        lists = (tf.constant(x, tf.float64) for x in (long, short))
        return tf.where(beyond, *lists)
    factor = tf.constant(factor, tf.float64)
    if length is not None:
        grown = factor * tf.cast(length, tf.float64) / trained_length
        factor = tf.maximum(grown - (factor - 1), 1)
    return factor ** (2 * tf.range(dim // 2, dtype=tf.float64) / (dim - 2))


def pair_ramp(dim, base, trained_length, low, high, truncate):
    """See ``attn_course.mechanisms.parts.lengthening.reference.pair_ramp``."""
    first, last = ramp_ends(dim, base, trained_length, low, high, truncate)
    pairs = tf.range(dim // 2, dtype=tf.float64)
    return 1 - tf.clip_by_value((pairs - first) / (last - first), 0, 1)


def turn_ramp(theta, trained_length, low, high):
    """See ``attn_course.mechanisms.parts.lengthening.reference.turn_ramp``."""
    turns = trained_length * theta / (2 * math.pi)
    return tf.clip_by_value((turns - low) / (high - low), 0, 1)


def log_length_scale(
    positions: Any, *, trained_length: int, strength: float = 0.1
) -> tf.Tensor:
    """See ``attn_course.reference.log_length_scale``.

    float64 where the positions are, else float32.
    """
    positions = tf.convert_to_tensor(positions)
    check_positions(positions)
    check_log_scale(trained_length, strength)
    wide = tf.float64 if positions.dtype == tf.float64 else tf.float32
    passed = tf.floor((tf.cast(positions, wide) + 1) / trained_length)
    return 1 + strength * tf.math.log1p(passed)


@keras.saving.register_keras_serializable("attn_course")
class LogLengthScale(Layer):
    """Multiply every query by ``log_length_scale`` of its position; the keys stay.

    Stands where a rotation stands: attention over heads with it as ``rotary`` knows no
    positions otherwise. Query i stands at i + S - T: padding in front counts, as in
    transformers' Llama 4.

    Raises:
        ValueError: trained_length is below 1, strength not above 0, or a shape is not
            as ``call`` says.
    """

    def __init__(
        self, trained_length: int, *, strength: float = 0.1, **options: Any
    ) -> None:
        super().__init__(**options)
        check_log_scale(trained_length, strength)
        self.trained_length, self.strength = trained_length, strength
        self.config = {"trained_length": trained_length, "strength": strength}
        self.built = True

    def call(
        self, query: tf.Tensor, key: tf.Tensor, *, first_position: Any = 0
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """query (..., T, K), key (..., S, K) -> the same shapes.

        The first key stands at first_position, when the keys before it are cached.
        """
        check_pair(query, key)
        T, S = tf.shape(query)[-2], tf.shape(key)[-2]
        wide = tf.float64 if query.dtype == tf.float64 else tf.float32
        positions = tf.range(S - T, S) + first_position
        options = {"trained_length": self.trained_length, "strength": self.strength}
        scale = log_length_scale(tf.cast(tf.maximum(positions, 0), wide), **options)
        return tf.cast(tf.cast(query, wide) * scale[:, None], query.dtype), key

    def compute_output_shape(
        self, query_shape: tuple, key_shape: tuple
    ) -> tuple[tuple, tuple]:
        return query_shape, key_shape
