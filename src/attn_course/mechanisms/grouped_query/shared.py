"""Checks of grouped queries, and how heads are pooled."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from attn_course.core.layer.shared import check_groups
from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import Together, check_choice, check_scores

PARTS = ("query_key_norm", "softmax", "output_gate")
Method = Literal["mean", "first", "random"]
METHODS = get_args(Method)
POOLED = ("key_weight", "value_weight", "key_bias", "value_bias")
GROUPED = Together(query="BHTK", key="BGSK", value="BGSV")


@dataclass(frozen=True, kw_only=True)
class GroupedSizes(HeadSizes):
    """Where the number of key/value heads is always named."""

    def config(self) -> dict[str, Any]:
        return super().config() | {"num_kv_heads": self.num_kv_heads}


def check_grouped(
    query: Any, key: Any, value: Any, mask: Any = None, bias: Any = None
) -> None:
    """Check the arguments of a grouped attention.

    Raises:
        ValueError: a shape or dtype is wrong, or G does not divide H.
    """
    GROUPED.check((), query, key, value)
    H, G = query.shape[1], key.shape[1]
    if H % G:
        wanted = f"a number of heads that divides the query's {H}"
        raise ValueError(f"key must have {wanted}, got {G}")
    check_scores(query, key, mask, bias)


def grouped_config(layer: Any, num_kv_heads: int, method: Method) -> dict[str, Any]:
    """The sizes of a layer whose key heads are grouped to fewer.

    Raises:
        ValueError: num_kv_heads doesn't divide the layer's, or the method is unknown.
    """
    check_choice("method", method, METHODS)
    if type(getattr(layer, "sizes", None)) not in (HeadSizes, GroupedSizes):
        wanted = "MultiHeadAttention or GroupedQueryAttention"
        raise ValueError(f"layer must be {wanted}, got {type(layer).__name__}")
    check_groups(layer.num_kv_heads, num_kv_heads)
    return layer.config | {"num_kv_heads": num_kv_heads}


def pool_heads(
    array: np.ndarray, num_heads: int, num_groups: int, method: Method
) -> np.ndarray:
    """One block of columns per group, from those of its heads.

    With "mean" group g is the mean of its heads' blocks, with "first" the first.
    """
    *lead, _ = array.shape
    blocks = array.reshape(*lead, num_groups, num_heads // num_groups, -1)
    pooled = blocks.mean(axis=-2) if method == "mean" else blocks[..., 0, :]
    return pooled.reshape(*lead, -1)
