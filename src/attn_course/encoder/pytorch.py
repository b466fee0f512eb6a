"""The encoder in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any, ClassVar

from attn_course.encoder.shared import (
    caches_of,
    check_attention_layer,
    check_words,
    encoder_config,
    feed_forward_config,
)
from attn_course.frameworks import torch
from attn_course.layers.pytorch import (
    AttentionLayer,
    Mask,
    RMSNorm,
    is_mixed,
    linear,
    reset_linear,
)
from attn_course.layers.shared import spell_config
from attn_course.multi_head.pytorch import MultiHeadAttention
from attn_course.multi_head.shared import check_kind, check_options
from attn_course.shapes import check_at_least, check_floats

__all__ = ["Encoder", "EncoderLayer", "FeedForward"]

ACTIVATIONS = {
    "relu": torch.nn.functional.relu,
    "gelu": torch.nn.functional.gelu,
    "swiglu": torch.nn.functional.silu,
}


class FeedForward(torch.nn.Module):
    """The same small network at every position: ``attn_course.reference.feed_forward``.

    Raises:
        ValueError: a size or the activation is wrong.
    """

    parity_names: ClassVar = {"inner": "0", "outer": "1"}

    def __init__(
        self,
        model_dim: int,
        ff_dim: int,
        *,
        activation: str = "relu",
        use_bias: bool = True,
        dropout: float = 0.0,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        sizes = model_dim, ff_dim, activation, use_bias, dropout
        self.config = feed_forward_config(*sizes)
        options = {"device": device, "dtype": dtype}
        use_bias = self.config["use_bias"]
        self.inner = linear(model_dim, ff_dim, use_bias, **options)
        self.outer = linear(ff_dim, model_dim, use_bias, **options)
        self.gate = None
        if activation == "swiglu":
            self.gate = linear(model_dim, ff_dim, use_bias, **options)
        self.activation = ACTIVATIONS[activation]
        self.dropout = torch.nn.Dropout(dropout)

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        for part in self.children():
            if isinstance(part, torch.nn.Linear):
                reset_linear(part)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x (B, T, model_dim) -> (B, T, model_dim); raises ValueError for another x."""
        check_words(x, self.config["model_dim"], needed=False)
        if not is_mixed(self.inner, x):
            check_floats(weight=self.inner.weight, x=x)
        hidden = self.inner(x)
        if self.gate is None:
            hidden = self.activation(hidden)
        else:
            hidden = self.activation(self.gate(x)) * hidden
        return self.outer(self.dropout(hidden))

    def extra_repr(self) -> str:
        return spell_config(self.config)


class EncoderLayer(torch.nn.Module):
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
        super().__init__()
        choices = norm, activation, normalization, dropout
        self.config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        options = {"device": device, "dtype": dtype}
        maps = {"use_bias": normalization == "layer", "dropout": dropout, **options}
        if attention is None:
            attention = MultiHeadAttention(model_dim, num_heads, **maps)
        check_attention_layer(attention, model_dim)
        self.norm, self.attention = norm, attention
        self.norm1 = make_norm(normalization, model_dim, **options)
        self.feed_forward = FeedForward(
            model_dim, ff_dim, activation=activation, **maps
        )
        self.norm2 = make_norm(normalization, model_dim, **options)
        self.dropout = torch.nn.Dropout(dropout)

    def forward(
        self,
        x: torch.Tensor,
        mask: Mask = None,
        *,
        bias: torch.Tensor | None = None,
        causal: bool = False,
        need_weights: bool = True,
        head_mask: torch.Tensor | None = None,
        cache: Any = None,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
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

    @classmethod
    def from_torch(cls, module: torch.nn.TransformerEncoderLayer) -> "EncoderLayer":
        """A layer with the weights of a ``torch.nn.TransformerEncoderLayer``.

        The output is the same, with ``norm_first`` too.

        Raises:
            ValueError: the module is another kind, has an activation that ours has not,
            or another epsilon than 1e-5.
        """
        check_kind("module", module, torch.nn.TransformerEncoderLayer)
        names = {function: name for name, function in ACTIVATIONS.items()}
        activation = names.get(module.activation, "another")
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
            activation=activation,
            dropout=module.dropout.p,
            attention=attention,
        ).to(module.linear1.weight)
        parts = (
            (layer.feed_forward.inner, module.linear1),
            (layer.feed_forward.outer, module.linear2),
            (layer.norm1, module.norm1),
            (layer.norm2, module.norm2),
        )
        for ours, theirs in parts:
            ours.load_state_dict(theirs.state_dict())
        return layer.train(module.training)


class Encoder(torch.nn.Module):
    """A stack of ``EncoderLayer``: ``attn_course.reference.encoder``.

    attention: a function of a layer's number that makes its attention, or None.

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
            EncoderLayer(
                **config,
                attention=None if attention is None else attention(number),
                **options,
            )
            for number in range(num_layers)
        )
        self.final_norm = None
        if norm == "pre":
            self.final_norm = make_norm(normalization, model_dim, **options)

    def forward(
        self,
        x: torch.Tensor,
        mask: Mask = None,
        *,
        bias: torch.Tensor | None = None,
        causal: bool = False,
        need_weights: bool = True,
        cache: Any = None,
    ) -> tuple[torch.Tensor, tuple[torch.Tensor | None, ...]]:
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

    def extra_repr(self) -> str:
        return spell_config(self.config)


def make_norm(normalization: str, model_dim: int, **options: Any) -> torch.nn.Module:
    """LayerNorm with epsilon 1e-5, or RMSNorm with 1e-6."""
    if normalization == "rms":
        return RMSNorm(model_dim, eps=1e-6, **options)
    return torch.nn.LayerNorm(model_dim, eps=1e-5, **options)
