"""The Sparse Transformer's patterns in PyTorch: strided and fixed.

The formulas stand in ``reference.py``.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.masks.patterns import check_summary
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.core.precision.pytorch import wide
from attn_course.mechanisms.blocks.pytorch import (
    PatternAttention,
    Result,
    attend,
    beside,
    blocks_in,
    cut,
    few_heads,
    from_blocks,
    from_columns,
    in_parts,
    near_keys,
    over_heads,
    to_blocks,
    to_columns,
)
from attn_course.mechanisms.blocks.shared import check_pattern
from attn_course.mechanisms.dot_product.pytorch import allowed_softmax
from attn_course.mechanisms.strided.shared import (
    FixedSizes,
    Heads,
    StridedSizes,
    check_strided,
    half_of_heads,
)

__all__ = ["FixedAttention", "StridedAttention", "fixed_attention", "strided_attention"]
ROWS = 128  # queries whose summaries are cut where their future begins


def strided_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Mask = None,
    *,
    stride: int,
    heads: Heads = "merged",
    causal: bool = True,
    softmax: Callable | None = None,
    scale: float | None = None,
) -> Result:
    """See ``attn_course.reference.strided_attention``.

    Folded into rows of ``stride``, a column is dense attention over T / stride
    positions. Merged forms T x (2 stride + S / stride) scores, split none in PyTorch's
    fused kernel. The weights are None.
    """
    check_strided(stride, heads)
    check_pattern(query, key, value, mask)
    how = {"causal": causal, "softmax": softmax, "scale": scale}
    return strided(query, key, value, mask, stride=stride, heads=heads, **how)


def strided(query, key, value, mask, *, stride, heads, softmax=None, **how):
    """``strided_attention`` of what was checked."""
    inputs = query, key, value, to_mask(mask, query)
    if heads == "merged":
        how |= {"softmax": softmax, "stride": stride}
        return over_heads(partial(few_heads, row_and_column), *inputs, **how)
    half, contexts = half_of_heads(query), []
    row = near_keys, 0, {"window": stride + 1}
    column = columns, half, {"stride": stride, "whole": mask is None}
    for context_of, start, own in (row, column):
        part = [some_heads(x, start, half) for x in inputs]
        how["softmax"] = softmax and of_some_heads(softmax, start, half)
        contexts.append(over_heads(context_of, *part, **own, **how)[0])
    return torch.cat(contexts, -3), None


def fixed_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Mask = None,
    *,
    stride: int,
    summary: int,
    causal: bool = True,
    softmax: Callable | None = None,
    scale: float | None = None,
) -> Result:
    """See ``attn_course.reference.fixed_attention``.

    A block of queries has its own block of keys beside the summaries of the others.
    The weights are None.
    """
    check_summary(stride, summary)
    check_pattern(query, key, value, mask)
    how = {"causal": causal, "softmax": softmax, "scale": scale}
    return fixed(query, key, value, mask, stride=stride, summary=summary, **how)


def fixed(query, key, value, mask, **how):
    """``fixed_attention`` of what was checked."""
    return over_heads(own_and_summaries, query, key, value, mask, **how)


class SparseTransformerAttention(PatternAttention):
    """A pattern that is causal unless the call says ``causal=False``."""

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor | None = None,
        value: torch.Tensor | None = None,
        mask: Mask = None,
        *,
        causal: bool = True,
        **options: Any,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """As ``AttentionLayer``; causal where nothing else is said, as in the paper."""
        return super().forward(query, key, value, mask, causal=causal, **options)


class StridedAttention(SparseTransformerAttention):
    """A layer whose heads see the row, the column, or both; causal by default.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``strided_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    Sizes = StridedSizes
    pattern = staticmethod(strided)

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        stride: int,
        heads: Heads = "merged",
        **options: Any,
    ) -> None:
        own = {"stride": stride, "heads": heads}
        super().__init__(model_dim, num_heads, own=own, **options)


