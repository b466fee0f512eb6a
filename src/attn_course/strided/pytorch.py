"""The Sparse Transformer's patterns in PyTorch: strided and fixed.

The formulas stand in ``reference.py``.
"""

from typing import Any

from attn_course.blocks.pytorch import (
    Result,
    attend,
    beside,
    blocks_in,
    cut,
    few_heads,
    fold,
    in_groups,
    over_heads,
    split,
    unfold,
)
from attn_course.blocks.shared import (
    check_half,
    check_pattern,
    check_unweighted,
    half_of_heads,
)
from attn_course.dot_product.pytorch import softmax, wide
from attn_course.frameworks import torch
from attn_course.layers.pytorch import AttentionLayer, Mask, to_mask
from attn_course.masks.patterns import check_summary
from attn_course.shapes import check_at_least, check_choice
from attn_course.window.pytorch import near_keys

__all__ = [
    "FixedAttention",
    "StridedAttention",
    "fixed_attention",
    "strided_attention",
]
ROWS = 128  # queries whose summaries are cut where their future begins


def strided_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Mask = None,
    *,
    stride: int,
    heads: str = "merged",
    causal: bool = True,
) -> Result:
    """See ``attn_course.reference.strided_attention``.

    Folded into rows of ``stride``, a column is dense attention over T / stride
    positions. Merged forms T x (2 stride + S / stride) scores, split none in PyTorch's
    fused kernel. The weights are None.
    """
    check_choice("heads", heads, ("merged", "split"))
    check_at_least(1, stride=stride)
    check_pattern(query, key, value, mask)

    def some(*heads):
        return row_and_column(*heads, stride, causal)

    def merged(*heads):
        return few_heads(some, *heads)

    def row(*heads):
        return near_keys(*heads, stride + 1, causal)

    def column(*heads):
        return columns(*heads, stride, causal, mask is None)

    inputs = query, key, value, to_mask(mask, query)
    if heads == "merged":
        return over_heads(merged, *inputs)
    half = half_of_heads(query)
    contexts = []
    for attend_heads, start in ((row, 0), (column, half)):
        part = [some_heads(x, start, half) for x in inputs]
        contexts.append(over_heads(attend_heads, *part)[0])
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
) -> Result:
    """See ``attn_course.reference.fixed_attention``.

    A block of queries has its own block of keys beside the summaries of the others.
    The weights are None.
    """
    check_summary(stride, summary)
    check_pattern(query, key, value, mask)

    def attend_heads(*heads):
        return own_and_summaries(*heads, stride, summary, causal)

    return over_heads(attend_heads, query, key, value, mask)


class StridedAttention(AttentionLayer):
    """A layer whose heads see the row, the column, or both.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``strided_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    can_drop = False

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        stride: int,
        heads: str = "merged",
        **options: Any,
    ) -> None:
        check_at_least(1, stride=stride)
        check_choice("heads", heads, ("merged", "split"))
        check_half(heads, num_heads)
        super().__init__(model_dim, num_heads, **options)
        self.config |= {"stride": stride, "heads": heads}

    def attend(self, query, key, value, mask, *, causal, **options):
        check_unweighted(**options)
        sizes = {name: self.config[name] for name in ("stride", "heads")}
        return strided_attention(query, key, value, mask, causal=causal, **sizes)


class FixedAttention(AttentionLayer):
    """A layer whose heads see their own block and the summaries of all.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``fixed_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    can_drop = False

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        stride: int,
        summary: int,
        **options: Any,
    ) -> None:
        check_summary(stride, summary)
        super().__init__(model_dim, num_heads, **options)
        self.config |= {"stride": stride, "summary": summary}

    def attend(self, query, key, value, mask, *, causal, **options):
        check_unweighted(**options)
        sizes = {name: self.config[name] for name in ("stride", "summary")}
        return fixed_attention(query, key, value, mask, causal=causal, **sizes)


