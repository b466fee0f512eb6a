"""Linformer attention in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.core.chunked.pytorch import widen
from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import AttentionLayer, is_transformed
from attn_course.core.masks.pytorch import to_mask
from attn_course.mechanisms.dot_product.pytorch import scaled_dot_product_attention
from attn_course.mechanisms.low_rank.shared import (
    LinformerSizes,
    Sharing,
    check_linformer,
    check_linformer_call,
)

__all__ = ["LinformerAttention", "linformer_attention"]


def linformer_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Any = None,
    *,
    key_projection: torch.Tensor,
    value_projection: torch.Tensor | None = None,
    scale: float | None = None,
    need_weights: bool = True,
    softmax: Callable | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """See ``attn_course.reference.linformer_attention``.

    Computed in float32 or more; ``need_weights=False`` takes PyTorch's fused kernel.
    """
    check_linformer(query, key, value, mask, key_projection, value_projection)
    if value_projection is None:
        value_projection = key_projection
    dtype, seen, mask = query.dtype, None, to_mask(mask, query)
    query, key, value = widen(query, key, value)
    if mask is not None:
        key, value = (torch.where(mask.mT, x, 0.0) for x in (key, value))
        seen = mask.any(dim=-1, keepdim=True)
    wide = query.dtype  # autocast multiplies in a narrower one
    key = (key_projection.to(wide) @ key).to(wide)
    value = (value_projection.to(wide) @ value).to(wide)
    options = {"scale": scale, "softmax": softmax}
    options["need_weights"] = need_weights or is_transformed()
    found = scaled_dot_product_attention(query, key, value, seen, **options)
    output, weights = (None if x is None else x.to(dtype) for x in found)
    return output, weights if need_weights else None


class LinformerAttention(AttentionLayer):
    """Multi-head attention to ``rank`` mixtures of at most ``length`` keys.

    sharing: "heads" has one projection of keys and one of values for all heads,
    "key_value" one for both, "none" one a head of each. A shorter input takes their
    first columns. Weights are (B, H, T, rank). No bias, no causal, no dropout.

    Raises:
        ValueError: a size is not a whole number of at least 1, or sharing is unknown.
    """

    Sizes = LinformerSizes
    can_drop = False
    own_softmax = own_scale = True

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        length: int,
        rank: int,
        sharing: Sharing = "heads",
        **options: Any,
    ) -> None:
        own = {"length": length, "rank": rank, "sharing": sharing}
        super().__init__(model_dim, num_heads, own=own, **options)
        shape = (rank, length)
        if sharing == "none":
            shape = (num_heads, *shape)
        weight = self.query.weight
        self.key_projection = torch.nn.Parameter(weight.new_empty(shape))
        self.value_projection = None
        if sharing != "key_value":
            self.value_projection = torch.nn.Parameter(weight.new_empty(shape))
        self.reset_projections()

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        super().reset_parameters()
        self.reset_projections()

    def reset_projections(self) -> None:
        """Draw the projections: lengths are kept on average, as rank numbers add up."""
        for x in (self.key_projection, self.value_projection):
            if x is not None:
                torch.nn.init.normal_(x, std=self.sizes.rank**-0.5)

    def attend(self, query, key, value, mask, *, bias, causal, dropout, **options):
        length, S = self.sizes.length, key.shape[-2]
        check_linformer_call(bias, causal, dropout, S, length)
        names = ("key_projection", "value_projection")
        projections = {
            name: None if x is None else x[..., :S]
            for name, x in ((name, getattr(self, name)) for name in names)
        }
        return linformer_attention(query, key, value, mask, **projections, **options)
