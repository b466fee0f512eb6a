"""The encoder in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any, Self

from attn_course.core.convert import check_kind, check_options
from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import AttentionLayer, Parts, Tensor
from attn_course.core.layer.shared import check_words
from attn_course.core.masks.pytorch import Mask
from attn_course.mechanisms.multi_head.pytorch import MultiHeadAttention
from attn_course.models.encoder.shared import (
    Norm,
    caches_of,
    check_alike,
    check_attention_layer,
    check_maker,
    encoder_config,
    ends_with_norm,
    stack_config,
)
from attn_course.models.feed_forward.pytorch import FeedForward, make_norm
from attn_course.models.feed_forward.shared import Activation, Normalization

__all__ = ["Encoder", "EncoderLayer"]


class ResidualLayer(Parts):
    """Parts, each with a way around it and a norm before or behind.

    post   x = norm(x + part(x))
    pre    x = x + part(norm(x))
    both   x = x + behind(part(norm(x)))
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.config = config

    def enter(self, x: Tensor, norm: torch.nn.Module) -> Tensor:
        """What a part reads: x, and where the norm stands before, normed."""
        return x if self.config["norm"] == "post" else norm(x)

    def add(
        self,
        x: Tensor,
        found: Tensor,
        norm: torch.nn.Module,
        behind: torch.nn.Module | None = None,
    ) -> Tensor:
        """x and what a part found, and where the norm stands behind, normed."""
        found = found if behind is None else behind(found)
        x = x + self.dropout(found)
        return norm(x) if self.config["norm"] == "post" else x


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
        norm: Norm = "post",
        activation: Activation = "relu",
        normalization: Normalization = "layer",
        dropout: float = 0.0,
        eps: float | None = None,
        attention: AttentionLayer | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        choices = norm, activation, normalization, dropout, eps
        super().__init__(encoder_config(model_dim, num_heads, ff_dim, *choices))
        options = {"device": device, "dtype": dtype}
        maps = {"use_bias": normalization == "layer", "dropout": dropout, **options}
        if attention is None:
            attention = MultiHeadAttention(model_dim, num_heads, **maps)
        check_attention_layer(attention, model_dim)
        self.attention = attention
        self.norm1 = make_norm(normalization, model_dim, eps, **options)
        self.feed_forward = FeedForward(
            model_dim, ff_dim, activation=activation, **maps
        )
        self.norm2 = make_norm(normalization, model_dim, eps, **options)
        self.norm1_behind = self.norm2_behind = None
        if norm == "both":
            self.norm1_behind = make_norm(normalization, model_dim, eps, **options)
            self.norm2_behind = make_norm(normalization, model_dim, eps, **options)
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

    @classmethod
    def from_torch(cls, module: torch.nn.TransformerEncoderLayer) -> "EncoderLayer":
        """A layer with the weights of a ``torch.nn.TransformerEncoderLayer``.

        The output is the same, with ``norm_first`` too.

        Raises:
            ValueError: the module is another kind, or has an activation that ours has
            not.
        """
        check_kind("module", module, torch.nn.TransformerEncoderLayer)
        attention = MultiHeadAttention.from_torch(module.self_attn)
        return with_weights_of(module, cls, attention=attention)


