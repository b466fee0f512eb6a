"""Sizes of windows, for both frameworks."""

from collections.abc import Sequence
from dataclasses import dataclass

from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.masks.basic import global_positions
from attn_course.core.shapes import (
    check_at_least,
    check_attention,
    check_flags,
    shape_of,
)


def check_global_heads(global_heads, query, key, value):
    """Raise ValueError unless the heads of global queries are as all others are."""
    if global_heads is None:
        return
    check_attention(*global_heads)
    shapes = [
        [shape_of(x) for x in heads] for heads in (global_heads, (query, key, value))
    ]
    if shapes[0] != shapes[1]:
        wanted = f"(query, key, value) of shapes {shapes[1]}"
        raise ValueError(f"global_heads must be {wanted}, got {shapes[0]}")


def check_kept(own, *, window, sinks=0, **others):
    """Raise ValueError unless a cache keeps what a layer's window sees, and no sinks.

    Behind sinks, places in the cache are not places in the text.
    """
    if window is not None and window < own:
        raise ValueError(f"window must be at least the layer's {own}, got {window}")
    if sinks:
        mend = "MultiHeadAttention's cache takes a window and sinks"
        raise ValueError(f"sinks must be 0 where the layer has a window: {mend}")


@dataclass(frozen=True, kw_only=True)
class WindowSizes(HeadSizes):
    window: int

    def __post_init__(self):
        check_at_least(1, window=self.window)


@dataclass(frozen=True, kw_only=True)
class DilatedSizes(WindowSizes):
    dilation: int

    def __post_init__(self):
        super().__post_init__()
        check_at_least(1, dilation=self.dilation)


@dataclass(frozen=True, kw_only=True)
class LongformerSizes(WindowSizes):
    positions: Sequence[int]
    global_projections: bool

    def __post_init__(self):
        super().__post_init__()
        check_flags(global_projections=self.global_projections)
        positions = global_positions(self.positions, None)
        object.__setattr__(self, "positions", positions)

    @property
    def kept(self):
        """Heads, and behind them those for global queries, if these have their own."""
        heads, *widths = super().kept
        return heads * (1 + self.global_projections), *widths
