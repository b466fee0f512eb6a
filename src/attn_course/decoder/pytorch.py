"""The decoder in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.decoder.shared import check_pair
from attn_course.encoder.pytorch import FeedForward, make_norm
from attn_course.encoder.shared import check_attention_layer, encoder_config
from attn_course.frameworks import torch
from attn_course.kv_cache.pytorch import KVCache
from attn_course.layers.pytorch import (
    AttentionLayer,
    Mask,
    Tensor,
    is_mixed,
    split_heads,
)
from attn_course.layers.shared import spell_config
from attn_course.multi_head.pytorch import MultiHeadAttention
from attn_course.multi_head.shared import check_kind, check_options
from attn_course.shapes import check_at_least

__all__ = ["Decoder", "DecoderLayer"]


class DecoderLayer(torch.nn.Module):
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
        norm: str = "post",
        activation: str = "relu",
        normalization: str = "layer",
        dropout: float = 0.0,
        attention: AttentionLayer | None = None,
        cross_attention: AttentionLayer | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        choices = norm, activation, normalization, dropout
        self.config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        options = {"device": device, "dtype": dtype}
        maps = {"use_bias": normalization == "layer", "dropout": dropout, **options}
        if attention is None:
            attention = MultiHeadAttention(model_dim, num_heads, **maps)
        if cross_attention is None:
            cross_attention = MultiHeadAttention(model_dim, num_heads, **maps)
        check_attention_layer(attention, model_dim)
        check_attention_layer(cross_attention, model_dim)
        self.attention, self.cross_attention = attention, cross_attention
        self.norm1 = make_norm(normalization, model_dim, **options)
        self.norm2 = make_norm(normalization, model_dim, **options)
        self.feed_forward = FeedForward(
            model_dim, ff_dim, activation=activation, **maps
        )
        self.norm3 = make_norm(normalization, model_dim, **options)
        self.dropout = torch.nn.Dropout(dropout)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        memory_mask: Mask = None,
        *,
        target_mask: Mask = None,
        need_weights: bool = True,
        cache: tuple | None = None,
    ) -> tuple[Tensor, tuple[Tensor | None, Tensor | None]]:
        """One layer of the decoder; position t sees positions up to t.

        Shapes:
            x (B, T, model_dim), memory (B, S, E); memory_mask (B, 1, 1, S),
            target_mask (B, 1, 1, T), True = may attend; cache: what ``new_cache`` made,
            x then begins behind what it holds
            -> output (B, T, model_dim), weights (B, H, T, T) and (B, H, T, S), or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        self.check(x, memory)
        back = {"mask": target_mask, "causal": True, "need_weights": need_weights}
        across = {"mask": memory_mask, "need_weights": need_weights}
        if cache is not None:
            back["cache"], across["cache"] = cache
            memory = memory[:, :0]  # its keys and values are in the cache
        x, own = self.add(x, self.norm1, lambda x: self.attention(x, **back))
        x, other = self.add(
            x, self.norm2, lambda x: self.cross_attention(x, memory, **across)
        )
        x, _ = self.add(x, self.norm3, lambda x: (self.feed_forward(x), None))
        return x, (own, other)

    def check(self, x: Tensor, memory: Tensor) -> None:
        """Raise ValueError unless x and memory fit the layer and each other."""
        memory_dim = self.cross_attention.config["memory_dim"][0]
        mixed = is_mixed(self.feed_forward.inner, x)
        check_pair(x, memory, self.config["model_dim"], memory_dim, mixed=mixed)

    def add(self, x: Tensor, norm: torch.nn.Module, part: Callable) -> tuple:
        """The way around a part: x and what the part makes of it, and a norm."""
        pre = self.config["norm"] == "pre"
        added, weights = part(norm(x) if pre else x)
        x = x + self.dropout(added)
        return x if pre else norm(x), weights

    def new_cache(self, memory: Tensor, capacity: int) -> tuple[KVCache, KVCache]:
        """An empty cache for its own positions, and one that holds the memory's."""
        place = {"device": memory.device, "dtype": memory.dtype}
        caches = []
        for layer, slots in (
            (self.attention, capacity),
            (self.cross_attention, memory.shape[1]),
        ):
            widths = layer.config["key_dim"], layer.config["value_dim"]
            sizes = memory.shape[0], layer.num_kv_heads, slots, *widths
            caches.append(KVCache(*sizes, **place))
        layer = self.cross_attention
        found = layer.key(memory), layer.value(memory)
        caches[1].update(*(split_heads(x, layer.num_kv_heads) for x in found))
        return tuple(caches)

    @classmethod
    def from_torch(cls, module: torch.nn.TransformerDecoderLayer) -> "DecoderLayer":
        """A layer with the weights of a ``torch.nn.TransformerDecoderLayer``.

        The output is the same as the library's with a causal ``tgt_mask``.

        Raises:
            ValueError: the module is another kind, or has another activation or
            epsilon, or no biases.
        """
        check_kind("module", module, torch.nn.TransformerDecoderLayer)
        activations = torch.nn.functional.relu, torch.nn.functional.gelu
        names = dict(zip(activations, ("relu", "gelu"), strict=True))
        check_options(
            "module",
            ("layer_norm_eps", module.norm1.eps, 1e-5),
            ("bias", module.linear1.bias is not None, True),
        )
        attention = MultiHeadAttention.from_torch(module.self_attn)
        layer = cls(
            attention.config["model_dim"],
            attention.num_heads,
            module.linear1.out_features,
            norm="pre" if module.norm_first else "post",
            activation=names.get(module.activation, "another"),
            dropout=module.dropout.p,
            attention=attention,
            cross_attention=MultiHeadAttention.from_torch(module.multihead_attn),
        ).to(module.linear1.weight)
        parts = [(layer.feed_forward.inner, module.linear1)]
        parts += [(layer.feed_forward.outer, module.linear2)]
        for name in ("norm1", "norm2", "norm3"):
            parts.append((getattr(layer, name), getattr(module, name)))
        for ours, theirs in parts:
            ours.load_state_dict(theirs.state_dict())
        return layer.train(module.training)

    def extra_repr(self) -> str:
        return spell_config(self.config)


