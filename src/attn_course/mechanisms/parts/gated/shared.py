"""Checks of the parts, for both frameworks."""

from typing import Any

from attn_course.core.layer.shared import check_supported
from attn_course.core.shapes import (
    check_at_least,
    check_flags,
    check_floats,
    check_head_mask,
    check_shapes,
    shape_of,
)


def check_gate(config: Any, context: Any, x: Any, *, mixed: bool = False) -> None:
    """Raise ValueError unless context (B, H, T, V) and x (B, T, D) fit a gate."""
    sizes = {"H": config["num_heads"], "D": config["model_dim"]}
    if config["value_dim"] is not None:
        sizes["V"] = config["value_dim"]
    check_shapes(sizes, context=(context, "BHTV"), x=(x, "BTD"))
    inputs = {"context": context, "x": x}
    for group in [{n: one} for n, one in inputs.items()] if mixed else [inputs]:
        check_floats(**group)


def heads_of_norm(
    num_heads: int | None, num_kv_heads: int | None, use_scale: bool
) -> tuple:
    """Over how many heads of query and of key a norm goes; (None, None): over each.

    Raises:
        ValueError: a number is wrong, or only that of the keys is given, or one where
            there is no scale.
    """
    check_flags(use_scale=use_scale)
    if not use_scale:
        check_supported("QueryKeyNorm without a scale", num_heads=num_heads)
    if num_heads is None:
        check_supported("QueryKeyNorm without num_heads", num_kv_heads=num_kv_heads)
        return None, None
    num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
    check_at_least(1, num_heads=num_heads, num_kv_heads=num_kv_heads)
    return num_heads, num_kv_heads


def check_pair(key_dim: int, heads: tuple, query: Any, key: Any) -> None:
    """Raise ValueError unless query and key (B, H, T, K) have this width."""
    check_shapes(
        {"K": key_dim, "H": heads[0], "G": heads[1]},
        query=(query, "BHTK"),
        key=(key, "BGSK"),
    )
    check_floats(query=query)
    check_floats(key=key)


def check_score(score: Any, mask: Any, num_heads: int | None = None) -> None:
    """Raise ValueError unless a mask fits the scores (..., T, S), or (B, H, ..., S)."""
    check_floats(score=score)
    shape = shape_of(score)
    if num_heads is not None and (len(shape) < 3 or shape[1] != num_heads):
        wanted = f"shape (B, H, ..., S) with H = {num_heads}"
        raise ValueError(f"score must have {wanted}, got {tuple(shape)}")
    if mask is not None:
        check_head_mask(mask, shape_of(score))
