"""Sizes of the Sparse Transformer's patterns, for both frameworks."""

from dataclasses import dataclass
from typing import Literal, get_args

from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.masks.patterns import check_summary
from attn_course.core.shapes import check_at_least, check_choice, shape_of

Heads = Literal["merged", "split"]


@dataclass(frozen=True, kw_only=True)
class StridedSizes(HeadSizes):
    stride: int
    heads: str

    def __post_init__(self):
        check_strided(self.stride, self.heads)
        if self.heads == "split" and self.num_heads % 2:
            wanted = "even to be split"
            raise ValueError(f"num_heads must be {wanted}, got {self.num_heads}")


@dataclass(frozen=True, kw_only=True)
class FixedSizes(HeadSizes):
    stride: int
    summary: int

    def __post_init__(self):
        check_summary(self.stride, self.summary)


def check_strided(stride, heads):
    """Raise ValueError unless the stride is a whole number, and heads are known."""
    check_choice("heads", heads, get_args(Heads))
    check_at_least(1, stride=stride)


def half_of_heads(query):
    """Half of the heads of a query (..., H, T, K); ValueError unless H is even."""
    shape = shape_of(query)
    if len(shape) < 3 or shape[-3] is None or shape[-3] % 2:
        raise ValueError(f"query must have an even number of heads, got {shape}")
    return shape[-3] // 2
