"""Windows in PyTorch: blocks of queries, each with the keys around it.

The formulas stand in ``reference.py``.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.kv_cache.pytorch import KVCache
from attn_course.core.layer.pytorch import make_linear, split
from attn_course.core.masks.basic import global_positions
from attn_course.core.masks.pytorch import Mask
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.blocks.pytorch import (
    PatternAttention,
    Result,
    as_one,
    attend,
    cut,
    from_columns,
    near_keys,
    of_one,
    over_heads,
    to_columns,
)
from attn_course.mechanisms.blocks.shared import check_pattern
from attn_course.mechanisms.window.shared import (
    DilatedSizes,
    LongformerSizes,
    WindowSizes,
    check_global_heads,
    check_kept,
)

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
    softmax: Callable | None = None,
    scale: float | None = None,
) -> Result:
    """See ``attn_course.reference.sliding_window_attention``.

    Forms at most T x (2 window + 64) scores, or none where PyTorch's fused kernel runs
    (V = K). The weights are None.
    """
    check_at_least(1, window=window)
    check_pattern(query, key, value, mask, rows=None)
    how = {"window": window, "causal": causal, "softmax": softmax, "scale": scale}
    return over_heads(near_keys, query, key, value, mask, **how)


def dilated_window_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    window: int,
    dilation: int,
    mask: Mask = None,
    *,
    causal: bool = False,
    softmax: Callable | None = None,
    scale: float | None = None,
) -> Result:
    """See ``attn_course.reference.dilated_window_attention``.

    Positions with the same remainder by the dilation see only each other: every
    remainder is a sequence of its own, with a sliding window. The weights are None.
    """
    check_at_least(1, window=window, dilation=dilation)
    check_pattern(query, key, value, mask, rows=None)
    how = {"window": window, "dilation": dilation, "causal": causal}
    how |= {"softmax": softmax, "scale": scale}
    return over_heads(by_remainder, query, key, value, mask, **how)


def by_remainder(query, key, value, seen, window, dilation, causal=False, **how):
    """``near_keys`` of the positions with the same remainder by the dilation."""
    Z, T = query.shape[:2]
    front = (key.shape[1] - T) % dilation
    heads = key, value, seen.expand(Z, -1, 1)
    parts = (to_columns(x, dilation) for x in heads)
    query = to_columns(query, dilation, front)
    context = near_keys(query, *parts, window, causal, **how)
    return from_columns(context, dilation, front, T)


def longformer_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Mask = None,
    *,
    window: int,
    positions: Sequence[int],
    causal: bool = False,
    global_heads: tuple[torch.Tensor, torch.Tensor, torch.Tensor] | None = None,
    softmax: Callable | None = None,
    scale: float | None = None,
) -> Result:
    """See ``attn_course.reference.longformer_attention``.

    Every block of queries also has the global keys; the global queries are computed
    once more, with all keys. The weights are None. A graph made by ``torch.export``
    keeps which positions are among the queries.
    """
    check_at_least(1, window=window)
    check_pattern(query, key, value, mask, rows=None)
    check_global_heads(global_heads, query, key, value)
    how = {"window": window, "positions": positions, "global_heads": global_heads}
    how |= {"causal": causal, "softmax": softmax, "scale": scale}
    return over_heads(near_and_global, query, key, value, mask, **how)


def near_and_global(
    query, key, value, seen, window, positions, causal=False, global_heads=None, **how
):
    """``near_keys`` and, for all, the global ones; global queries with all keys."""
    T, S = query.shape[1], key.shape[1]
    chosen = global_positions(positions, S)
    if not chosen:
        return near_keys(query, key, value, seen, window, causal, **how)
    own = [position for position in chosen if position >= S - T]
    where = {"device": query.device, "dtype": torch.int64}
    columns, rows = torch.tensor(chosen, **where), torch.tensor(own, **where)
    i, j = torch.arange(T, **where)[:, None] + S - T, torch.arange(S, **where)
    asked, *others = query, key, value
    if global_heads is not None:
        asked, *others = (as_one(x) for x in global_heads)
    common = [x[:, columns] for x in (key, value, seen)]
    own = cut(seen, S - T, S)
    common[2] = of_one(own, common[2].mT).expand(-1, T, -1)
    if causal:
        common[2] = common[2] & (columns <= i)
    by_global = of_one(seen[:, rows], seen.mT)
    if causal:
        by_global = by_global & (j <= rows[:, None])
    # Counted there, a global key is not counted in the window again.
    local = ~(j[:, None] == columns).any(1)[:, None]
    seen = seen & local if seen.dtype == torch.bool else seen * local
    context = near_keys(query, key, value, seen, window, causal, common, **how)
    heads = (x[:, None] for x in (asked[:, rows - (S - T)], *others, by_global))
    full = attend(*heads, **how)[:, 0]  # 4 axes: so want it PyTorch's fused kernels
    return context.index_copy(1, rows - (S - T), full)


class SlidingWindowAttention(PatternAttention):
    """A layer whose heads see ``window`` positions, the query's own among them.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``sliding_window_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    Sizes = WindowSizes
    mask_rows = None
    pattern = staticmethod(partial(over_heads, near_keys))

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        window: int,
        **options: Any,
    ) -> None:
        own = {"window": window}
        super().__init__(model_dim, num_heads, own=own, **options)

    def new_cache(self, batch: int, capacity: int | None, **options: Any) -> KVCache:
        """An empty cache for ``cache=`` that keeps no more than the window.

        options: those of ``KVCache``; a larger window, or None, keeps more. A window
        and the first tokens: ``MultiHeadAttention``, whose cache takes ``sinks`` too.

        Raises:
            ValueError: the window is smaller than the layer's, or there are sinks.
        """
        options = {"window": self.sizes.window} | options
        check_kept(self.sizes.window, **options)
        cache = super().new_cache(batch, capacity, **options)
        cache.masks_rows = False  # the pattern does
        return cache


