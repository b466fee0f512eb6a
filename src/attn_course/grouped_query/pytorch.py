"""Grouped-query attention in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.dot_product.pytorch import block_future, scaled_dot_product_attention
from attn_course.frameworks import torch
from attn_course.grouped_query.shared import (
    POOLED,
    check_grouped,
    grouped_config,
    pool_heads,
)
from attn_course.layers.pytorch import AttentionLayer, Mask, to_mask
from attn_course.layers.shared import check_groups
from attn_course.parity import get_parameters, set_parameters
from attn_course.shapes import check_at_least

__all__ = ["GroupedQueryAttention", "grouped_query_attention", "to_grouped"]


def grouped_query_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Mask = None,
    *,
    bias: torch.Tensor | None = None,
    scale: float | None = None,
    causal: bool = False,
    need_weights: bool = True,
    dropout: Callable | None = None,
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """See ``attn_course.reference.grouped_query_attention``.

    Nothing is repeated: the heads of a group become rows of one head, which attends to
    the group's key and value. bias, scale and dropout are as in
    ``scaled_dot_product_attention``, for H heads.

    Shapes:
        query (B, H, T, K), key (B, G, S, K), value (B, G, S, V)
        -> output (B, H, T, V), weights (B, H, T, S) or None.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or G does not divide H.
    """
    H, G = check_grouped(query, key, value, mask, bias)
    mask = to_mask(mask, query)
    T, S = query.shape[-2], key.shape[-2]
    plain = mask is None and bias is None and dropout is None
    if causal and plain and not need_weights and T == S:
        # No mask is formed: PyTorch's kernel for whole sequences knows groups.
        return whole_sequence(query, key, value, scale), None
    if causal and T > 1:  # a single query stands last: it may see all
        mask = block_future(mask, query, key)
    output, weights = scaled_dot_product_attention(
        fold_heads(query, G),
        key,
        value,
        fold_rows(mask, H, G, T),
        bias=fold_rows(bias, H, G, T),
        scale=scale,
        # PyTorch's kernel for the CPU wants values as wide as keys.
        need_weights=need_weights or value.shape[-1] != key.shape[-1],
        dropout=dropout,
    )
    weights = unfold_heads(weights, H) if need_weights else None
    return unfold_heads(output, H), weights


def fold_heads(x, num_groups):
    """(B, H, T, X) -> (B, G, H/G * T, X): the rows of head 0, then of head 1, ..."""
    return x.unflatten(1, (num_groups, -1)).flatten(2, 3)


def unfold_heads(x, num_heads):
    """The inverse of ``fold_heads``."""
    return x.unflatten(2, (num_heads // x.shape[1], -1)).flatten(1, 2)


def fold_rows(x, num_heads, num_groups, T):
    """A mask or bias for H heads as one for the folded rows.

    Rows that are the same for all heads are repeated, but for a single row, which is
    broadcast: in a step of decoding nothing is copied.
    """
    if x is None:
        return None
    if x.ndim > 2 and x.shape[-3] > 1:  # every head has rows of its own
        rows = x.expand(*x.shape[:-2], T, x.shape[-1])
        return rows.unflatten(-3, (num_groups, -1)).flatten(-3, -2)
    if x.shape[-2] > 1:
        return torch.cat([x] * (num_heads // num_groups), dim=-2)
    return x if x.ndim > 2 else x[None, None]


def whole_sequence(query, key, value, scale):
    """The output alone of a causal attention with T = S."""
    return torch.nn.functional.scaled_dot_product_attention(
        query, key, value, is_causal=True, scale=scale, enable_gqa=True
    )


class GroupedQueryAttention(AttentionLayer):
    """Multi-head attention with fewer heads of key and value: a smaller cache.

    num_kv_heads = num_heads is multi-head, num_kv_heads = 1 multi-query attention. What
    it is called with, what it projects, splits and merges: ``AttentionLayer``. See
    ``attn_course.reference.grouped_query_layer``.

    Raises:
        ValueError: num_kv_heads does not divide num_heads, or another size is wrong.
    """

    def __init__(
        self, model_dim: int, num_heads: int, *, num_kv_heads: int, **options: Any
    ) -> None:
        check_at_least(1, num_heads=num_heads)
        check_groups(num_heads, num_kv_heads)
        self.num_kv_heads = num_kv_heads
        super().__init__(model_dim, num_heads, **options)
        self.config = self.config | {"num_kv_heads": int(num_kv_heads)}

    def attend(self, query, key, value, mask, **options):
        return grouped_query_attention(query, key, value, mask, **options)


def to_grouped(
    layer: AttentionLayer, num_kv_heads: int, method: str = "mean"
) -> GroupedQueryAttention:
    """A new layer with fewer heads of key and value, made from those of a layer.

    "mean" averages the heads of a group, "first" takes the first of them, "random"
    draws new ones; query and output stay. What comes out is to be trained on for a
    while (uptraining).

    Shapes:
        key_weight (E, G*K) -> (E, num_kv_heads*K); so value_weight and both biases.

    Raises:
        ValueError: num_kv_heads doesn't divide the layer's number, the method is
            unknown, or the layer is of another kind.

    Source: Ainslie et al. 2023 (arXiv:2305.13245), section 2.1 and figure 4.
    """
    config = grouped_config(layer, num_kv_heads, method)
    grouped = GroupedQueryAttention(**config, rotary=layer.rotary)
    grouped = grouped.to(layer.query.weight)
    parameters, drawn = get_parameters(layer), get_parameters(grouped)
    for name in POOLED:
        if name in parameters and method == "random":
            parameters[name] = drawn[name]
        elif name in parameters:
            heads = layer.num_kv_heads, num_kv_heads
            parameters[name] = pool_heads(parameters[name], *heads, method)
    set_parameters(grouped, parameters)
    return grouped.train(layer.training)
