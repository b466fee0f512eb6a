"""The decoder in TensorFlow. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.core.frameworks import keras, tf
from attn_course.core.kv_cache.tf import KVCache
from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.tf import AttentionLayer, Tensor, with_padding
from attn_course.core.masks.tf import Mask
from attn_course.core.shapes import check_choice
from attn_course.mechanisms.multi_head.tf import MultiHeadAttention
from attn_course.models.decoder.shared import check_pair, unread
from attn_course.models.encoder.shared import (
    DECODER_NORMS,
    DecoderNorm,
    caches_of,
    check_attention_layer,
    encoder_config,
)
from attn_course.models.encoder.tf import ResidualLayer, Stack
from attn_course.models.feed_forward.shared import Activation, Normalization
from attn_course.models.feed_forward.tf import FeedForward, make_norm

__all__ = ["Decoder", "DecoderLayer"]


class ReadsMemory:
    """A layer that is called with a memory: the padding that Keras carries on both."""

    def __call__(
        self,
        x: Any,
        memory: Any,
        memory_mask: Any = None,
        *,
        target_mask: Any = None,
        **options: Any,
    ) -> Any:
        memory_mask = with_padding(memory_mask, memory, axes=2, query=x)
        options["target_mask"] = with_padding(target_mask, x, axes=2)
        return super().__call__(x, memory, memory_mask, **options)


@keras.saving.register_keras_serializable("attn_course")
class DecoderLayer(ReadsMemory, ResidualLayer):
    """Self-attention, cross-attention, a network: ``reference.decoder_layer``.

    The padding that Keras carries on x and on memory is blocked, together with what the
    masks block, and that of x handed on.

    Raises:
        ValueError: a size or choice is wrong, or an attention doesn't fit model_dim.
    """

    nested = ("attention", "cross_attention")

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        ff_dim: int,
        *,
        norm: DecoderNorm = "post",
        activation: Activation = "relu",
        normalization: Normalization = "layer",
        dropout: float = 0.0,
        eps: float | None = None,
        attention: AttentionLayer | None = None,
        cross_attention: AttentionLayer | None = None,
        **options: Any,
    ) -> None:
        check_choice("norm", norm, DECODER_NORMS)
        choices = norm, activation, normalization, dropout, eps
        config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        super().__init__(config, **options)
        options = {"dtype": self.dtype_policy}
        maps = {"use_bias": normalization == "layer", "dropout": dropout, **options}
        if attention is None:
            attention = MultiHeadAttention(model_dim, num_heads, **maps)
        if cross_attention is None:
            cross_attention = MultiHeadAttention(model_dim, num_heads, **maps)
        check_attention_layer(attention, model_dim)
        check_attention_layer(cross_attention, model_dim, crosses=True)
        self.attention, self.cross_attention = attention, cross_attention
        self.norm1 = make_norm(normalization, model_dim, eps, **options)
        self.norm2 = make_norm(normalization, model_dim, eps, **options)
        self.feed_forward = FeedForward(
            model_dim, ff_dim, activation=activation, **maps
        )
        self.norm3 = make_norm(normalization, model_dim, eps, **options)
        self.dropout = keras.layers.Dropout(dropout, **options)
        self.built = True

    def call(
        self,
        x: Tensor,
        memory: Tensor,
        memory_mask: Mask = None,
        *,
        target_mask: Mask = None,
        bias: Tensor | None = None,
        need_weights: bool = True,
        cache: tuple | None = None,
    ) -> tuple[Tensor, tuple[Tensor | None, Tensor | None]]:
        """One layer of the decoder; position t sees positions up to t.

        Shapes:
            x (B, T, model_dim), memory (B, S, E); memory_mask (B, 1, 1, S),
            target_mask (B, 1, 1, T), True = may attend; bias of the self-attention,
            as (H, T, T); cache: what ``new_cache`` made, x begins behind what it holds
            -> output (B, T, model_dim), weights (B, H, T, T) and (B, H, T, S), or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        self.check(x, memory)
        back = {"mask": target_mask, "causal": True, "need_weights": need_weights}
        back |= {} if bias is None else {"bias": bias}
        across = {"mask": memory_mask, "need_weights": need_weights}
        if cache is not None:
            back["cache"], across["cache"] = cache
            memory = unread(memory)
        found, own = self.attention(self.enter(x, self.norm1), **back)
        x = self.add(x, found, self.norm1)
        words = self.enter(x, self.norm2)
        found, other = self.cross_attention(words, memory, **across)
        x = self.add(x, found, self.norm2)
        found = self.feed_forward(self.enter(x, self.norm3))
        return self.add(x, found, self.norm3), (own, other)

    def check(self, x: Tensor, memory: Tensor) -> None:
        """Raise ValueError unless x and memory fit the layer and each other."""
        memory_dim = self.cross_attention.config["memory_dim"][0]
        check_pair(x, memory, self.config["model_dim"], memory_dim)

    def new_cache(self, memory: Tensor, capacity: int) -> tuple[KVCache, KVCache]:
        """An empty cache for its own positions, and one that holds the memory's."""
        B, S, _ = memory.shape
        own = self.attention.new_cache(B, capacity, dtype=memory.dtype)
        layer = self.cross_attention
        counts = {"rotary": layer.rotary, type(layer).__name__: layer.reads_positions}
        check_supported("a cache of cross_attention", **counts)
        widths = layer.sizes.key_dim, layer.sizes.value_dim  # all of it, whole
        read = KVCache(B, layer.num_kv_heads, S, *widths, dtype=memory.dtype)
        nobody = tf.zeros((B, 0, self.config["model_dim"]), memory.dtype)
        query, key, value = layer.project(nobody, memory, memory)
        read.update(layer.prepare(query, key)[1], value)
        return own, read

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return first_of(previous_mask), (None, None)

    def compute_output_shape(
        self, x_shape: tuple, memory_shape: tuple, *others: Any, **named: Any
    ) -> tuple:
        weights = self.attention.compute_output_shape(x_shape)[1]
        other = self.cross_attention.compute_output_shape(x_shape, memory_shape)[1]
        return tuple(x_shape), (weights, other)