class DilatedWindowAttention(PatternAttention):
    """A layer whose heads see a window with gaps.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``dilated_window_attention``. The mask is padding. The weights are None.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    Sizes = DilatedSizes
    mask_rows = None
    pattern = staticmethod(partial(over_heads, by_remainder))

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        window: int,
        dilation: int,
        **options: Any,
    ) -> None:
        own = {"window": window, "dilation": dilation}
        super().__init__(model_dim, num_heads, own=own, **options)


class LongformerAttention(PatternAttention):
    """A layer with a window and global positions.

    What it is called with, what it projects, splits and merges: ``AttentionLayer``; the
    pattern: ``longformer_attention``. The mask is padding. The weights are None. Every
    text must reach behind the last of the positions.

    global_projections: the rows of global queries are computed from projections of
    their own, ``query_global``, ``key_global`` and ``value_global``, as in the paper
    and the released checkpoints (section 3.1); a cache then holds twice the heads.
    Without, one projection serves all.

    Raises:
        ValueError: a size is not as the function says, dropout; in the call, a bias.
    """

    Sizes = LongformerSizes
    mask_rows = None
    pattern = staticmethod(partial(over_heads, near_and_global))

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        window: int,
        positions: Sequence[int],
        global_projections: bool = False,
        **options: Any,
    ) -> None:
        own = {"window": window, "positions": positions}
        own["global_projections"] = global_projections
        super().__init__(model_dim, num_heads, own=own, **options)
        self.own = {"window": window, "positions": self.sizes.positions}
        self.query_global = self.key_global = self.value_global = None
        if global_projections:
            for name in ("query", "key", "value"):
                part = getattr(self, name)
                where = {"device": part.weight.device, "dtype": part.weight.dtype}
                widths = part.in_features, part.out_features, self.sizes.use_bias
                setattr(self, f"{name}_global", make_linear(*widths, **where))

    def project(self, query, key, value):
        """Linear maps, cut into heads; behind them those for global queries."""
        heads = super().project(query, key, value)
        if self.query_global is None:
            return heads
        value = split(self.value_global(value), self.num_kv_heads)
        if self.sizes.value_norm is not None:
            value = self.normed(value)
        own = (
            split(self.query_global(query), self.num_heads),
            split(self.key_global(key), self.num_kv_heads),
            value,
        )
        return tuple(torch.cat(pair, 1) for pair in zip(heads, own, strict=True))

    def attend(self, query, key, value, mask, **options):
        if self.query_global is not None:
            both = (x.chunk(2, 1) for x in (query, key, value))
            (query, key, value), options["global_heads"] = zip(*both, strict=True)
        return super().attend(query, key, value, mask, **options)
