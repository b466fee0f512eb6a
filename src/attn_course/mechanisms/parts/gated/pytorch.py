"""Parts for attention over heads in PyTorch. What they are for: ``__init__.py``."""

from typing import Any, ClassVar

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import (
    RMSNorm,
    is_mixed,
    make_linear,
    merge,
    reset_linear,
    split,
)
from attn_course.core.layer.shared import spell_config
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.core.shapes import check_at_least, check_flags, check_positive
from attn_course.mechanisms.dot_product.pytorch import allowed_softmax
from attn_course.mechanisms.parts.gated.shared import (
    check_gate,
    check_pair,
    check_score,
    heads_of_norm,
)

__all__ = ["CappedSoftmax", "OutputGate", "QueryKeyNorm", "SinkSoftmax"]


class OutputGate(torch.nn.Module):
    """context * sigmoid(x W + b): how much of each head, or element, goes on."""

    parity_names: ClassVar = {"linear": ""}

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        value_dim: int | None = None,
        *,
        use_bias: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        each = 1 if value_dim is None else value_dim
        check_at_least(1, model_dim=model_dim, num_heads=num_heads, value_dim=each)
        check_flags(use_bias=use_bias)
        sizes = {"model_dim": model_dim, "num_heads": num_heads, "value_dim": value_dim}
        self.config = sizes
        place = {"device": device, "dtype": dtype}
        self.linear = make_linear(model_dim, num_heads * each, use_bias, **place)

    def forward(self, context: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """context (B, H, T, V), the query's input x (B, T, D) -> (B, H, T, V)."""
        mixed = is_mixed(self.linear, x)
        check_gate(self.config, context, x, mixed=mixed)
        return context * torch.sigmoid(split(self.linear(x), self.config["num_heads"]))

    def reset_parameters(self) -> None:
        """Draw the weight anew."""
        reset_linear(self.linear)

    def extra_repr(self) -> str:
        return spell_config(self.config)


class QueryKeyNorm(torch.nn.Module):
    """Queries and keys of the same length each, times what is learned.

    num_heads, num_kv_heads: one length for all heads together; None is one for each.
    use_scale False: nothing is learned.
    """

    def __init__(
        self,
        key_dim: int,
        *,
        epsilon: float = 1e-6,
        num_heads: int | None = None,
        num_kv_heads: int | None = None,
        use_scale: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_at_least(1, key_dim=key_dim)
        check_positive(epsilon=epsilon)
        self.heads = heads_of_norm(num_heads, num_kv_heads, use_scale)
        self.key_dim, self.use_scale = key_dim, use_scale
        widths = [key_dim * (heads or 1) for heads in self.heads]
        options = {"eps": epsilon, "device": device, "dtype": dtype}
        options |= {"elementwise_affine": use_scale}
        self.query, self.key = (RMSNorm(width, **options) for width in widths)

    def forward(
        self, query: torch.Tensor, key: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """query (B, H, T, K), key (B, G, S, K) -> the same shapes."""
        check_pair(self.key_dim, self.heads, query, key)
        H, G = self.heads
        if H is None:
            return self.query(query), self.key(key)
        return split(self.query(merge(query)), H), split(self.key(merge(key)), G)

    def reset_parameters(self) -> None:
        """Begin with ones."""
        self.query.reset_parameters()
        self.key.reset_parameters()

    def extra_repr(self) -> str:
        sizes = dict(zip(("num_heads", "num_kv_heads"), self.heads, strict=True))
        sizes |= {} if self.use_scale else {"use_scale": False}
        return spell_config({"key_dim": self.key_dim, **sizes})


class SinkSoftmax(torch.nn.Module):
    """sigmoid(lse - b) * softmax(score): a head may attend to nothing."""

    def __init__(
        self, num_heads: int, *, device: Any = None, dtype: torch.dtype | None = None
    ) -> None:
        super().__init__()
        check_at_least(1, num_heads=num_heads)
        self.sink = torch.nn.Parameter(
            torch.zeros(num_heads, device=device, dtype=dtype)
        )

    def forward(self, score: torch.Tensor, mask: Mask = None) -> torch.Tensor:
        """score (B, H, ..., S) -> weights, whose rows sum to less than 1."""
        check_score(score, mask, len(self.sink))
        mask = to_mask(mask, score)
        lowest = torch.finfo(score.dtype).min
        seen = score if mask is None else torch.where(mask, score, lowest)
        lse = seen.logsumexp(dim=-1, keepdim=True)
        sink = self.sink.to(score.dtype).view(-1, *[1] * (score.ndim - 2))
        return torch.sigmoid(lse - sink) * allowed_softmax(score, mask)

    def reset_parameters(self) -> None:
        """Begin with zeros: the softmax off by one."""
        torch.nn.init.zeros_(self.sink)

    def extra_repr(self) -> str:
        return f"num_heads={len(self.sink)}"


class CappedSoftmax(torch.nn.Module):
    """softmax(cap * tanh(score / cap) + bias): no score beyond the cap."""

    takes_bias = True

    def __init__(self, cap: float) -> None:
        super().__init__()
        check_positive(cap=cap)
        self.cap = cap

    def forward(
        self,
        score: torch.Tensor,
        mask: Mask = None,
        bias: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """score (..., S), bias that broadcasts to it -> weights of score's shape."""
        check_score(score, mask)
        capped = self.cap * torch.tanh(score / self.cap)
        capped = capped if bias is None else capped + bias
        return allowed_softmax(capped, to_mask(mask, score))

    def extra_repr(self) -> str:
        return f"cap={self.cap}"