class FixedAttention(SparseTransformerAttention):
    """A layer whose heads see their own block and all summaries; causal by default.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``fixed_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    Sizes = FixedSizes
    pattern = staticmethod(fixed)

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        stride: int,
        summary: int,
        **options: Any,
    ) -> None:
        own = {"stride": stride, "summary": summary}
        super().__init__(model_dim, num_heads, own=own, **options)


def row_and_column(query, key, value, seen, stride, causal, softmax=None, scale=None):
    """One softmax over two parts: the row's scores and the column's."""
    T, S = query.shape[1], key.shape[1]
    front, first = (S - T) % stride, (S - T) // stride
    N, M = blocks_in(front + T, stride), blocks_in(S, stride)
    width = stride if causal else 2 * stride
    last = (first - 1 + N) * stride + width
    query = cut(query, -front, N * stride - front)
    query_ZNCK = scaled(to_blocks(query, stride), scale)
    near = (cut(x, (first - 1) * stride, last) for x in (key, value, seen))
    key_ZNLK, value_ZNLV, seen_ZNL1 = (to_blocks(wider(x), stride, width) for x in near)
    # (Z, M, C, X) -> (Z, C, M, X): a column's positions beside each other.
    far = (to_blocks(wider(cut(x, 0, M * stride)), stride) for x in (key, value, seen))
    key_ZCMK, value_ZCMV, seen_ZCM1 = (x.transpose(1, 2) for x in far)

    n, m = (torch.arange(count, device=query.device) for count in (N, M))
    i, j = (
        torch.arange(count, device=query.device) for count in (stride, stride + width)
    )
    rows_apart = (n[:, None, None] + first) - m
    rows_apart = rows_apart if causal else rows_apart.abs()
    mask_near = (i[:, None] <= j) & (j <= i[:, None] + width) & seen_ZNL1.mT
    mask_far = (rows_apart > 1) & seen_ZCM1.mT.transpose(1, 2)  # 0 and 1 are near

    score_near = query_ZNCK @ key_ZNLK.mT
    score_far = (query_ZNCK.transpose(1, 2) @ key_ZCMK.mT).transpose(1, 2)
    scores, masks = (score_near, score_far), (mask_near, mask_far)
    weights = joint_softmax(scores, masks, softmax)
    context = weights[0] @ value_ZNLV
    context = context + (weights[1].transpose(1, 2) @ value_ZCMV).transpose(1, 2)
    return cut(from_blocks(context), front, front + T).to(query.dtype)


def joint_softmax(scores, masks, softmax=None):
    """Softmax over the last axes of several scores together, taken apart again."""
    masks = (m.expand_as(s) for m, s in zip(masks, scores, strict=True))
    softmax = allowed_softmax if softmax is None else softmax
    weights = softmax(torch.cat(scores, -1), torch.cat(tuple(masks), -1))
    return weights.split([x.shape[-1] for x in scores], -1)


def columns(query, key, value, seen, stride, causal, whole, **how):
    """The context of queries that see the positions a multiple of stride away."""
    (Z, T), S = query.shape[:2], key.shape[1]
    front, first = (S - T) % stride, (S - T) // stride
    query = to_columns(query, stride, front)[:, None]
    key, value, seen = (
        to_columns(x, stride)[:, None] for x in (key, value, seen.expand(Z, -1, 1))
    )
    if causal and whole and T == S:
        context = attend(query, key, value, causal=True, **how)
    else:
        allowed = seen.mT
        if causal:
            n = torch.arange(query.shape[2], device=query.device)[:, None]
            m = torch.arange(key.shape[2], device=query.device)
            allowed = allowed & (m <= n + first)
        context = attend(query, key, value, allowed, **how)
    return from_columns(context[:, 0], stride, front, T)


def own_and_summaries(query, key, value, seen, stride, summary, causal, **how):
    """The context of queries that see their own block and summaries of the others."""
    T, S, C = query.shape[1], key.shape[1], stride
    front, first = (S - T) % C, (S - T) // C
    N, M = blocks_in(front + T, C), blocks_in(S, C)
    query = cut(query, -front, N * C - front)
    keys = key, value, seen
    summaries = [to_blocks(cut(x, 0, M * C), C)[:, :, -summary:] for x in keys]
    summaries = [from_blocks(x) for x in summaries]
    i, of_block = (torch.arange(size, device=query.device) for size in (C, M * summary))
    of_block = of_block // summary

    def rows(start, stop):
        near = [to_blocks(cut(x, first * C + start, first * C + stop), C) for x in keys]
        near[2] = near[2].mT & (i <= i[:, None] + (0 if causal else C))
        n = torch.arange(start // C, stop // C, device=query.device)[:, None, None]
        limit = M * summary
        if causal and not torch.compiler.is_compiling():
            limit = max(0, min(M, first + stop // C - 1)) * summary
        others = [x[:, :limit] for x in summaries]
        distance = n + first - of_block[:limit]
        allowed = distance > 0 if causal else distance != 0
        others[2] = (allowed & others[2].mT[:, None]).expand(-1, -1, C, -1)
        asked = to_blocks(query[:, start:stop], C)
        return from_blocks(attend(asked, *beside(others, near), **how))

    size = max(1, ROWS // C) * C
    return cut(in_parts(rows, query, size), front, front + T)


def some_heads(x, start, count):
    """Heads of (..., H, positions, X), or all where the axis has size 1."""
    if x is None or x.dim() < 3 or x.shape[-3] == 1:
        return x
    return x.narrow(-3, start, count)


def of_some_heads(softmax, start, count):
    """A softmax of all heads for a half of them: it gets their scores for both."""

    def some(score, mask):
        both = (x if x is None else torch.cat([x, x], 1) for x in (score, mask))
        return softmax(*both).narrow(1, start, count)

    return some


def scaled(query, scale):
    """The query as the scores want it: divided by sqrt(K), in float32 or more."""
    return wider(query) * (query.shape[-1] ** -0.5 if scale is None else scale)


def wider(x):
    """In the dtype to compute in, float32 or more; a mask stays as it is."""
    return x if x.dtype == torch.bool else x.to(wide(x.dtype))
