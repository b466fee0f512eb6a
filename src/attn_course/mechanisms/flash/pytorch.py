"""Flash attention in PyTorch. Formulas: ``reference.py``.

With powers of 2 in place of e, as the kernels of FlashAttention have it: the scores are
scaled by log2(e) too, and 2 to that power is the same number, several times faster.
"""

import math
from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import AttentionLayer, is_transformed, plain
from attn_course.core.layer.shared import check_supported
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.core.precision.pytorch import wide
from attn_course.core.shapes import check_arrays, check_at_least, check_attention
from attn_course.mechanisms.dot_product.pytorch import dot_product, fused_attention
from attn_course.mechanisms.flash.shared import (
    TALL,
    FlashSizes,
    blocks,
    keys_before,
    memory_traffic,
)

__all__ = ["FlashAttention", "flash_attention", "memory_traffic", "online_softmax"]
LOG2_E = math.log2(math.e)


def renew(
    score: torch.Tensor, highest: torch.Tensor, total: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """One block of scores more: the new highest and total, what is kept, and exp."""
    new = torch.maximum(highest, score.amax(dim=-1, keepdim=True))
    kept = torch.exp2(highest - new)
    part = torch.exp2(score - new)
    return new, kept * total + part.sum(dim=-1, keepdim=True), kept, part


def online_softmax(score: torch.Tensor, *, block_size: int) -> torch.Tensor:
    """See ``attn_course.reference.online_softmax``.

    Computed in float32 or more, returned in score's dtype.
    """
    check_arrays(score=score)
    check_at_least(1, block_size=block_size)
    dtype, score = score.dtype, score.to(wide(score.dtype)) * LOG2_E
    highest, total = first(score[..., :1])
    for block in blocks(score.shape[-1], block_size):
        highest, total, _, _ = renew(score[..., block], highest, total)
    return (torch.exp2(score - highest) / apart(total)).to(dtype)


def first(like):
    """The highest score and the total before any score: (..., 1) each."""
    # Finite: minus infinity minus itself is NaN.
    lowest = torch.full_like(like, torch.finfo(like.dtype).min)
    return lowest.detach(), torch.zeros_like(like)


def apart(total):
    """The total, and 1 where nothing may be seen: what one can divide by."""
    return torch.where(total == 0, 1.0, total)


def flash_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Mask = None,
    *,
    causal: bool = False,
    block_size: int = 128,
    scale: float | None = None,
) -> tuple[torch.Tensor, None]:
    """See ``attn_course.reference.flash_attention``.

    On a CPU one head at a time, elsewhere all together. The backward pass forms the
    scores of ``block_size`` queries at a time again; a second derivative keeps them.
    ``torch.compile`` and ``torch.export`` get PyTorch's own fused attention: a graph
    has no loop over a length that may change. Under ``torch.func`` all scores are
    formed: the tiles have no rule for ``vmap`` and ``jvp``.
    """
    check_attention(query, key, value, mask)
    check_at_least(1, block_size=block_size)
    if torch.compiler.is_compiling():
        return fused_attention(query, key, value, mask, None, scale, causal), None
    if is_transformed():
        options = {"causal": causal, "scale": scale}
        return dot_product(query, key, value, mask, **options)[0], None
    dtype, lead = query.dtype, query.shape[:-2]
    query, key, value = (
        x.to(wide(dtype)).reshape(math.prod(lead), *x.shape[-2:])
        for x in (query, key, value)
    )
    if scale is not None:  # the tiles divide by sqrt(K)
        query = query * (scale * query.shape[-1] ** 0.5)
    spread = None if mask is None else Spread(to_mask(mask, query), lead, query, key)
    output, _ = Tiles.apply(query, key, value, spread, causal, block_size)
    return output.view(*lead, *output.shape[1:]).to(dtype), None


class Spread:
    """A mask for all heads, of which a tile is taken: it is never spread as a whole."""

    def __init__(self, mask, lead, query, key):
        own = torch.arange(math.prod(mask.shape[:-2]), device=mask.device)
        self.own = own.view(mask.shape[:-2]).expand(lead).reshape(-1)
        flat = mask.reshape(-1, *mask.shape[-2:])
        self.mask = flat.expand(-1, query.shape[1], key.shape[1])

    def tile(self, heads, rows, columns):
        """Who may be seen: (Z, C, C) for a group of heads."""
        return self.mask[:, rows, columns][self.own[heads]]


