"""Layers of Hugging Face's models in PyTorch, as ``__init__.py`` says."""

from typing import Any, ClassVar

from attn_course.core.chunked.pytorch import pad
from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import Module, make_linear, merge, split
from attn_course.core.layer.shared import check_supported
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.core.parity import set_parameters
from attn_course.mechanisms.delta_rule.pytorch import delta_rule_attention
from attn_course.mechanisms.differential.pytorch import DifferentialAttention
from attn_course.mechanisms.grouped_query.pytorch import GroupedQueryAttention
from attn_course.mechanisms.indexed.pytorch import IndexedAttention
from attn_course.mechanisms.latent.pytorch import LatentAttention
from attn_course.mechanisms.multi_head.pytorch import MultiHeadAttention
from attn_course.mechanisms.parts.gated.pytorch import (
    CappedSoftmax,
    OutputGate,
    QueryKeyNorm,
    SinkSoftmax,
)
from attn_course.mechanisms.parts.lengthening.pytorch import LogLengthScale
from attn_course.mechanisms.parts.positional.pytorch import RotaryEncoding
from attn_course.mechanisms.window.pytorch import SlidingWindowAttention
from attn_course.models.encoder.pytorch import EncoderLayer
from attn_course.models.huggingface.shared import check_words, read_huggingface

__all__ = ["from_huggingface"]


class GatedDeltaNet(Module):
    """The linear layer of Qwen3-Next, Qwen3.5 and Kimi Linear, around the delta rule.

    query, key, value = silu(convolution(linear maps of x)), the first two at length 1
    decay = exp(-exp(rate) * softplus(linear map)), one a head, or a column of its key
    output = linear(scale * context / rms(context) * activation(gate))

    The convolution is short and causal, each column by itself. Always causal. The mask
    is padding. No state, no cache: a text at once.
    """

    parity_joint = "_"
    activations: ClassVar = {"silu": torch.nn.functional.silu, "sigmoid": torch.sigmoid}

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        key_dim: int,
        value_dim: int,
        taps: int,
        columns: bool,
        activation: str,
        epsilon: float,
    ) -> None:
        super().__init__()
        H, K, V = self.sizes = num_heads, key_dim, value_dim
        self.model_dim = model_dim
        self.activation, self.epsilon = self.activations[activation], epsilon
        for name, width in (("query", K), ("key", K), ("value", V), ("gate", V)):
            setattr(self, name, make_linear(model_dim, H * width, False))
        self.beta = make_linear(model_dim, H, False)
        self.decay = make_linear(model_dim, H * (K if columns else 1), True)
        self.output = make_linear(H * V, model_dim, False)
        self.convolution = torch.nn.Parameter(torch.zeros(taps, H * (2 * K + V)))
        self.rate = torch.nn.Parameter(torch.zeros(H))
        self.scale = torch.nn.Parameter(torch.ones(V))

    def forward(
        self, x: torch.Tensor, mask: Mask = None, *, cache: Any = None, **_: Any
    ) -> tuple[torch.Tensor, None]:
        """x (B, S, model_dim), mask (B, 1, 1, S) -> the same shape, None."""
        check_supported("GatedDeltaNet", cache=cache)
        check_words(x, self.model_dim, mask)
        if mask is not None:
            mask = to_mask(mask, x)
            x = torch.where(mask[:, 0, 0, :, None], x, 0.0)
        H, K, V = self.sizes
        joint = torch.cat([self.query(x), self.key(x), self.value(x)], dim=-1)
        joint = torch.nn.functional.silu(convolved(joint, self.convolution))
        parts = joint.split([H * K, H * K, H * V], dim=-1)
        query, key, value = (split(part, H) for part in parts)
        fall = split(self.decay(x), H)  # (B, H, S, 1 or K)
        fall = torch.nn.functional.softplus(fall)
        decay = (-self.rate.exp()[:, None, None] * fall).exp()
        context, _ = delta_rule_attention(
            K**-0.5 * of_length_1(query),
            of_length_1(key),
            value,
            torch.sigmoid(self.beta(x)).mT,
            mask=mask,
            decay=decay[..., 0] if decay.shape[-1] == 1 else decay,
        )
        square = context.square().mean(dim=-1, keepdim=True)
        context = self.scale * context * (square + self.epsilon).rsqrt()
        context = context * self.activation(split(self.gate(x), H))
        return self.output(merge(context)), None


def convolved(x, taps):
    """x (B, S, X): of every column the last N positions times its taps (N, X)."""
    N, S = len(taps), x.shape[1]
    x = pad(x, N - 1, 0)
    return sum(x[:, n : n + S] * taps[n] for n in range(N))


def of_length_1(x):
    """x at length 1, but for what is nearly 0."""
    return x * (x.square().sum(dim=-1, keepdim=True) + 1e-6).rsqrt()


KINDS = {
    kind.__name__: kind
    for kind in (
        CappedSoftmax,
        DifferentialAttention,
        GatedDeltaNet,
        GroupedQueryAttention,
        IndexedAttention,
        LatentAttention,
        LogLengthScale,
        MultiHeadAttention,
        OutputGate,
        QueryKeyNorm,
        RotaryEncoding,
        SinkSoftmax,
        SlidingWindowAttention,
    )
}


def from_huggingface(module: torch.nn.Module) -> torch.nn.Module:
    """One of our layers with the weights of a layer of ``transformers``.

    See ``attn_course.models.huggingface`` for the models, and how each is called.

    Raises:
        ValueError: the module is of another class, or has what ours has not.
    """
    recipe = read_huggingface(module)
    parts = {name: KINDS[kind](**own) for name, (kind, own) in recipe.parts.items()}
    layer = KINDS[recipe.kind](**recipe.options, **parts)
    if recipe.layer is not None:
        layer = EncoderLayer(**recipe.layer, attention=layer)
    like = next(iter(module.state_dict().values()))
    layer = layer.to(device=like.device, dtype=like.dtype)
    set_parameters(layer, recipe.parameters)
    return layer.train(module.training)
