"""Windows in PyTorch: blocks of queries, each with the keys around it.

The formulas stand in ``reference.py``.
"""

import math
from collections.abc import Callable, Sequence

from attn_course.frameworks import torch
from attn_course.layers.pytorch import Mask, to_mask
from attn_course.masks.basic import global_positions
from attn_course.shapes import check_at_least
from attn_course.window.shared import check_pattern

__all__ = [
    "dilated_window_attention",
    "longformer_attention",
    "sliding_window_attention",
]
BLOCK = 64  # queries that share their keys: more of them waste keys, fewer waste time
GROUP = 2**14  # queries of all heads computed together, where that saves memory
Result = tuple[torch.Tensor, None]


def sliding_window_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    window: int,
    mask: Mask = None,
    *,
    causal: bool = False,
) -> Result:
    """See ``attn_course.reference.sliding_window_attention``.

    Forms at most T x (2 window + 64) scores, or none where PyTorch's fused kernel runs
    (V = K). The weights are None.
    """
    check_at_least(1, window=window)
    check_pattern(query, key, value, mask)

    def attend_heads(*heads):
        return near_keys(*heads, window, causal)

    return over_heads(attend_heads, query, key, value, mask)


def dilated_window_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    window: int,
    dilation: int,
    mask: Mask = None,
    *,
    causal: bool = False,
) -> Result:
    """See ``attn_course.reference.dilated_window_attention``.

    Positions with the same remainder by the dilation see only each other: every
    remainder is a sequence of its own, with a sliding window. The weights are None.
    """
    check_at_least(1, window=window, dilation=dilation)
    check_pattern(query, key, value, mask)

    def attend_heads(query, key, value, seen):
        Z, T = query.shape[:2]
        front = (key.shape[1] - T) % dilation
        heads = key, value, seen.expand(Z, -1, 1)
        parts = (fold(x, dilation) for x in heads)
        context = near_keys(fold(query, dilation, front), *parts, window, causal)
        return unfold(context, dilation, front, T)

    return over_heads(attend_heads, query, key, value, mask)


def longformer_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Mask = None,
    *,
    window: int,
    positions: Sequence[int],
    causal: bool = False,
) -> Result:
    """See ``attn_course.reference.longformer_attention``.

    Every block of queries also has the global keys; the global queries are computed
    once more, with all keys. The weights are None.
    """
    check_at_least(1, window=window)
    check_pattern(query, key, value, mask)
    T, S = query.shape[-2], key.shape[-2]
    chosen = global_positions(positions, S)
    own = [position for position in chosen if position >= S - T]
    where = {"device": query.device, "dtype": torch.int64}
    columns, rows = torch.tensor(chosen, **where), torch.tensor(own, **where)
    i, j = torch.arange(T, **where)[:, None] + S - T, torch.arange(S, **where)

    def attend_heads(query, key, value, seen):
        common = [x[:, columns] for x in (key, value, seen)]
        common[2] = common[2].mT & ((columns <= i) if causal else (i == i))
        by_global = seen.mT & (j <= rows[:, None]) if causal else seen.mT
        # Counted there, a global key is not counted in the window again.
        seen = seen & ~torch.isin(j, columns)[:, None]
        context = near_keys(query, key, value, seen, window, causal, common)
        full = attend(query[:, rows - (S - T)], key, value, by_global)
        return context.index_copy(1, rows - (S - T), full)

    if not chosen:
        return sliding_window_attention(query, key, value, window, mask, causal=causal)
    return over_heads(attend_heads, query, key, value, mask)


def near_keys(query, key, value, seen, window, causal, common=None):
    """The context of queries that see their window, and common keys besides.

    Shapes:
        query (Z, T, K), key (Z, S, K), value (Z, S, V), Z for all leading axes; seen
        (Z or 1, S, 1), True for keys that may be seen at all; common: key (Z, G, K),
        value (Z, G, V) and mask (Z or 1, T, G).
    """
    T, S = query.shape[1], key.shape[1]
    if not torch.compiler.is_compiling():  # there, sizes may be unknown
        window = min(window, max(T, S))
    back, ahead = window - 1, 0 if causal else window - 1

    def rows(start, stop):
        first, last = start + S - T - back, stop + S - T + ahead
        near = [cut(x, first, last) for x in (key, value, seen)]
        others = common and (*common[:2], common[2][:, start:stop])
        return band(query[:, start:stop], *near, back + ahead, others)

    learns = query.requires_grad or key.requires_grad or value.requires_grad
    return in_groups(rows, query, value, T if learns else None)


def band(query, key, value, seen, width, common=None):
    """Query i sees keys i to i + width: blocks of queries, overlapping blocks of keys.

    Shapes:
        query (Z, T, K), key (Z, T + width, K), value and seen alike.
    """
    T, C = query.shape[1], BLOCK
    N = blocks_in(T, C)
    query_ZNCK = split(cut(query, 0, N * C), C)
    key_ZNLK, value_ZNLV, seen_ZNL1 = (
        split(cut(x, 0, N * C + width), C, width) for x in (key, value, seen)
    )
    i = torch.arange(C, device=query.device)[:, None]
    j = torch.arange(C + width, device=query.device)
    mask_ZNCL = (i <= j) & (j <= i + width) & seen_ZNL1.mT
    near = key_ZNLK, value_ZNLV, mask_ZNCL
    if common is not None:
        *pair, allowed = common
        near = beside((*pair, split(cut(allowed, 0, N * C), C)), near)
    return cut(attend(query_ZNCK, *near).flatten(1, 2), 0, T)


def beside(common, near):
    """Keys and values (Z, G, X), mask (Z, N, C, G), beside those of every block."""
    Z, N = near[0].shape[:2]
    everywhere = [x[:, None].expand(Z, N, -1, -1) for x in common[:2]]
    key, value = (torch.cat(pair, 2) for pair in zip(everywhere, near, strict=False))
    masks = [x.expand(Z, N, -1, -1) for x in (common[2], near[2])]
    return key, value, torch.cat(masks, 3)


def attend(query, key, value, mask=None, causal=False):
    """PyTorch's own attention: it scales the query and adds in float32 or more."""
    own = torch.nn.functional.scaled_dot_product_attention
    return own(query, key, value, mask, is_causal=causal)


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
