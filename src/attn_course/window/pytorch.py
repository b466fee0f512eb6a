"""Windows in PyTorch: blocks of queries, each with the keys around it.

The formulas stand in ``reference.py``.
"""

import math

from attn_course.frameworks import torch
from attn_course.masks.basic import global_positions
from attn_course.shapes import check_at_least
from attn_course.window.shared import check_pattern

__all__ = [
    "dilated_window_attention",
    "longformer_attention",
    "sliding_window_attention",
]
BLOCK = 64  # queries that share their keys: more of them waste keys, fewer waste time
GROUP = 2**14  # queries of all heads that are computed together where memory counts


def sliding_window_attention(query, key, value, window, mask=None, *, causal=False):
    """See ``attn_course.reference.sliding_window_attention``.

    Forms T x (window + 64) scores, a few blocks at a time, or none where PyTorch's
    fused kernel runs (V = K). The weights are None.
    """
    check_at_least(1, window=window)
    check_pattern(query, key, value, mask)
    seen = seen_keys(key, mask)
    return near_keys(query, key, value, seen, window, causal), None


def dilated_window_attention(
    query, key, value, window, dilation, mask=None, *, causal=False
):
    """See ``attn_course.reference.dilated_window_attention``.

    Positions with the same remainder by the dilation see only each other: each
    remainder is a sequence with a sliding window. The weights are None.
    """
    check_at_least(1, window=window, dilation=dilation)
    check_pattern(query, key, value, mask)
    T, front = query.shape[-2], (key.shape[-2] - query.shape[-2]) % dilation
    seen = seen_keys(key, mask)
    parts = (fold(x, dilation) for x in (key, value, seen))
    context = near_keys(fold(query, dilation, front), *parts, window, causal)
    return unfold(context, front, T), None


def longformer_attention(
    query, key, value, mask=None, *, window, positions, causal=False
):
    """See ``attn_course.reference.longformer_attention``.

    Every block of queries also has the global keys; the global queries are computed
    once more, with all keys. The weights are None.
    """
    check_at_least(1, window=window)
    check_pattern(query, key, value, mask)
    T, S = query.shape[-2], key.shape[-2]
    chosen = global_positions(positions, S)
    seen = seen_keys(key, mask)
    if not chosen:
        return near_keys(query, key, value, seen, window, causal), None
    where = {"device": query.device, "dtype": torch.int64}
    own = [position - (S - T) for position in chosen if position >= S - T]
    rows, chosen = torch.tensor(own, **where), torch.tensor(chosen, **where)
    i, j = torch.arange(T, **where)[:, None] + S - T, torch.arange(S, **where)
    key_G, value_G, seen_G = (x.index_select(-2, chosen) for x in (key, value, seen))
    by_all = seen_G.mT & ((chosen <= i) if causal else (i == i))
    # Counted there, a global key is not counted in the window again.
    seen_near = seen & ~torch.isin(j, chosen)[:, None]
    common = key_G, value_G, by_all
    context = near_keys(query, key, value, seen_near, window, causal, common)
    by_global = seen.mT & (j <= i[rows]) if causal else seen.mT
    full = attend(query.index_select(-2, rows), key, value, by_global)
    return context.index_copy(-2, rows, full), None


def near_keys(query, key, value, seen, window, causal, common=None):
    """The context of queries that see their window, and common keys besides.

    Shapes:
        seen: (..., S, 1), True for keys that may be seen at all.
        common: key (..., G, K), value (..., G, V) and mask (..., T, G).
    """
    T, S = query.shape[-2], key.shape[-2]
    if not torch.compiler.is_compiling():  # there, sizes may be unknown
        window = min(window, max(T, S))
        if T > S:  # so that every query stands on a key
            key, value, seen = (cut(x, S - T, S) for x in (key, value, seen))
            S = T
    back, ahead = window - 1, 0 if causal else window - 1

    def rows(start, stop):
        first, last = start + S - T - back, stop + S - T + ahead
        near = [cut(x, first, last) for x in (key, value, seen)]
        others = None
        if common is not None:
            others = *common[:2], common[2][..., start:stop, :]
        return band(query[..., start:stop, :], *near, back + ahead, others)

    return in_groups(rows, query, key, value)


