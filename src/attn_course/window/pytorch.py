"""Windows in PyTorch: blocks of queries, each with the keys around it.

The formulas stand in ``reference.py``.
"""

from collections.abc import Sequence
from typing import Any

from attn_course.blocks.pytorch import (
    BLOCK,
    Result,
    attend,
    beside,
    blocks_in,
    cut,
    fold,
    in_groups,
    over_heads,
    split,
    unfold,
)
from attn_course.blocks.shared import check_pattern, check_unweighted
from attn_course.frameworks import torch
from attn_course.layers.pytorch import AttentionLayer, Mask
from attn_course.masks.basic import global_positions
from attn_course.shapes import check_at_least

__all__ = [
    "DilatedWindowAttention",
    "LongformerAttention",
    "SlidingWindowAttention",
    "dilated_window_attention",
    "longformer_attention",
    "sliding_window_attention",
]


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
        seen = seen & ~(j[:, None] == columns).any(1)[:, None]
        context = near_keys(query, key, value, seen, window, causal, common)
        full = attend(query[:, rows - (S - T)], key, value, by_global)
        return context.index_copy(1, rows - (S - T), full)

    if not chosen:
        return sliding_window_attention(query, key, value, window, mask, causal=causal)
    return over_heads(attend_heads, query, key, value, mask)


class SlidingWindowAttention(AttentionLayer):
    """A layer whose heads see ``window`` positions, the query's own among them.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``sliding_window_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says; in the call, a bias or dropout.
    """

    can_drop = False

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        window: int,
        **options: Any,
    ) -> None:
        check_at_least(1, window=window)
        super().__init__(model_dim, num_heads, **options)
        self.config |= {"window": window}

    def attend(self, query, key, value, mask, *, causal, **options):
        check_unweighted(**options)
        sizes = {name: self.config[name] for name in ("window",)}
        return sliding_window_attention(
            query, key, value, mask=mask, causal=causal, **sizes
        )


class DilatedWindowAttention(AttentionLayer):
    """A layer whose heads see a window with gaps.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``dilated_window_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says; in the call, a bias or dropout.
    """

    can_drop = False

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        window: int,
        dilation: int,
        **options: Any,
    ) -> None:
        check_at_least(1, window=window, dilation=dilation)
        super().__init__(model_dim, num_heads, **options)
        self.config |= {"window": window, "dilation": dilation}

    def attend(self, query, key, value, mask, *, causal, **options):
        check_unweighted(**options)
        sizes = {name: self.config[name] for name in ("window", "dilation")}
        return dilated_window_attention(
            query, key, value, mask=mask, causal=causal, **sizes
        )


class LongformerAttention(AttentionLayer):
    """A layer with a window and global positions; one projection serves both.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``longformer_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says; in the call, a bias or dropout.
    """

    can_drop = False

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        window: int,
        positions: Sequence[int],
        **options: Any,
    ) -> None:
        check_at_least(1, window=window)
        positions = global_positions(positions, None)
        super().__init__(model_dim, num_heads, **options)
        self.config |= {"window": window, "positions": positions}

    def attend(self, query, key, value, mask, *, causal, **options):
        check_unweighted(**options)
        sizes = {name: self.config[name] for name in ("window", "positions")}
        return longformer_attention(query, key, value, mask, causal=causal, **sizes)


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
