"""Blocks of positions in PyTorch: what all sparse patterns are computed with.

Every function has the leading axes as one: ``Z`` examples and heads, heads last.
"""

import math
from collections.abc import Callable
from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import AttentionLayer, is_transformed
from attn_course.core.masks.pytorch import to_mask
from attn_course.mechanisms.blocks.shared import check_unweighted, own_sizes
from attn_course.mechanisms.dot_product.pytorch import dot_product

__all__: list[str] = []
BLOCK = 64  # queries that share their keys: more of them waste keys, fewer waste time
MEMORY_GROUP = 2**14  # queries of all heads computed together, to save memory
CACHE_GROUP = 2**12  # the same, where their scores are to fit a processor's cache
Result = tuple[torch.Tensor, None]


def over_heads(
    attend_heads: Callable,
    query,
    key,
    value,
    mask=None,
    *,
    softmax=None,
    scale=None,
    **own,
) -> Result:
    """Call with all leading axes as one: (Z, T, K), (Z, S, K), (Z, S, V), (Z, S, 1).

    And with the sizes of the pattern, and ``softmax=`` and ``scale=``, which ``attend``
    takes. What comes in was checked.
    """
    mask = to_mask(mask, query)
    lead, S = query.shape[:-2], key.shape[-2]
    heads = [as_one(x) for x in (query, key, value)]
    if mask is None:
        seen = key.new_ones(1, S, 1, dtype=torch.bool)
    else:
        seen = mask.mT.expand(*lead, S, 1).reshape(math.prod(lead), S, 1)
    how = {"softmax": softmax and of_heads(softmax, query), "scale": scale}
    context = attend_heads(*heads, seen, **own, **how)
    return context.reshape(*lead, *context.shape[-2:]), None


def as_one(x):
    """The leading axes of (..., positions, X) as one."""
    return x.reshape(math.prod(x.shape[:-2]), *x.shape[-2:])


def of_heads(softmax, query):
    """A softmax of (B, H, ..., S) for scores with B and H as one axis."""
    H = query.shape[-3] if query.dim() > 2 else 1

    def folded(score, mask):
        if mask is not None:
            mask = mask.expand_as(score).unflatten(0, (-1, H))
        return softmax(score.unflatten(0, (-1, H)), mask).flatten(0, 1)

    return folded


def attend(query, key, value, mask=None, *, causal=False, softmax=None, scale=None):
    """The context, by PyTorch's kernel; by the formula where that can't be used."""
    options = {"causal": causal, "softmax": softmax, "scale": scale}
    formed = is_transformed()
    return dot_product(query, key, value, mask, need_weights=formed, **options)[0]


def near_keys(query, key, value, seen, window, causal=False, common=None, **how):
    """The context of queries that see their window, and common keys besides.

    Shapes:
        query (Z, T, K), key (Z, S, K), value (Z, S, V), Z for all leading axes; seen
        (Z or 1, S, 1), True for keys that may be seen at all, or numbers of documents;
        common: key (Z, G, K), value (Z, G, V) and mask (Z or 1, T, G).
    """
    T, S = query.shape[1], key.shape[1]
    if not torch.compiler.is_compiling():  # there, sizes may be unknown
        window = min(window, max(T, S))
    back, ahead = window - 1, 0 if causal else window - 1

    def rows(start, stop):
        first = start + S - T - back
        others = common and (*common[:2], common[2][:, start:stop])
        asked, width = query[:, start:stop], back + ahead
        packed = seen.dtype != torch.bool
        own = cut(seen, start + S - T, stop + S - T) if packed else None
        return band(asked, key, value, seen, first, width, others, own, **how)

    learns = query.requires_grad or key.requires_grad or value.requires_grad
    return in_parts(rows, query, T if learns else None)


def band(query, key, value, seen, first, width, common=None, own=None, **how):
    """Query i sees keys first + i to first + i + width: overlapping blocks of keys.

    Shapes:
        query (Z, T, K), key (Z, S, K), value and seen alike; nothing is seen where
        there is no key. own (Z, T, 1): seen at the queries, where it is numbers.
    """
    T, C = query.shape[1], BLOCK
    N = blocks_in(T, C)
    query_ZNCK = to_blocks(cut(query, 0, N * C), C)
    key_ZNLK, value_ZNLV, seen_ZNL1 = (
        to_blocks(cut(x, first, first + N * C + width), C, width)
        for x in (key, value, seen)
    )
    i = torch.arange(C, device=query.device)[:, None]
    j = torch.arange(C + width, device=query.device)
    own_ZNC1 = None if own is None else to_blocks(cut(own, 0, N * C), C)
    mask_ZNCL = (i <= j) & (j <= i + width) & of_one(own_ZNC1, seen_ZNL1.mT)
    near = key_ZNLK, value_ZNLV, mask_ZNCL
    if common is not None:
        *pair, allowed = common
        near = beside((*pair, to_blocks(cut(allowed, 0, N * C), C)), near)
    return cut(from_blocks(attend(query_ZNCK, *near, **how)), 0, T)