def scores(query, key, spread, causal, sizes, tile):
    """The scores of a tile, minus infinity where blocked; the query is scaled."""
    (T, S), (_, rows, columns) = sizes, tile
    score = query @ key.mT
    last = rows.start + S - T  # the last key that the first query sees
    if causal and columns.stop > last + 1:
        allowed = score.new_ones(score.shape[1:], dtype=torch.bool)
        score.masked_fill_(~allowed.tril_(last - columns.start), -torch.inf)
    if spread is not None:
        score.masked_fill_(~spread.tile(*tile), -torch.inf)
    return score


def forward(query, key, value, spread, causal, block_size):
    """The output (Z, T, V), and highest + log2(total), (Z, T, 1)."""
    (Z, T, K), S = query.shape, key.shape[1]
    output = value.new_empty(Z, T, value.shape[2])
    log_total = value.new_empty(Z, T, 1)
    for heads in blocks(Z, 1 if query.device.type == "cpu" else Z):
        for rows in blocks(T, TALL * block_size):
            own = query[heads, rows] * (LOG2_E * K**-0.5)
            highest, total = first(log_total[heads, rows])
            context = torch.zeros_like(output[heads, rows])
            for columns in blocks(keys_before(rows.stop, T, S, causal), block_size):
                tile = heads, rows, columns
                score = scores(own, key[heads, columns], spread, causal, (T, S), tile)
                highest, total, kept, part = renew(score, highest, total)
                context.mul_(kept).baddbmm_(part, value[heads, columns])
            output[heads, rows] = context / apart(total)
            log_total[heads, rows] = torch.where(
                total == 0, 0.0, highest + total.log2()
            )
    return output, log_total


def backward(query, key, value, spread, causal, block_size, saved, grads):
    """The gradients of query, key and value, by blocks of queries and all their keys.

    Source: FlashAttention-2, Algorithm 2.
    """
    (Z, T, K), S = query.shape, key.shape[1]
    into = [torch.zeros_like(x) for x in (query, key, value)]
    for heads in blocks(Z, 1 if query.device.type == "cpu" else Z):
        for rows in blocks(T, block_size):
            tile = heads, rows, slice(0, keys_before(rows.stop, T, S, causal))
            own, keys = query[heads, rows] * K**-0.5, key[heads, tile[2]]
            output, log_total, own_grad, log_grad = (
                x[heads, rows] for x in (*saved, *grads)
            )
            score = scores(own * LOG2_E, keys, spread, causal, (T, S), tile)
            weights = (score - log_total).exp2_()
            dot = (own_grad * output).sum(dim=-1, keepdim=True) - LOG2_E * log_grad
            grad_score = weights * (own_grad @ value[heads, tile[2]].mT - dot)
            into[0][heads, rows] = grad_score @ keys * K**-0.5
            into[1][heads, tile[2]] += grad_score.mT @ own
            into[2][heads, tile[2]] += weights.mT @ own_grad
    return into


class Tiles(torch.autograd.Function):
    """``forward`` with ``backward``: autograd alone would keep every tile."""

    @staticmethod
    def forward(query, key, value, spread, causal, block_size):
        with plain(query):
            return forward(query, key, value, spread, causal, block_size)

    @staticmethod
    def setup_context(ctx, inputs, output):
        *heads, ctx.spread, ctx.causal, ctx.block_size = inputs
        ctx.save_for_backward(*heads, *output)

    @staticmethod
    def backward(ctx, *grads):
        *heads, output, log_total = ctx.saved_tensors
        options = ctx.spread, ctx.causal, ctx.block_size
        with plain(output):
            found = backward(*heads, *options, (output, log_total), grads)
        return (*found, None, None, None)


class FlashAttention(AttentionLayer):
    """Multi-head attention that never forms its weights: ``flash_attention``.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``. The
    weights are None. No bias of scores, no dropout, no other softmax: it is taken
    tile by tile.

    Raises:
        ValueError: a size is no whole number of at least 1, dropout; in the call, a
            bias.
    """

    Sizes = FlashSizes
    can_drop = False
    own_scale = True

    def __init__(
        self, model_dim: int, num_heads: int, *, block_size: int = 128, **options: Any
    ) -> None:
        own = {"block_size": block_size}
        super().__init__(model_dim, num_heads, own=own, **options)

    def attend(
        self, query, key, value, mask, *, bias, need_weights, dropout, **options
    ):
        check_supported("FlashAttention", bias=bias, dropout=dropout)
        options["block_size"] = self.sizes.block_size
        return flash_attention(query, key, value, mask, **options)
