"""Linear attention in TensorFlow. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.chunked.tf import hide, log_of, sum_up, widen
from attn_course.frameworks import keras, tf
from attn_course.layers.shared import check_supported
from attn_course.layers.tf import AttentionLayer, dense
from attn_course.linear.shared import (
    FIRST_DECAY_BIAS,
    check_decay_kind,
    check_feature_map,
    check_linear,
    check_step,
    retention_decay,
)

__all__ = [
    "LinearAttention",
    "linear_attention",
    "linear_attention_step",
    "retention_decay",
]


def linear_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Any = None,
    *,
    feature_map: str | Callable = "elu",
    causal: bool = False,
    decay: tf.Tensor | None = None,
    normalize: bool = True,
    epsilon: float = 1e-6,
    chunk_size: int = 128,
) -> tuple[tf.Tensor, None]:
    """See ``attn_course.reference.linear_attention``.

    Computed in float32 or more, in time and memory that grow as S; causal in chunks of
    ``chunk_size``: inside a chunk by its own small weights, before it by the state.
    """
    check_feature_map(feature_map)
    check_linear(query, key, value, mask, decay=decay)
    if decay is not None and not causal:
        raise ValueError("decay must be None where causal is False")
    dtype = value.dtype
    query, key, value = widen(query, key, value)
    query, key = features(query, feature_map), features(key, feature_map)
    log_decay = None if decay is None else log_of(decay, key)
    if mask is not None:
        key, log_decay = hide(key, log_decay, mask)
    sums, total = sum_up(query, key, value, log_decay, causal, chunk_size)
    output = sums / (total + epsilon) if normalize else sums
    return tf.cast(output, dtype), None


def features(x, feature_map):
    """The features of x (..., K): (..., F)."""
    if callable(feature_map):
        return feature_map(x)
    if feature_map == "elu":
        return tf.nn.elu(x) + 1
    return tf.nn.relu(x) if feature_map == "relu" else x


def linear_attention_step(
    state: Any,
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    *,
    feature_map: str | Callable = "elu",
    decay: tf.Tensor | None = None,
    normalize: bool = True,
    epsilon: float = 1e-6,
) -> tuple[tf.Tensor, Any]:
    """See ``attn_course.reference.linear_attention_step``; the state is wide."""
    check_feature_map(feature_map)
    check_step(query, key, value, decay=decay)
    dtype = value.dtype
    query, key, value = widen(query, key, value)
    query, key = features(query, feature_map), features(key, feature_map)
    sums, total = tf.linalg.matrix_transpose(key) * value, key[..., 0, :]
    if state is not None:
        kept = tf.ones((1,), key.dtype) if decay is None else tf.cast(decay, key.dtype)
        sums = sums + kept[..., None] * state[0]
        total = total + kept * state[1]
    output = query @ sums
    if normalize:
        output = output / (query @ total[..., None] + epsilon)
    return tf.cast(output, dtype), (sums, total)


class DecayingAttention(AttentionLayer):
    """What ``LinearAttention`` and ``DeltaRuleAttention`` share: the decay of a state.

    decay: None, "fixed" (``retention_decay``), or "learned": of every key and head the
    sigmoid of a linear map of the key's input.
    """

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        decay: str | None = None,
        **options: Any,
    ) -> None:
        check_decay_kind(decay)
        super().__init__(model_dim, num_heads, **options)
        name = type(self).__name__
        check_supported(name, dropout=self.config["dropout"] or None)
        self.config["decay"] = decay
        self.decay_dense = None
        if decay == "learned":
            inputs = self.config["memory_dim"][0]
            self.decay_dense = dense(self, "decay", inputs, num_heads, True)
            bias = self.decay_dense.bias
            bias.assign(tf.fill(bias.shape, FIRST_DECAY_BIAS))

    def gates(self, key: tf.Tensor) -> dict[str, tf.Tensor]:
        """The decay of every key, (B, H, S), or the fixed one, (1, H, 1)."""
        if self.decay_dense is not None:
            return {"decay": open_gate(self.decay_dense(key))}
        if self.config["decay"] is None:
            return {}
        fixed = retention_decay(self.num_heads)[None, :, None]
        return {"decay": tf.constant(fixed, widest(key))}


def widest(x):
    """The dtype of a gate of x: float32 or more."""
    return tf.float64 if x.dtype == tf.float64 else tf.float32


def open_gate(score: tf.Tensor) -> tf.Tensor:
    """The sigmoid of what a gate's linear map gives, (B, S, H), as (B, H, S)."""
    return tf.linalg.matrix_transpose(tf.sigmoid(tf.cast(score, widest(score))))


@keras.saving.register_keras_serializable("attn_course")
class LinearAttention(DecayingAttention):
    """Linear attention over heads: ``linear_attention``.

    ``feature_map``, ``normalize`` and ``epsilon`` as there; a feature map that is a
    function of one's own must be known to Keras for saving. decay: None, "fixed" or
    "learned", of use where it is called with ``causal=True``. The weights are never
    formed (they are None). The mask is padding. No bias, no dropout.

    Raises:
        ValueError: a size is no whole number of at least 1, or an option is unknown.
    """

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        feature_map: str | Callable = "elu",
        decay: str | None = None,
        normalize: bool = True,
        epsilon: float = 1e-6,
        **options: Any,
    ) -> None:
        check_feature_map(feature_map)
        super().__init__(model_dim, num_heads, decay=decay, **options)
        self.formula = {"feature_map": feature_map, "normalize": normalize}
        self.formula["epsilon"] = epsilon
        self.config |= self.formula

    def attend(
        self, query, key, value, mask, *, bias, causal, need_weights, dropout, **gates
    ):
        check_supported("LinearAttention", bias=bias, dropout=dropout)
        options = {"causal": causal, **gates, **self.formula}
        return linear_attention(query, key, value, mask, **options)

    def get_config(self) -> dict[str, Any]:
        known = keras.saving.serialize_keras_object(self.config["feature_map"])
        return {**super().get_config(), "feature_map": known}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "LinearAttention":
        known = keras.saving.deserialize_keras_object(config["feature_map"])
        return super().from_config({**config, "feature_map": known})