class Decoder(torch.nn.Module):
    """A stack of ``DecoderLayer``: ``attn_course.reference.decoder``.

    attention, cross_attention: functions of a layer's number that make its own.

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
        cross_attention: Callable[[int], AttentionLayer] | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_at_least(1, num_layers=num_layers)
        choices = norm, activation, normalization, dropout
        config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        self.config = {"num_layers": int(num_layers), **config}
        options = {"device": device, "dtype": dtype}
        self.layers = torch.nn.ModuleList(
            DecoderLayer(
                **config,
                attention=None if attention is None else attention(number),
                cross_attention=cross_attention and cross_attention(number),
                **options,
            )
            for number in range(num_layers)
        )
        self.final_norm = None
        if norm == "pre":
            self.final_norm = make_norm(normalization, model_dim, **options)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        memory_mask: Mask = None,
        *,
        target_mask: Mask = None,
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
        options = {"target_mask": target_mask, "need_weights": need_weights}
        caches = [None] * len(self.layers) if cache is None else cache
        weights = []
        for layer, own in zip(self.layers, caches, strict=True):
            x, found = layer(x, memory, memory_mask, cache=own, **options)
            weights.append(found)
        x = x if self.final_norm is None else self.final_norm(x)
        return x, tuple(weights)

    def new_cache(self, memory: Tensor, capacity: int) -> tuple:
        """What every layer keeps while it decodes up to ``capacity`` tokens."""
        return tuple(layer.new_cache(memory, capacity) for layer in self.layers)

    def extra_repr(self) -> str:
        return spell_config(self.config)
