"""The network of a Transformer's layer, and its norms, in TensorFlow."""

import math
from typing import Any, ClassVar

from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_words
from attn_course.core.layer.tf import Layer, dense
from attn_course.models.feed_forward.shared import (
    GATED,
    Activation,
    feed_forward_config,
    norm_epsilon,
)

__all__ = ["FeedForward"]


def gelu(x: tf.Tensor) -> tf.Tensor:
    """x * (1 + erf(x / sqrt(2))) / 2; TensorFlow's own rounds the root to float32."""
    return x * (1 + tf.math.erf(x / math.sqrt(2))) / 2


def gelu_tanh(x: tf.Tensor) -> tf.Tensor:
    """``gelu`` without erf; TensorFlow's own rounds its number to float32."""
    return x * (1 + tf.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


ACTIVATIONS = {
    "relu": tf.nn.relu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "silu": tf.nn.silu,
    "swiglu": tf.nn.silu,
    "geglu": gelu,
    "geglu_tanh": gelu_tanh,
}


@keras.saving.register_keras_serializable("attn_course")
class FeedForward(Layer):
    """The same small network at every position: ``attn_course.reference.feed_forward``.

    Raises:
        ValueError: a size or the activation is wrong.
    """

    parity_names: ClassVar = {"inner": "0", "outer": "1"}
    hands_on_padding = True

    def __init__(
        self,
        model_dim: int,
        ff_dim: int,
        *,
        activation: Activation = "relu",
        use_bias: bool = True,
        dropout: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        sizes = model_dim, ff_dim, activation, use_bias, dropout
        self.config = feed_forward_config(*sizes)
        use_bias = self.config["use_bias"]
        self.inner = dense(self, "inner", model_dim, ff_dim, use_bias)
        self.outer = dense(self, "outer", ff_dim, model_dim, use_bias)
        self.gate = None
        if activation in GATED:
            self.gate = dense(self, "gate", model_dim, ff_dim, use_bias)
        self.activation = ACTIVATIONS[activation]
        self.dropout = keras.layers.Dropout(dropout, dtype=self.dtype_policy)
        self.built = True

    def call(self, x: tf.Tensor) -> tf.Tensor:
        """x (B, T, model_dim) -> (B, T, model_dim); raises ValueError for another x."""
        check_words(x, self.config["model_dim"], needed=False)
        hidden = self.inner(x)
        if self.gate is None:
            hidden = self.activation(hidden)
        else:
            hidden = self.activation(self.gate(x)) * hidden
        return self.outer(self.dropout(hidden))

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return tuple(x_shape)


def make_norm(
    normalization: str, model_dim: int, eps: float | None = None, **options: Any
) -> keras.layers.Layer:
    """LayerNorm, with epsilon 1e-5 unless given, or RMSNorm, with 1e-6; built."""
    kinds = keras.layers.LayerNormalization, keras.layers.RMSNormalization
    make = kinds[normalization == "rms"]
    options |= {"center": False} if normalization == "layer_no_bias" else {}
    norm = make(epsilon=norm_epsilon(normalization, eps), **options)
    norm.supports_masking = True  # padding passes: Keras's RMSNormalization stops it
    norm.build((None, None, model_dim))
    return norm
