"""The encoder in TensorFlow. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.encoder.shared import (
    caches_of,
    check_attention_layer,
    encoder_config,
)
from attn_course.feed_forward.shared import check_words
from attn_course.feed_forward.tf import FeedForward, make_norm
from attn_course.frameworks import keras
from attn_course.layers.tf import (
    AttentionLayer,
    Mask,
    PairLayer,
    Tensor,
    with_padding,
)
from attn_course.multi_head.tf import MultiHeadAttention
from attn_course.shapes import check_at_least

__all__ = ["Encoder", "EncoderLayer"]


class ResidualLayer(PairLayer):
    """Parts, each with a way around it and a norm before or behind."""

    def __init__(self, config: dict[str, Any], **options: Any) -> None:
        super().__init__(**options)
        self.config = config

    def add(self, x: Tensor, norm: keras.layers.Layer, part: Callable) -> tuple:
        """The way around a part: x and what the part makes of it, and a norm."""
        pre = self.config["norm"] == "pre"
        added, weights = part(norm(x) if pre else x)
        x = x + self.dropout(added)
        return x if pre else norm(x), weights


@keras.saving.register_keras_serializable("attn_course")
class EncoderLayer(ResidualLayer):
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
        choices = norm, activation, normalization, dropout
        config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        super().__init__(config, **options)
        dtype = {"dtype": self.dtype_policy}
        maps = {"use_bias": normalization == "layer", "dropout": dropout, **dtype}
        if attention is None:
            attention = MultiHeadAttention(model_dim, num_heads, **maps)
        check_attention_layer(attention, model_dim)
        self.attention = attention
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
        x: Tensor,
        mask: Mask = None,
        *,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = True,
        head_mask: Tensor | None = None,
        cache: Any = None,
    ) -> tuple[Tensor, Tensor | None]:
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
        x, weights = self.add(
            x, self.norm1, lambda x: self.attention(x, mask=mask, **options)
        )
        x, _ = self.add(x, self.norm2, lambda x: (self.feed_forward(x), None))
        return x, weights

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return previous_mask, None

    def compute_output_shape(self, x_shape: tuple, **shapes: Any) -> tuple:
        return self.attention.compute_output_shape(x_shape)


class Stack(PairLayer):
    """Layers of one kind on each other, and a last norm where they begin with one."""

    kind: type

    def __init__(
        self,
        num_layers: int,
        config: dict[str, Any],
        attentions: dict[str, Callable[[int], AttentionLayer] | None],
        **options: Any,
    ) -> None:
        super().__init__(**options)
        check_at_least(1, num_layers=num_layers)
        self.config = {"num_layers": int(num_layers), **config}
        dtype = {"dtype": self.dtype_policy}
        self.layers = [
            self.kind(
                **config,
                **{name: make and make(number) for name, make in attentions.items()},
                **dtype,
            )
            for number in range(num_layers)
        ]
        self.final_norm = None
        if config["norm"] == "pre":
            sizes = config["normalization"], config["model_dim"]
            self.final_norm = make_norm(*sizes, **dtype)
        self.built = True

    def get_config(self) -> dict[str, Any]:
        save = keras.saving.serialize_keras_object
        names = self.kind.nested
        parts = {name: [save(getattr(x, name)) for x in self.layers] for name in names}
        return {**super().get_config(), **parts}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        load = keras.saving.deserialize_keras_object
        parts = {name: [load(x) for x in config[name]] for name in cls.kind.nested}
        return cls(**config | {name: x.__getitem__ for name, x in parts.items()})


@keras.saving.register_keras_serializable("attn_course")
class Encoder(Stack):
    """A stack of ``EncoderLayer``: ``attn_course.reference.encoder``.

    attention: a function of a layer's number that makes its attention, or None. The
    padding that Keras carries on x reaches every layer.

    Raises:
        ValueError: a size or choice is wrong, or an attention doesn't fit model_dim.
    """

    kind = EncoderLayer

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
        choices = norm, activation, normalization, dropout
        config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        super().__init__(num_layers, config, {"attention": attention}, **options)

    def __call__(self, x: Any, mask: Any = None, **options: Any) -> Any:
        return super().__call__(x, with_padding(mask, x, axes=2), **options)

    def call(
        self,
        x: Tensor,
        mask: Mask = None,
        *,
        bias: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = True,
        cache: Any = None,
    ) -> tuple[Tensor, tuple[Tensor | None, ...]]:
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