def row_and_column(query, key, value, seen, stride, causal):
    """One softmax over two parts: the row's scores and the column's."""
    T, S = query.shape[1], key.shape[1]
    front, first = (S - T) % stride, (S - T) // stride
    N, M = blocks_in(front + T, stride), blocks_in(S, stride)
    width = stride if causal else 2 * stride
    last = (first - 1 + N) * stride + width
    query_ZNCK = scaled(split(cut(query, -front, N * stride - front), stride))
    near = (cut(x, (first - 1) * stride, last) for x in (key, value, seen))
    key_ZNLK, value_ZNLV, seen_ZNL1 = (split(wider(x), stride, width) for x in near)
    # (Z, M, C, X) -> (Z, C, M, X): a column's positions beside each other.
    far = (split(wider(cut(x, 0, M * stride)), stride) for x in (key, value, seen))
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
    weights = joint_softmax((score_near, score_far), (mask_near, mask_far))
    context = weights[0] @ value_ZNLV
    context = context + (weights[1].transpose(1, 2) @ value_ZCMV).transpose(1, 2)
    return cut(context.flatten(1, 2), front, front + T).to(query.dtype)


def joint_softmax(scores, masks):
    """Softmax over the last axes of several scores together, taken apart again."""
    masks = (m.expand_as(s) for m, s in zip(masks, scores, strict=True))
    weights = softmax(torch.cat(scores, -1), torch.cat(tuple(masks), -1))
    return weights.split([x.shape[-1] for x in scores], -1)


def columns(query, key, value, seen, stride, causal, whole):
    """The context of queries that see the positions a multiple of stride away."""
    (Z, T), S = query.shape[:2], key.shape[1]
    front, first = (S - T) % stride, (S - T) // stride
    query = fold(query, stride, front)[:, None]
    key, value, seen = (
        fold(x, stride)[:, None] for x in (key, value, seen.expand(Z, -1, 1))
    )
    if causal and whole and T == S:
        context = attend(query, key, value, causal=True)
    else:
        allowed = seen.mT
        if causal:
            n = torch.arange(query.shape[2], device=query.device)[:, None]
            m = torch.arange(key.shape[2], device=query.device)
            allowed = allowed & (m <= n + first)
        context = attend(query, key, value, allowed)
    return unfold(context[:, 0], stride, front, T)


def own_and_summaries(query, key, value, seen, stride, summary, causal):
    """The context of queries that see their own block and summaries of the others."""
    T, S, C = query.shape[1], key.shape[1], stride
    front, first = (S - T) % C, (S - T) // C
    N, M = blocks_in(front + T, C), blocks_in(S, C)
    query = cut(query, -front, N * C - front)
    keys = key, value, seen
    summaries = [split(cut(x, 0, M * C), C)[:, :, -summary:] for x in keys]
    summaries = [x.flatten(1, 2) for x in summaries]
    i, of_block = (torch.arange(size, device=query.device) for size in (C, M * summary))
    of_block = of_block // summary

    def rows(start, stop):
        near = [split(cut(x, first * C + start, first * C + stop), C) for x in keys]
        near[2] = near[2].mT & (i <= i[:, None] + (0 if causal else C))
        n = torch.arange(start // C, stop // C, device=query.device)[:, None, None]
        limit = M * summary
        if causal and not torch.compiler.is_compiling():
            limit = max(0, min(M, first + stop // C - 1)) * summary
        others = [x[:, :limit] for x in summaries]
        distance = n + first - of_block[:limit]
        allowed = distance > 0 if causal else distance != 0
        others[2] = (allowed & others[2].mT[:, None]).expand(-1, -1, C, -1)
        return attend(split(query[:, start:stop], C), *beside(others, near)).flatten(
            1, 2
        )

    size = max(1, ROWS // C) * C
    return cut(in_groups(rows, query, value, size), front, front + T)


def some_heads(x, start, count):
    """Heads of (..., H, positions, X), or all where the axis has size 1."""
    if x is None or x.dim() < 3 or x.shape[-3] == 1:
        return x
    return x.narrow(-3, start, count)


def scaled(query):
    """The query as the scores want it: divided by sqrt(K), in float32 or more."""
    return wider(query) * query.shape[-1] ** -0.5


def wider(x):
    """In the dtype to compute in, float32 or more; a mask stays as it is."""
    return x if x.dtype == torch.bool else x.to(wide(x.dtype))
