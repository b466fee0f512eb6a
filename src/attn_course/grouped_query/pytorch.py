"""Grouped-query attention in PyTorch. Formulas: ``reference.py``."""

from attn_course.dot_product.pytorch import block_future, scaled_dot_product_attention
from attn_course.frameworks import torch
from attn_course.grouped_query.shared import check_groups

__all__ = ["grouped_query_attention"]


def grouped_query_attention(
    query,
    key,
    value,
    mask=None,
    *,
    bias=None,
    scale=None,
    causal=False,
    need_weights=True,
    dropout=None,
):
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
    H, G = check_groups(query, key, value, mask, bias)
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
    B, H, T, X = x.shape
    return x.reshape(B, num_groups, H // num_groups * T, X)


def unfold_heads(x, num_heads):
    """The inverse of ``fold_heads``."""
    B, G, rows, X = x.shape
    return x.reshape(B, num_heads, G * rows // num_heads, X)


def fold_rows(x, num_heads, num_groups, T):
    """A mask or bias for H heads as one for the folded rows.

    Rows that are the same for all heads are repeated, but for a single row, which is
    broadcast: in a step of decoding nothing is copied.
    """
    if x is None:
        return None
    if x.ndim > 2 and x.shape[-3] > 1:  # every head has rows of its own
        rows = x.expand(*x.shape[:-2], T, x.shape[-1])
        return rows.reshape(*x.shape[:-3], num_groups, -1, x.shape[-1])
    if x.shape[-2] > 1:
        return torch.cat([x] * (num_heads // num_groups), dim=-2)
    return x if x.ndim > 2 else x[None, None]


def whole_sequence(query, key, value, scale):
    """The output alone of a causal attention with T = S."""
    return torch.nn.functional.scaled_dot_product_attention(
        query, key, value, is_causal=True, scale=scale, enable_gqa=True
    )
