"""Scaled dot-product attention in PyTorch.

The formula and the shapes stand in ``reference.py``.
"""

from attn_course.frameworks import torch
from attn_course.shapes import check_floats, check_head_mask, check_shapes


def masked_softmax(score, mask=None):
    """See ``attn_course.reference.masked_softmax``.

    Computed in float32 or more, returned in score's dtype.
    """
    wide = torch.promote_types(score.dtype, torch.float32)
    if mask is None:
        return torch.softmax(score, dim=-1, dtype=wide).to(score.dtype)
    # The lowest finite number instead of minus infinity: a row without any allowed key
    # then stays free of NaN, in the gradient too; the second `where` sets it to zero.
    score_wide = torch.where(mask, score.to(wide), torch.finfo(wide).min)
    weights = torch.where(mask, torch.softmax(score_wide, dim=-1), 0.0)
    return weights.to(score.dtype)


def scaled_dot_product_attention(
    query,
    key,
    value,
    mask=None,
    *,
    bias=None,
    scale=None,
    causal=False,
    need_weights=True,
):
    """See ``attn_course.reference.scaled_dot_product_attention``.

    ``need_weights=False`` calls PyTorch's own, which has fused kernels that never form
    the matrix of the weights. On a CPU they want four axes, and V = K.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_floats(query=query, key=key, value=value)
    sizes = check_shapes(
        query=(query, "...TK"), key=(key, "...SK"), value=(value, "...SV")
    )
    if mask is not None:
        check_head_mask(mask, (*sizes["..."], sizes["T"], sizes["S"]))
    plain = mask is None and bias is None
    # PyTorch's own causal flag aligns queries and keys at the start: right for T = S.
    if plain and not need_weights and (not causal or sizes["T"] == sizes["S"]):
        output = torch.nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=causal, scale=scale
        )
        return output, None
    if causal:
        mask = block_future(mask, query, key)
    if mask is not None:
        key, value = hide_unseen(key, mask), hide_unseen(value, mask)
    if not need_weights:
        if bias is not None:
            mask = bias if mask is None else torch.where(mask, bias, -torch.inf)
        output = torch.nn.functional.scaled_dot_product_attention(
            query, key, value, mask, scale=scale
        )
        return output, None
    scale = sizes["K"] ** -0.5 if scale is None else scale
    score = scale * torch.einsum("...tk,...sk->...ts", query, key)
    if bias is not None:
        score = score + bias
    weights = masked_softmax(score, mask)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights


def block_future(mask, query, key):
    """See ``attn_course.dot_product.reference.block_future``."""
    T, S = query.shape[-2], key.shape[-2]
    allowed = query.new_ones(T, S, dtype=torch.bool).tril(S - T)
    return allowed if mask is None else mask & allowed


def hide_unseen(vectors, mask):
    """See ``attn_course.dot_product.reference.hide_unseen``."""
    return torch.where(mask.any(dim=-2)[..., None], vectors, 0.0)


def hide_nan(vectors, mask):
    """See ``attn_course.dot_product.reference.hide_nan``."""
    seen = mask.any(dim=-2)[..., None]
    return torch.where(seen | vectors.isfinite(), vectors, 0.0)