def band(query, key, value, seen, width, common=None):
    """Query i sees keys i to i + width: blocks of queries, overlapping blocks of keys.

    Shapes:
        query (..., T, K), key (..., T + width, K), value and seen alike.
    """
    lead, T, C = query.shape[:-2], query.shape[-2], BLOCK
    whole = T + -T % C
    query_ZNCK = split(flat(cut(query, 0, whole), lead), C)
    key_ZNLK, value_ZNLV, seen_ZNL1 = (
        flat(cut(x, 0, whole + width), lead).unfold(-2, C + width, C).mT
        for x in (key, value, seen)
    )
    i = torch.arange(C, device=query.device)[:, None]
    j = torch.arange(C + width, device=query.device)
    mask_ZNCL = (i <= j) & (j <= i + width) & seen_ZNL1.mT
    if common is not None:
        more_key, more_value, allowed = (flat(x, lead) for x in common)
        key_ZNLK = beside(more_key, key_ZNLK)
        value_ZNLV = beside(more_value, value_ZNLV)
        allowed = split(cut(allowed, 0, whole), C)
        Z = max(allowed.shape[0], mask_ZNCL.shape[0])
        parts = [x.expand(Z, -1, -1, -1) for x in (allowed, mask_ZNCL)]
        mask_ZNCL = torch.cat(parts, dim=-1)
    context_ZNCV = attend(query_ZNCK, key_ZNLK, value_ZNLV, mask_ZNCL)
    return context_ZNCV.flatten(1, 2)[:, :T].reshape(*lead, T, -1)


def beside(common, near):
    """The common vectors (Z, G, X) before those of every block, (Z, N, L, X)."""
    common = common[:, None].expand(-1, near.shape[1], -1, -1)
    return torch.cat([common, near], dim=-2)


def attend(query, key, value, mask=None):
    """PyTorch's own attention: it scales the query and adds in float32 or more."""
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, mask)


def in_groups(rows, query, key, value):
    """``rows(start, stop)`` for all queries, in parts where that saves memory.

    With gradients all is kept anyway, and a compiled graph has no loop over a length
    that may change: there it is one part.
    """
    T = query.shape[-2]
    learns = query.requires_grad or key.requires_grad or value.requires_grad
    if torch.compiler.is_compiling() or learns:
        return rows(0, T)
    size = max(1, GROUP // math.prod(query.shape[:-2]) // BLOCK) * BLOCK
    context = value.new_empty(*query.shape[:-1], value.shape[-1])
    for start in range(0, T, size):
        stop = min(start + size, T)
        context[..., start:stop, :] = rows(start, stop)
    return context


def seen_keys(key, mask):
    """True for the keys that padding leaves, (..., S, 1)."""
    if mask is None:
        return key.new_ones(key.shape[-2], 1, dtype=torch.bool)
    return mask.mT


def cut(x, first, last):
    """Positions first to last of x, (..., positions, X); zeros where it has none."""
    return torch.nn.functional.pad(x, (0, 0, -first, last - x.shape[-2]))


def flat(x, lead):
    """One axis for all leading ones, or of size 1 where x has none of them."""
    if x.dim() == 2:
        return x[None]
    return x.expand(*lead, *x.shape[-2:]).reshape(-1, *x.shape[-2:])


def split(x, size):
    """(..., positions, X) -> (..., blocks, size, X)."""
    return x.unflatten(-2, (-1, size))


def fold(x, stride, front=0):
    """(..., positions, X) -> (..., stride, rows, X), padded to whole rows.

    Positions with the same remainder come together.
    """
    whole = front + x.shape[-2]
    whole = whole + -whole % stride
    return split(cut(x, -front, whole - front), stride).transpose(-3, -2)


def unfold(x, front, size):
    """``fold`` back: (..., stride, rows, X) -> (..., size, X)."""
    return x.transpose(-3, -2).flatten(-3, -2)[..., front : front + size, :]
