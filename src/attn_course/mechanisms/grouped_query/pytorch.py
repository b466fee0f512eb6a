"""Grouped-query attention in PyTorch. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import AttentionLayer, copies
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.core.parity import get_parameters, set_parameters
from attn_course.core.shapes import check_at_least
from attn_course.core.split_keys import pytorch as split_keys
from attn_course.mechanisms.dot_product.pytorch import (
    allowed_keys,
    block_future,
    dot_product,
)
from attn_course.mechanisms.dot_product.shared import with_bias
from attn_course.mechanisms.grouped_query.shared import (
    PARTS,
    POOLED,
    GroupedSizes,
    Method,
    check_grouped,
    grouped_config,
    pool_heads,
)

__all__ = ["GroupedQueryAttention", "grouped_query_attention", "to_grouped"]


def in_groups(query, key, value, mask=None, *, bias=None, softmax=None, **options):
    """The formula: softmax(Q[h] K[g]^T / sqrt(d)) V[g], with g = h // (H / G).

    The heads of a group become rows of one head, so no key or value is repeated.
    """
    H, G, T = query.shape[1], key.shape[1], query.shape[2]
    allowed = None if softmax is None else allowed_keys(query, key, mask, bias=bias)
    softmax, bias = with_bias(softmax, bias)
    context, weights = dot_product(
        fold_heads(query, G),
        key,
        value,
        fold_rows(mask, H, G, T),
        bias=fold_rows(bias, H, G, T),
        softmax=softmax and over_groups(softmax, allowed, H),
        **options,
    )
    return unfold_heads(context, H), None if weights is None else unfold_heads(
        weights, H
    )


def in_parts(query, key, value, mask=None, *, bias=None, scale=None, parts):
    """``in_groups`` with the keys cut into so many parts; without weights."""
    H, G, T = query.shape[1], key.shape[1], query.shape[2]
    folded = fold_heads(query, G), key, value, fold_rows(mask, H, G, T)
    how = {"bias": fold_rows(bias, H, G, T), "scale": scale, "parts": parts}
    return unfold_heads(split_keys.attend_in_parts(*folded, **how), H), None


def in_groups_or_fused(
    query, key, value, mask=None, *, causal=False, need_weights=True, **options
):
    """A kernel, or the formula, of what was checked."""
    mask = to_mask(mask, query)
    T, S = query.shape[2], key.shape[2]
    given = [x for name, x in options.items() if name != "scale" and x is not None]
    if causal and mask is None and not given and not need_weights and T == S:
        # No mask is formed: PyTorch's kernel for whole sequences knows groups.
        return whole_sequence(query, key, value, options.get("scale")), None
    if causal and T > 1:  # a single query stands last: it may see all
        mask = block_future(mask, query, key)
    if not (need_weights or options.get("softmax") or options.get("dropout")):
        how = {name: options.get(name) for name in ("bias", "scale")}
        how["parts"] = split_keys.parts_of(query, key, value, how["bias"])
        if how["parts"] is not None:
            return in_parts(query, key, value, mask, **how)
    # PyTorch's kernel for the CPU wants values as wide as keys.
    options["need_weights"] = need_weights or value.shape[-1] != key.shape[-1]
    context, weights = in_groups(query, key, value, mask, **options)
    return context, weights if need_weights else None


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
    softmax: Callable | None = None,
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
    check_grouped(query, key, value, mask, bias)
    options = {"bias": bias, "scale": scale, "causal": causal, "softmax": softmax}
    options |= {"need_weights": need_weights, "dropout": dropout}
    return in_groups_or_fused(query, key, value, mask, **options)


def fold_heads(x, num_groups):
    """(B, H, T, X) -> (B, G, H/G * T, X): the rows of head 0, then of head 1, ..."""
    return x.unflatten(1, (num_groups, -1)).flatten(2, 3)


def unfold_heads(x, num_heads):
    """The inverse of ``fold_heads``."""
    return x.unflatten(2, (num_heads // x.shape[1], -1)).flatten(1, 2)


def over_groups(softmax, mask, num_heads):
    """A softmax of H heads as one of the folded rows; the mask is that of H heads."""

    def folded(score, _):
        weights = softmax(unfold_heads(score, num_heads), mask)
        return fold_heads(weights, score.shape[1])

    return folded


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

    Sizes = GroupedSizes
    grouped = own_softmax = own_scale = True
    attend = staticmethod(in_groups_or_fused)

    def __init__(
        self, model_dim: int, num_heads: int, *, num_kv_heads: int, **options: Any
    ) -> None:
        check_at_least(1, num_kv_heads=num_kv_heads)  # None is not a number of heads
        super().__init__(model_dim, num_heads, num_kv_heads=num_kv_heads, **options)


def to_grouped(
    layer: AttentionLayer, num_kv_heads: int, method: Method = "mean"
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
    grouped = GroupedQueryAttention(**config, **copies(layer, *PARTS))
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
