"""The encoder in TensorFlow. Formulas: ``reference.py``."""

import math
from collections.abc import Callable
from typing import Any, ClassVar

from attn_course.encoder.shared import (
    caches_of,
    check_attention_layer,
    check_words,
    encoder_config,
    feed_forward_config,
)
from attn_course.frameworks import keras, tf
from attn_course.layers.tf import (
    AttentionLayer,
    Layer,
    Mask,
    PairLayer,
    dense,
    with_padding,
)
from attn_course.multi_head.tf import MultiHeadAttention
from attn_course.shapes import check_at_least

__all__ = ["Encoder", "EncoderLayer", "FeedForward"]


def gelu(x: tf.Tensor) -> tf.Tensor:
    """x * (1 + erf(x / sqrt(2))) / 2; TensorFlow's own rounds the root to float32."""
    return x * (1 + tf.math.erf(x / math.sqrt(2))) / 2


ACTIVATIONS = {
    "relu": tf.nn.relu,
    "gelu": gelu,
    "swiglu": tf.nn.silu,
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
        activation: str = "relu",
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
        if activation == "swiglu":
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


@keras.saving.register_keras_serializable("attn_course")
class EncoderLayer(PairLayer):
    """Attention, then a small network: ``attn_course.reference.encoder_layer``.

    The padding that Keras carries on x is blocked, together with what the mask blocks,
    and handed on.

    Raises:
        ValueError: a size or choice is wrong, or the attention doesn't fit model_dim.
    """

    nested = ("attention",)

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        ff_dim: int,
        *,
        norm: str = "post",
        activation: str = "relu",
        normalization: str = "layer",
        dropout: float = 0.0,
        attention: AttentionLayer | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        choices = norm, activation, normalization, dropout
        self.config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        dtype = {"dtype": self.dtype_policy}
        maps = {"use_bias": normalization == "layer", "dropout": dropout, **dtype}
        if attention is None:
            attention = MultiHeadAttention(model_dim, num_heads, **maps)
        check_attention_layer(attention, model_dim)
        self.norm, self.attention = norm, attention
        self.norm1 = make_norm(normalization, model_dim, **dtype)
        self.feed_forward = FeedForward(
            model_dim, ff_dim, activation=activation, **maps
        )
        self.norm2 = make_norm(normalization, model_dim, **dtype)
        self.dropout = keras.layers.Dropout(dropout, **dtype)
        self.built = True

    def __call__(self, x: Any, mask: Any = None, **options: Any) -> Any:
        return super().__call__(x, with_padding(mask, x, axes=2), **options)

    def call(
        self,
        x: tf.Tensor,
        mask: Mask = None,
        *,
        bias: tf.Tensor | None = None,
        causal: bool = False,
        need_weights: bool = True,
        head_mask: tf.Tensor | None = None,
        cache: Any = None,
    ) -> tuple[tf.Tensor, tf.Tensor | None]:
        """One layer of the encoder.

        Shapes:
            x (B, T, model_dim); the rest as in the attention
            -> output (B, T, model_dim), weights (B, H, T, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        check_words(x, self.config["model_dim"])
        options = {"bias": bias, "causal": causal, "need_weights": need_weights}
        options |= {} if head_mask is None else {"head_mask": head_mask}
        options |= {} if cache is None else {"cache": cache}
        pre, post = self.norm == "pre", self.norm == "post"
        attended, weights = self.attention(
            self.norm1(x) if pre else x, mask=mask, **options
        )
        x = x + self.dropout(attended)
        x = self.norm1(x) if post else x
        x = x + self.dropout(self.feed_forward(self.norm2(x) if pre else x))
        return self.norm2(x) if post else x, weights

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return previous_mask, None

    def compute_output_shape(self, x_shape: tuple, **shapes: Any) -> tuple:
        return self.attention.compute_output_shape(x_shape)


@keras.saving.register_keras_serializable("attn_course")
class Encoder(PairLayer):
    """A stack of ``EncoderLayer``: ``attn_course.reference.encoder``.

    attention: a function of a layer's number that makes its attention, or None. The
    padding that Keras carries on x reaches every layer.

    Raises:
        ValueError: a size or choice is wrong, or an attention doesn't fit model_dim.
    """

    def __init__(
        self,
        num_layers: int,
        model_dim: int,
        num_heads: int,
        ff_dim: int,
        *,
        norm: str = "post",
        activation: str = "relu",
        normalization: str = "layer",
        dropout: float = 0.0,
        attention: Callable[[int], AttentionLayer] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        check_at_least(1, num_layers=num_layers)
        choices = norm, activation, normalization, dropout
        config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        self.config = {"num_layers": int(num_layers), **config}
        dtype = {"dtype": self.dtype_policy}
        self.layers = [
            EncoderLayer(
                **config,
                attention=None if attention is None else attention(number),
                **dtype,
            )
            for number in range(num_layers)
        ]
        self.final_norm = None
        if norm == "pre":
            self.final_norm = make_norm(normalization, model_dim, **dtype)
        self.built = True

    def __call__(self, x: Any, mask: Any = None, **options: Any) -> Any:
        return super().__call__(x, with_padding(mask, x, axes=2), **options)

    def call(
        self,
        x: tf.Tensor,
        mask: Mask = None,
        *,
        bias: tf.Tensor | None = None,
        causal: bool = False,
        need_weights: bool = True,
        cache: Any = None,
    ) -> tuple[tf.Tensor, tuple[tf.Tensor | None, ...]]:
        """All layers, one after the other; every layer gets the same mask and bias.

        Shapes:
            x (B, T, model_dim); mask and bias as in the attention; cache: one per layer
            -> output (B, T, model_dim), the weights (B, H, T, S) or None of each layer.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        options = {"bias": bias, "causal": causal, "need_weights": need_weights}
        caches = caches_of(cache, len(self.layers))
        weights = []
        for layer, own in zip(self.layers, caches, strict=True):
            x, found = layer(x, mask, cache=own, **options)
            weights.append(found)
        x = x if self.final_norm is None else self.final_norm(x)
        return x, tuple(weights)

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return previous_mask, (None,) * len(self.layers)

    def compute_output_shape(self, x_shape: tuple, **shapes: Any) -> tuple:
        weights = [layer.compute_output_shape(x_shape)[1] for layer in self.layers]
        return tuple(x_shape), tuple(weights)

    def get_config(self) -> dict[str, Any]:
        save = keras.saving.serialize_keras_object
        attentions = [save(layer.attention) for layer in self.layers]
        return {**super().get_config(), "attention": attentions}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "Encoder":
        load = keras.saving.deserialize_keras_object
        attentions = [load(saved) for saved in config["attention"]]
        return cls(**{**config, "attention": attentions.__getitem__})


def make_norm(normalization: str, model_dim: int, **options: Any) -> keras.layers.Layer:
    """LayerNorm with epsilon 1e-5, or RMSNorm with 1e-6; built at once."""
    if normalization == "rms":
        norm = keras.layers.RMSNormalization(epsilon=1e-6, **options)
    else:
        norm = keras.layers.LayerNormalization(epsilon=1e-5, **options)
    norm.supports_masking = True  # padding passes: Keras's RMSNormalization stops it
    norm.build((None, None, model_dim))
    return norm
