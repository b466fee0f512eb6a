"""The encoder in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.encoder.shared import (
    caches_of,
    check_attention_layer,
    encoder_config,
)
from attn_course.feed_forward.pytorch import ACTIVATIONS, FeedForward, make_norm
from attn_course.feed_forward.shared import check_words
from attn_course.frameworks import torch
from attn_course.layers.pytorch import AttentionLayer, Mask, Tensor
from attn_course.layers.shared import spell_config
from attn_course.multi_head.pytorch import MultiHeadAttention
from attn_course.multi_head.shared import check_kind, check_options
from attn_course.shapes import check_at_least

__all__ = ["Encoder", "EncoderLayer"]


class ResidualLayer(torch.nn.Module):
    """Parts, each with a way around it and a norm before or behind."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.config = config

    def add(self, x: Tensor, norm: torch.nn.Module, part: Callable) -> tuple:
        """The way around a part: x and what the part makes of it, and a norm."""
        pre = self.config["norm"] == "pre"
        added, weights = part(norm(x) if pre else x)
        x = x + self.dropout(added)
        return x if pre else norm(x), weights

    def extra_repr(self) -> str:
        return spell_config(self.config)


class EncoderLayer(ResidualLayer):
    """Attention, then a small network: ``attn_course.reference.encoder_layer``.

    Raises:
        ValueError: a size or choice is wrong, or the attention doesn't fit model_dim.

    Differs: ``nn.TransformerEncoderLayer`` blocks where its masks are True, returns no
        weights, and has the batch second unless told otherwise (``from_torch``).
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
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        choices = norm, activation, normalization, dropout
        super().__init__(encoder_config(model_dim, num_heads, ff_dim, *choices))
        options = {"device": device, "dtype": dtype}
        maps = {"use_bias": normalization == "layer", "dropout": dropout, **options}
        if attention is None:
            attention = MultiHeadAttention(model_dim, num_heads, **maps)
        check_attention_layer(attention, model_dim)
        self.attention = attention
        self.norm1 = make_norm(normalization, model_dim, **options)
        self.feed_forward = FeedForward(
            model_dim, ff_dim, activation=activation, **maps
        )
        self.norm2 = make_norm(normalization, model_dim, **options)
        self.dropout = torch.nn.Dropout(dropout)

    def forward(
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

    @classmethod
    def from_torch(cls, module: torch.nn.TransformerEncoderLayer) -> "EncoderLayer":
        """A layer with the weights of a ``torch.nn.TransformerEncoderLayer``.

        The output is the same, with ``norm_first`` too.

        Raises:
            ValueError: the module is another kind, has an activation that ours has not,
            or another epsilon than 1e-5.
        """
        check_kind("module", module, torch.nn.TransformerEncoderLayer)
        check_layer_options(module)
        attention = MultiHeadAttention.from_torch(module.self_attn)
        return with_weights_of(module, cls, attention=attention)


class Stack(torch.nn.Module):
    """Layers of one kind on each other, and a last norm where they begin with one."""

    kind: type

    def __init__(
        self,
        num_layers: int,
        config: dict[str, Any],
        attentions: dict[str, Callable[[int], AttentionLayer] | None],
        **options: Any,
    ) -> None:
        super().__init__()
        check_at_least(1, num_layers=num_layers)
        self.config = {"num_layers": int(num_layers), **config}
        self.layers = torch.nn.ModuleList(
            self.kind(
                **config,
                **{name: make and make(number) for name, make in attentions.items()},
                **options,
            )
            for number in range(num_layers)
        )
        self.final_norm = None
        if config["norm"] == "pre":
            sizes = config["normalization"], config["model_dim"]
            self.final_norm = make_norm(*sizes, **options)

    def extra_repr(self) -> str:
        return spell_config(self.config)


class Encoder(Stack):
    """A stack of ``EncoderLayer``: ``attn_course.reference.encoder``.

    attention: a function of a layer's number that makes its attention, or None.

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
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        choices = norm, activation, normalization, dropout
        config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        options = {"device": device, "dtype": dtype}
        super().__init__(num_layers, config, {"attention": attention}, **options)

    def forward(
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


def check_layer_options(module: torch.nn.Module) -> None:
    """Raise ValueError unless a Transformer layer of the library is one of ours."""
    check_options(
        "module",
        ("layer_norm_eps", module.norm1.eps, 1e-5),
        ("bias", module.linear1.bias is not None, True),
    )


def with_weights_of(
    module: torch.nn.Module, kind: type, **attentions: AttentionLayer
) -> Any:
    """A layer of ours with the choices, norms and network of one of the library's."""
    names = {function: name for name, function in ACTIVATIONS.items()}
    attention = attentions["attention"]
    layer = kind(
        attention.config["model_dim"],
        attention.num_heads,
        module.linear1.out_features,
        norm="pre" if module.norm_first else "post",
        activation=names.get(module.activation, "another"),
        dropout=module.dropout.p,
        **attentions,
    ).to(module.linear1.weight)
    parts = [(layer.feed_forward.inner, module.linear1)]
    parts += [(layer.feed_forward.outer, module.linear2)]
    for name, norm in module.named_children():
        if name.startswith("norm"):
            parts.append((getattr(layer, name), norm))
    for ours, theirs in parts:
        ours.load_state_dict(theirs.state_dict())
    return layer.train(module.training)
