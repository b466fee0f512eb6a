"""Chosen blocks in PyTorch: the formula, then what is called."""

from collections.abc import Callable
from typing import Any

from attn_course.core.chunked.pytorch import chunks, widen
from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import AttentionLayer
from attn_course.core.layer.shared import check_supported
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.mechanisms.chosen_blocks.shared import BlockSizes, check_blocks
from attn_course.mechanisms.dot_product.pytorch import block_future, dot_product
from attn_course.mechanisms.indexed.pytorch import highest

__all__ = ["ChosenBlocksAttention", "chosen_blocks_attention"]


def keys_of_blocks(query, key, seen, block_size, top_k):
    """The formula: which keys stand in chosen blocks, (..., T, S); seen (..., S, 1)."""
    T, S, place = query.shape[-2], key.shape[-2], {"device": key.device}
    count = chunks(seen.to(key.dtype), block_size).sum(dim=-2)
    sums = chunks(torch.where(seen, key, 0.0), block_size).sum(dim=-2)
    score = query @ (sums / count.clamp(min=1)).mT
    block = torch.arange(score.shape[-1], **place)
    own = (torch.arange(S - T, S, **place) // block_size)[:, None]
    score = torch.where(block == own, torch.inf, score)
    chosen = highest(score, top_k, (block <= own) & (count > 0).mT)
    return chosen[..., torch.arange(S, **place) // block_size]


def chosen_blocks_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Mask = None,
    *,
    block_size: int,
    top_k: int,
    scale: float | None = None,
    need_weights: bool = True,
    softmax: Callable | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """See ``attn_course.reference.chosen_blocks_attention``.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_blocks((query, key, value), mask, block_size, top_k)
    mask = to_mask(mask, query)
    every = key.new_ones((key.shape[-2], 1), dtype=torch.bool)
    seen = every if mask is None else mask.mT
    chosen = keys_of_blocks(*widen(query, key), seen, block_size, top_k)
    mask = block_future(chosen if mask is None else chosen & mask, query, key)
    options = {"scale": scale, "need_weights": need_weights, "softmax": softmax}
    return dot_product(query, key, value, mask, **options)


class ChosenBlocksAttention(AttentionLayer):
    """Layer of ``chosen_blocks_attention``: causal; no bias of scores, no dropout.

    Raises:
        ValueError: block_size or top_k is no whole number of at least 1, or as every
            ``AttentionLayer`` does.
    """

    Sizes = BlockSizes
    can_drop = mask_rows = False
    own_softmax = own_scale = reads_positions = True

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        block_size: int,
        top_k: int,
        **options: Any,
    ) -> None:
        own = {"block_size": block_size, "top_k": top_k}
        super().__init__(model_dim, num_heads, own=own, **options)

    def attend(self, query, key, value, mask, *, bias, causal, dropout, **options):
        check_supported("ChosenBlocksAttention", bias=bias, dropout=dropout)
        sizes = {"block_size": self.sizes.block_size, "top_k": self.sizes.top_k}
        return chosen_blocks_attention(query, key, value, mask, **sizes, **options)
