"""The encoder in TensorFlow. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_words
from attn_course.core.layer.tf import AttentionLayer, PairLayer, Tensor, with_padding
from attn_course.core.masks.tf import Mask
from attn_course.mechanisms.multi_head.tf import MultiHeadAttention
from attn_course.models.encoder.shared import (
    Norm,
    caches_of,
    check_attention_layer,
    check_maker,
    encoder_config,
    ends_with_norm,
    stack_config,
)
from attn_course.models.feed_forward.shared import Activation, Normalization
from attn_course.models.feed_forward.tf import FeedForward, make_norm

__all__ = ["Encoder", "EncoderLayer"]


class ResidualLayer(PairLayer):
    """Parts, each with a way around it and a norm before or behind.

    post   x = norm(x + part(x))
    pre    x = x + part(norm(x))
    both   x = x + behind(part(norm(x)))
    """

    def __init__(self, config: dict[str, Any], **options: Any) -> None:
        super().__init__(**options)
        self.config = config

    def enter(self, x: Tensor, norm: keras.layers.Layer) -> Tensor:
        """What a part reads: x, and where the norm stands before, normed."""
        return x if self.config["norm"] == "post" else norm(x)

    def add(
        self,
        x: Tensor,
        found: Tensor,
        norm: keras.layers.Layer,
        behind: keras.layers.Layer | None = None,
    ) -> Tensor:
        """x and what a part found, and where the norm stands behind, normed."""
        found = found if behind is None else behind(found)
        x = x + self.dropout(found)
        return norm(x) if self.config["norm"] == "post" else x


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
        norm: Norm = "post",
        activation: Activation = "relu",
        normalization: Normalization = "layer",
        dropout: float = 0.0,
        eps: float | None = None,
        attention: AttentionLayer | None = None,
        **options: Any,
    ) -> None:
        choices = norm, activation, normalization, dropout, eps
        config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        super().__init__(config, **options)
        dtype = {"dtype": self.dtype_policy}
        maps = {"use_bias": normalization == "layer", "dropout": dropout, **dtype}
        if attention is None:
            attention = MultiHeadAttention(model_dim, num_heads, **maps)
        check_attention_layer(attention, model_dim)
        self.attention = attention
        self.norm1 = make_norm(normalization, model_dim, eps, **dtype)
        self.feed_forward = FeedForward(
            model_dim, ff_dim, activation=activation, **maps
        )
        self.norm2 = make_norm(normalization, model_dim, eps, **dtype)
        self.norm1_behind = self.norm2_behind = None
        if norm == "both":
            self.norm1_behind = make_norm(normalization, model_dim, eps, **dtype)
            self.norm2_behind = make_norm(normalization, model_dim, eps, **dtype)
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
        options = {"causal": causal, "need_weights": need_weights}
        options |= {} if bias is None else {"bias": bias}
        options |= {} if head_mask is None else {"head_mask": head_mask}
        options |= {} if cache is None else {"cache": cache}
        found, weights = self.attention(self.enter(x, self.norm1), mask=mask, **options)
        x = self.add(x, found, self.norm1, self.norm1_behind)
        found = self.feed_forward(self.enter(x, self.norm2))
        return self.add(x, found, self.norm2, self.norm2_behind), weights

    def new_cache(self, batch: int, capacity: int, **options: Any) -> Any:
        """An empty cache of its attention, for ``causal=True``."""
        return self.attention.new_cache(batch, capacity, **options)

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return previous_mask, None

    def compute_output_shape(self, x_shape: tuple, *others: Any, **named: Any) -> tuple:
        return self.attention.compute_output_shape(x_shape)


class Stack(PairLayer):
    """Layers of one kind on each other, and a last norm where they begin with one."""

    kind: type
    nested = ("bias",)

    def __init__(
        self,
        num_layers: int,
        config: dict[str, Any],
        attentions: dict[str, Callable[[int], AttentionLayer] | None],
        bias: keras.layers.Layer | None,
        final_norm: bool | None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        for name, make in attentions.items():
            check_maker(name, make, "lambda number: MultiHeadAttention(...)")
        self.config = stack_config(num_layers, config, final_norm)
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
        if ends_with_norm(self.config):
            sizes = config["normalization"], config["model_dim"], config["eps"]
            self.final_norm = make_norm(*sizes, **dtype)
        self.bias = bias
        self.built = True

    def with_bias(self, x: Tensor, bias: Tensor | None, cache: Any) -> Tensor | None:
        """The bias that is given and the stack's own, for all keys so far."""
        check_words(x, self.config["model_dim"])
        T = tf.shape(x)[1] if x.shape[1] is None else x.shape[1]
        own = self.bias(T, T if cache is None else tf.identity(cache.length) + T)
        return own if bias is None else tf.cast(own, bias.dtype) + bias

    def get_config(self) -> dict[str, Any]:
        save = keras.saving.serialize_keras_object
        names = self.kind.nested
        parts = {name: [save(getattr(x, name)) for x in self.layers] for name in names}
        return {**super().get_config(), **parts}

    @classmethod
    def of_config(cls, config: dict[str, Any]) -> Any:
        load = keras.saving.deserialize_keras_object
        lists = {name: [load(x) for x in config[name]] for name in cls.kind.nested}
        makers = {name: x.__getitem__ for name, x in lists.items()}
        parts = {name: load(config.get(name)) for name in cls.nested}
        return cls(**config | makers | parts)


@keras.saving.register_keras_serializable("attn_course")
class Encoder(Stack):
    """A stack of ``EncoderLayer``: ``attn_course.reference.encoder``.

    Called with ``causal=True`` it is the stack of a GPT, a decoder that has nothing to
    look across to; with ``cache=`` of ``new_cache`` it reads on, token by token. From
    tokens to logits: ``LanguageModel``. The padding that Keras carries on x reaches
    every layer.

    attention: a function of a layer's number that makes its attention, or None.
    bias: a layer (T, S) -> (1, H, T, S) whose bias all layers add to their scores,
        as ``AlibiBias(num_heads)`` or ``RelativeBias(num_heads)`` (T5), or None.

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
        norm: Norm = "post",
        activation: Activation = "relu",
        normalization: Normalization = "layer",
        dropout: float = 0.0,
        eps: float | None = None,
        attention: Callable[[int], AttentionLayer] | None = None,
        bias: keras.layers.Layer | None = None,
        final_norm: bool | None = None,
        **options: Any,
    ) -> None:
        choices = norm, activation, normalization, dropout, eps
        config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        attentions = {"attention": attention}
        super().__init__(num_layers, config, attentions, bias, final_norm, **options)

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
        caches = caches_of(cache, len(self.layers))
        if self.bias is not None:
            bias = self.with_bias(x, bias, caches[0])
        options = {"bias": bias, "causal": causal, "need_weights": need_weights}
        weights = []
        for layer, own in zip(self.layers, caches, strict=True):
            x, found = layer(x, mask, cache=own, **options)
            weights.append(found)
        x = x if self.final_norm is None else self.final_norm(x)
        return x, tuple(weights)

    def new_cache(self, batch: int, capacity: int, **options: Any) -> tuple:
        """What every layer keeps while a causal stack reads up to ``capacity`` tokens.

        options: those of ``KVCache``, as ``window``, or one ``pool`` for all layers.
        """
        return tuple(x.new_cache(batch, capacity, **options) for x in self.layers)

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return previous_mask, (None,) * len(self.layers)

    def compute_output_shape(self, x_shape: tuple, *others: Any, **named: Any) -> tuple:
        weights = [layer.compute_output_shape(x_shape)[1] for layer in self.layers]
        return tuple(x_shape), tuple(weights)
