"""Sizes and checks of chosen blocks."""

from dataclasses import dataclass
from typing import Any

from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import check_at_least, check_attention


@dataclass(frozen=True, kw_only=True)
class BlockSizes(HeadSizes):
    """How many keys a block has, and how many blocks a query attends to."""

    block_size: int
    top_k: int

    def __post_init__(self):
        check_at_least(1, block_size=self.block_size, top_k=self.top_k)


def check_blocks(heads: tuple, mask: Any, block_size: Any, top_k: Any) -> None:
    """Raise ValueError unless query, key, value, padding and sizes are right."""
    check_at_least(1, block_size=block_size, top_k=top_k)
    check_attention(*heads, mask, rows=False)