class Stack(Parts):
    """Layers of one kind on each other, and a last norm where they begin with one."""

    kind: type
    library: type  # what ``from_torch`` takes

    def __init__(
        self,
        num_layers: int,
        config: dict[str, Any],
        attentions: dict[str, Callable[[int], AttentionLayer] | None],
        bias: torch.nn.Module | None,
        final_norm: bool | None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.config = stack_config(num_layers, config, final_norm)
        for name, make in attentions.items():
            check_maker(name, make, "lambda number: MultiHeadAttention(...)")
        self.layers = torch.nn.ModuleList(
            self.kind(
                **config,
                **{name: make and make(number) for name, make in attentions.items()},
                **options,
            )
            for number in range(num_layers)
        )
        self.final_norm = None
        if ends_with_norm(self.config):
            sizes = config["normalization"], config["model_dim"], config["eps"]
            self.final_norm = make_norm(*sizes, **options)
        self.bias = bias

    def with_bias(self, x: Tensor, bias: Tensor | None, cache: Any) -> Tensor | None:
        """The bias that is given and the stack's own, for all keys so far."""
        check_words(x, self.config["model_dim"])
        T = x.shape[1]
        own = self.bias(T, T if cache is None else cache.length + T)
        return own if bias is None else own + bias

    @classmethod
    def from_torch(cls, module: torch.nn.Module) -> Self:
        """A stack with the weights of one of the library's, whose class is ``library``.

        Raises:
            ValueError: the module is another kind, or a layer of it can't be carried
            over (``from_torch`` of the layer).
        """
        check_kind("module", module, cls.library)
        layers = [cls.kind.from_torch(layer) for layer in module.layers]
        config = check_alike(layers)
        ends = module.norm is not None
        stack = cls(len(layers), **config, final_norm=ends)
        stack.layers = torch.nn.ModuleList(layers)
        if ends:
            check_kind("module.norm", module.norm, torch.nn.LayerNorm)
            check_options("module", ("norm.eps", module.norm.eps, layers[0].norm1.eps))
            stack.final_norm.to(module.norm.weight)
            stack.final_norm.load_state_dict(module.norm.state_dict())
        return stack.train(module.training)


class Encoder(Stack):
    """A stack of ``EncoderLayer``: ``attn_course.reference.encoder``.

    Called with ``causal=True`` it is the stack of a GPT, a decoder that has nothing to
    look across to; with ``cache=`` of ``new_cache`` it reads on, token by token. From
    tokens to logits: ``LanguageModel``.

    attention: a function of a layer's number that makes its attention, or None.
    bias: a module (T, S) -> (1, H, T, S) whose bias all layers add to their scores,
        as ``AlibiBias(num_heads)`` or ``RelativeBias(num_heads)`` (T5), or None.

    Raises:
        ValueError: a size or choice is wrong, or an attention doesn't fit model_dim.
    """

    kind = EncoderLayer
    library = torch.nn.TransformerEncoder

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
        bias: torch.nn.Module | None = None,
        final_norm: bool | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        choices = norm, activation, normalization, dropout, eps
        config = encoder_config(model_dim, num_heads, ff_dim, *choices)
        options = {"device": device, "dtype": dtype}
        attentions = {"attention": attention}
        super().__init__(num_layers, config, attentions, bias, final_norm, **options)

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


def activation_name(function: Any) -> str:
    """What we call an activation of the library; nothing that ours could be."""
    F, nn = torch.nn.functional, torch.nn
    if isinstance(function, nn.GELU):
        return {"none": "gelu", "tanh": "gelu_tanh"}[function.approximate]
    names = {F.relu: "relu", torch.relu: "relu", F.gelu: "gelu", F.silu: "silu"}
    kinds = {nn.ReLU: "relu", nn.SiLU: "silu"}
    return names.get(function, kinds.get(type(function), "another"))


def with_weights_of(
    module: torch.nn.Module, kind: type, **attentions: AttentionLayer
) -> Any:
    """A layer of ours with the choices, norms and network of one of the library's."""
    attention, theirs = attentions["attention"], {}
    kinds = {"linear": torch.nn.Linear, "norm": torch.nn.LayerNorm}
    for name, part in module.named_children():
        if wanted := kinds.get(name.rstrip("123")):
            check_kind(f"module.{name}", part, wanted)
            theirs[name] = part
        elif name.startswith("dropout"):
            rate = getattr(part, "p", 0.0)
            check_options("module", (f"{name}.p", rate, module.dropout.p))
    eps, biased = module.norm1.eps, module.linear1.bias is not None
    for name, part in theirs.items():
        check_options(
            "module",
            (f"{name}.eps", getattr(part, "eps", eps), eps),
            (f"a bias of {name}", part.bias is not None, biased),
        )
    layer = kind(
        attention.config["model_dim"],
        attention.num_heads,
        module.linear1.out_features,
        norm="pre" if module.norm_first else "post",
        activation=activation_name(module.activation),
        normalization="layer" if biased else "layer_no_bias",
        dropout=module.dropout.p,
        eps=eps,
        **attentions,
    ).to(module.linear1.weight)
    network = {"linear1": layer.feed_forward.inner, "linear2": layer.feed_forward.outer}
    for name, part in theirs.items():
        ours = network.get(name) or getattr(layer, name)
        ours.load_state_dict(part.state_dict())
    return layer.train(module.training)