def of_one(own, seen):
    """Where keys may be seen at all; of numbers, those of the query's own document."""
    return seen if seen.dtype == torch.bool else (own == seen) & (seen != 0)


def in_parts(rows, query, size=None):
    """``rows(start, stop)`` of all queries, by default a few at a time.

    A compiled graph has no loop over a length that may change: all are one part.
    """
    Z, T = query.shape[:2]
    if torch.compiler.is_compiling() or size == T:
        return rows(0, T)
    size = size or max(1, MEMORY_GROUP // Z // BLOCK) * BLOCK
    bounds = [(start, min(start + size, T)) for start in range(0, T, size)]
    first = rows(*bounds[0])
    if first.requires_grad or len(bounds) == 1:
        return torch.cat([first, *(rows(*bound) for bound in bounds[1:])], 1)
    context = first.new_empty(Z, T, first.shape[2])  # `cat` would hold all twice
    context[:, :size] = first
    for start, stop in bounds[1:]:
        context[:, start:stop] = rows(start, stop)
    return context


def few_heads(attend_heads, query, key, value, seen, softmax=None, **how):
    """``attend_heads``, on a CPU a few heads at a time: their scores fit a cache.

    With gradients, in a graph, and for a softmax that tells heads apart, all at once.
    """
    Z, T = query.shape[:2]
    learns = query.requires_grad or key.requires_grad or value.requires_grad
    whole = torch.compiler.is_compiling() or query.device.type != "cpu"
    if learns or whole or softmax is not None:
        return attend_heads(query, key, value, seen, softmax=softmax, **how)
    size = max(1, CACHE_GROUP // T)
    heads = (x.split(size) for x in (query, key, value, seen.expand(Z, -1, 1)))
    return torch.cat([attend_heads(*some, **how) for some in zip(*heads, strict=True)])


def beside(common, near):
    """Keys and values (Z, G, X), mask (Z, N, C, G), beside those of every block."""
    Z, N = near[0].shape[:2]
    everywhere = [x[:, None].expand(Z, N, -1, -1) for x in common[:2]]
    key, value = (torch.cat(pair, 2) for pair in zip(everywhere, near, strict=False))
    masks = [x.expand(Z, N, -1, -1) for x in (common[2], near[2])]
    return key, value, torch.cat(masks, 3)


def cut(x, first, last):
    """Positions first to last of x, (..., positions, X); zeros where it has none."""
    if not torch.compiler.is_compiling() and last <= 0:
        return x.new_zeros(*x.shape[:-2], last - first, x.shape[-1])
    return torch.nn.functional.pad(x, (0, 0, -first, last - x.shape[-2]))


def blocks_in(positions, size):
    """How many blocks hold the positions; one more in a graph, where 1 is frozen."""
    return (positions + size - 1) // size + torch.compiler.is_compiling()


def to_blocks(x, size, overlap=0):
    """(Z, blocks * size + overlap, X) -> (Z, blocks, size + overlap, X), a view."""
    return x.unfold(1, size + overlap, size).mT


def from_blocks(x):
    """(Z, blocks, size, X) -> (Z, blocks * size, X)."""
    return x.flatten(1, 2)


def to_columns(x, stride, front=0):
    """(Z, positions, X) -> (stride * Z, rows, X), padded to whole rows.

    Positions with the same remainder come together.
    """
    rows = blocks_in(front + x.shape[1], stride)
    x = cut(x, -front, rows * stride - front)
    return torch.cat(x.unfold(1, stride, stride).unbind(3))


def from_columns(x, stride, front, size):
    """``to_columns`` back: (stride * Z, rows, X) -> (Z, size, X)."""
    parts = x.unflatten(0, (stride, x.shape[0] // stride)).unbind(0)
    return cut(from_blocks(torch.stack(parts, 2)), front, front + size)


class PatternAttention(AttentionLayer):
    """A layer whose heads see what ``pattern`` says, a function with the layer's sizes.

    That is the pattern's function without its checks: the layer's are enough.
    A subclass has a constructor with sizes of its own, and their record ``Sizes``.
    """

    can_drop = mask_rows = False
    own_softmax = own_scale = reads_positions = True
    pattern: Callable

    def __init__(self, model_dim: int, num_heads: int, **options: Any) -> None:
        super().__init__(model_dim, num_heads, **options)
        self.own = own_sizes(self.sizes)

    def attend(
        self, query, key, value, mask, *, bias, need_weights, dropout, **options
    ):
        check_unweighted(bias)
        return self.pattern(query, key, value, mask=mask, **self.own, **options)
