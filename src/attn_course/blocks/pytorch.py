"""Blocks of positions in PyTorch: what all sparse patterns are computed with.

Every function has the leading axes as one: ``Z`` examples and heads.
"""

import math
from collections.abc import Callable

from attn_course.dot_product.pytorch import zero_blind_rows
from attn_course.frameworks import torch
from attn_course.layers.pytorch import to_mask

__all__: list[str] = []
BLOCK = 64  # queries that share their keys: more of them waste keys, fewer waste time
GROUP = 2**14  # queries of all heads computed together, where that saves memory
Result = tuple[torch.Tensor, None]


def over_heads(attend_heads: Callable, query, key, value, mask) -> Result:
    """Call with all leading axes as one: (Z, T, K), (Z, S, K), (Z, S, V), (Z, S, 1)."""
    mask = to_mask(mask, query)
    lead, S = query.shape[:-2], key.shape[-2]
    heads = [x.reshape(math.prod(lead), *x.shape[-2:]) for x in (query, key, value)]
    if mask is None:
        seen = key.new_ones(1, S, 1, dtype=torch.bool)
    else:
        seen = mask.mT.expand(*lead, S, 1).reshape(math.prod(lead), S, 1)
    context = attend_heads(*heads, seen)
    return context.reshape(*lead, *context.shape[-2:]), None


def in_groups(rows, query, value, size=None):
    """``rows(start, stop)`` of all queries, by default a few at a time.

    A compiled graph has no loop over a length that may change: all are one part.
    """
    Z, T = query.shape[:2]
    if torch.compiler.is_compiling() or size == T:
        return rows(0, T)
    size = size or max(1, GROUP // Z // BLOCK) * BLOCK
    bounds = [(start, min(start + size, T)) for start in range(0, T, size)]
    if query.requires_grad or value.requires_grad:
        return torch.cat([rows(*bound) for bound in bounds], 1)
    context = value.new_empty(Z, T, value.shape[2])  # `cat` would hold all twice
    for start, stop in bounds:
        context[:, start:stop] = rows(start, stop)
    return context


def few_heads(attend_heads, query, key, value, seen):
    """``attend_heads``, on a CPU a few heads at a time: their scores fit a cache.

    With gradients, and in a graph, all at once.
    """
    Z, T = query.shape[:2]
    learns = query.requires_grad or key.requires_grad or value.requires_grad
    if torch.compiler.is_compiling() or learns or query.device.type != "cpu":
        return attend_heads(query, key, value, seen)
    size = max(1, GROUP // 4 // T)
    heads = (x.split(size) for x in (query, key, value, seen.expand(Z, -1, 1)))
    return torch.cat([attend_heads(*some) for some in zip(*heads, strict=True)])


def attend(query, key, value, mask=None, causal=False):
    """PyTorch's own attention: it scales the query and adds in float32 or more."""
    own = torch.nn.functional.scaled_dot_product_attention
    context = own(query, key, value, mask, is_causal=causal)
    return zero_blind_rows(context, mask)


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


def split(x, size, overlap=0):
    """(Z, blocks * size + overlap, X) -> (Z, blocks, size + overlap, X), a view."""
    return x.unfold(1, size + overlap, size).mT


def fold(x, stride, front=0):
    """(Z, positions, X) -> (stride * Z, rows, X), padded to whole rows.

    Positions with the same remainder come together.
    """
    rows = blocks_in(front + x.shape[1], stride)
    x = cut(x, -front, rows * stride - front)
    return torch.cat(x.unfold(1, stride, stride).unbind(3))


def unfold(x, stride, front, size):
    """``fold`` back: (stride * Z, rows, X) -> (Z, size, X)."""
    parts = x.unflatten(0, (stride, x.shape[0] // stride)).unbind(0)
    return cut(torch.stack(parts, 2).flatten(1, 2), front, front + size)