@keras.saving.register_keras_serializable("attn_course")
class Decoder(ReadsMemory, Stack):
    """A stack of ``DecoderLayer``: ``attn_course.reference.decoder``.

    attention, cross_attention: functions of a layer's number that make its own.
    bias: a layer (T, S) -> (1, H, T, S) whose bias the self-attention of all layers
        adds to its scores, as ``RelativeBias(num_heads, bidirectional=False)`` (T5).

    Raises:
        ValueError: a size or choice is wrong, or an attention doesn't fit model_dim.
    """

    kind = DecoderLayer

    def __init__(
        self,
        num_layers: int,
        model_dim: int,
        num_heads: int,
        ff_dim: int,
        *,
        norm: DecoderNorm = "post",
        activation: Activation = "relu",
        normalization: Normalization = "layer",
        dropout: float = 0.0,
        eps: float | None = None,
        attention: Callable[[int], AttentionLayer] | None = None,
        cross_attention: Callable[[int], AttentionLayer] | None = None,
        bias: keras.layers.Layer | None = None,
        final_norm: bool | None = None,
        **options: Any,
    ) -> None:
        choices = norm, activation, normalization, dropout, eps
        config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        attentions = {"attention": attention, "cross_attention": cross_attention}
        super().__init__(num_layers, config, attentions, bias, final_norm, **options)

    def call(
        self,
        x: Tensor,
        memory: Tensor,
        memory_mask: Mask = None,
        *,
        target_mask: Mask = None,
        bias: Tensor | None = None,
        need_weights: bool = True,
        cache: tuple | None = None,
    ) -> tuple[Tensor, tuple]:
        """All layers, one after the other; every layer reads the same memory.

        Shapes:
            as in ``DecoderLayer``; cache: one entry per layer
            -> output (B, T, model_dim), a pair of weights per layer.

        Raises:
            ValueError: a shape, dtype or mask is not as there.
        """
        self.layers[0].check(x, memory)
        caches = caches_of(cache, len(self.layers))
        if self.bias is not None:
            bias = self.with_bias(x, bias, cache and cache[0][0])
        options = {"target_mask": target_mask, "bias": bias}
        options["need_weights"] = need_weights
        weights = []
        for layer, own in zip(self.layers, caches, strict=True):
            x, found = layer(x, memory, memory_mask, cache=own, **options)
            weights.append(found)
        x = x if self.final_norm is None else self.final_norm(x)
        return x, tuple(weights)

    def new_cache(self, memory: Tensor, capacity: int) -> tuple:
        """What every layer keeps while it decodes up to ``capacity`` tokens."""
        return tuple(layer.new_cache(memory, capacity) for layer in self.layers)

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return first_of(previous_mask), ((None, None),) * len(self.layers)

    def compute_output_shape(
        self, x_shape: tuple, memory_shape: tuple, *others: Any, **named: Any
    ) -> tuple:
        weights = [
            layer.compute_output_shape(x_shape, memory_shape)[1]
            for layer in self.layers
        ]
        return tuple(x_shape), tuple(weights)


def first_of(masks: Any) -> Any:
    """The padding of the first input, of what Keras gives for all of them."""
    return masks[0] if isinstance(masks, list | tuple) else masks
