"""The decoder in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.core.convert import check_kind
from attn_course.core.frameworks import torch
from attn_course.core.kv_cache.pytorch import KVCache
from attn_course.core.layer.pytorch import AttentionLayer, Tensor, is_mixed
from attn_course.core.layer.shared import check_supported
from attn_course.core.masks.pytorch import Mask
from attn_course.core.shapes import check_choice
from attn_course.mechanisms.multi_head.pytorch import MultiHeadAttention
from attn_course.models.decoder.shared import check_pair, unread
from attn_course.models.encoder.pytorch import ResidualLayer, Stack, with_weights_of
from attn_course.models.encoder.shared import (
    DECODER_NORMS,
    DecoderNorm,
    caches_of,
    check_attention_layer,
    encoder_config,
)
from attn_course.models.feed_forward.pytorch import FeedForward, make_norm
from attn_course.models.feed_forward.shared import Activation, Normalization

__all__ = ["Decoder", "DecoderLayer"]


class DecoderLayer(ResidualLayer):
    """Self-attention, cross-attention, a network: ``reference.decoder_layer``.

    Raises:
        ValueError: a size or choice is wrong, or an attention doesn't fit model_dim.

    Differs: ``nn.TransformerDecoderLayer`` is causal only when it is given a mask, in
        which True blocks, and returns no weights (``from_torch``).
    """

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
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        check_choice("norm", norm, DECODER_NORMS)
        choices = norm, activation, normalization, dropout, eps
        super().__init__(encoder_config(model_dim, num_heads, ff_dim, *choices))
        options = {"device": device, "dtype": dtype}
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
        self.dropout = torch.nn.Dropout(dropout)

    def forward(
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
        mixed = is_mixed(self.feed_forward.inner, x)
        check_pair(x, memory, self.config["model_dim"], memory_dim, mixed=mixed)

    def new_cache(self, memory: Tensor, capacity: int) -> tuple[KVCache, KVCache]:
        """An empty cache for its own positions, and one that holds the memory's."""
        B, S, _ = memory.shape
        place = {"device": memory.device, "dtype": memory.dtype}
        own = self.attention.new_cache(B, capacity, **place)
        layer = self.cross_attention
        counts = {"rotary": layer.rotary, type(layer).__name__: layer.reads_positions}
        check_supported("a cache of cross_attention", **counts)
        widths = layer.sizes.key_dim, layer.sizes.value_dim  # all of it, whole
        read = KVCache(B, layer.num_kv_heads, S, *widths, **place)
        nobody = torch.zeros(B, 0, self.config["model_dim"], **place)
        query, key, value = layer.project(nobody, memory, memory)
        read.update(layer.prepare(query, key)[1], value)
        return own, read

    @classmethod
    def from_torch(cls, module: torch.nn.TransformerDecoderLayer) -> "DecoderLayer":
        """A layer with the weights of a ``torch.nn.TransformerDecoderLayer``.

        The output is the same as the library's with a causal ``tgt_mask``.

        Raises:
            ValueError: the module is another kind, or has another activation or
            epsilon.
        """
        check_kind("module", module, torch.nn.TransformerDecoderLayer)
        load = MultiHeadAttention.from_torch
        attentions = {"attention": load(module.self_attn)}
        attentions["cross_attention"] = load(module.multihead_attn)
        return with_weights_of(module, cls, **attentions)


class Decoder(Stack):
    """A stack of ``DecoderLayer``: ``attn_course.reference.decoder``.

    attention, cross_attention: functions of a layer's number that make its own.
    bias: a module (T, S) -> (1, H, T, S) whose bias the self-attention of all layers
        adds to its scores, as ``RelativeBias(num_heads, bidirectional=False)`` (T5).

    Raises:
        ValueError: a size or choice is wrong, or an attention doesn't fit model_dim.
    """

    kind = DecoderLayer
    library = torch.nn.TransformerDecoder

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
        bias: torch.nn.Module | None = None,
        final_norm: bool | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        choices = norm, activation, normalization, dropout, eps
        config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        attentions = {"attention": attention, "cross_attention": cross_attention}
        options = {"device": device, "dtype": dtype}
        super().__init__(num_layers, config, attentions, bias, final_norm, **options)

    def forward(
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
