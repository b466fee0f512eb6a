"""Scaled dot-product attention in PyTorch: the formula, then what is called."""

from collections.abc import Callable

from attn_course.core.frameworks import torch
from attn_course.core.masks.pytorch import Mask, finite_cast, to_mask
from attn_course.core.precision.pytorch import wide
from attn_course.core.shapes import check_arrays, check_attention, check_softmax_mask
from attn_course.mechanisms.dot_product.shared import with_bias

__all__ = ["masked_softmax", "scaled_dot_product_attention"]


def attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
    *,
    bias: torch.Tensor | None = None,
    scale: float | None = None,
    softmax: Callable | None = None,
    dropout: Callable | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The formula, equation 1 of the paper: softmax(Q K^T / sqrt(d_k)) V."""
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    score = scale * query @ key.mT
    if bias is not None:
        score = score + bias
    softmax = allowed_softmax if softmax is None else softmax
    weights = softmax(score, mask)
    used = weights if dropout is None else dropout(weights)
    return used @ value, weights


def allowed_softmax(
    score: torch.Tensor, mask: torch.Tensor | None = None
) -> torch.Tensor:
    """Softmax over the keys that the mask allows; where it allows none, zeros."""
    if mask is None:
        return torch.softmax(score, dim=-1)
    # Of minus infinities alone the softmax would be NaN, and its gradient too: a row
    # without any allowed key has zeros instead, and is set to zero behind.
    seen = mask.any(dim=-1, keepdim=True)
    blocked = torch.where(seen, -torch.inf, 0.0).to(score.dtype)
    weights = torch.softmax(torch.where(mask, score, blocked), dim=-1)
    return torch.where(mask, weights, 0.0)


def masked_softmax(score: torch.Tensor, mask: Mask = None) -> torch.Tensor:
    """See ``attn_course.reference.masked_softmax``.

    Computed in float32 or more, returned in score's dtype.
    """
    check_arrays(score=score)
    allowed = not_blocked(score)
    if mask is not None:
        check_softmax_mask(mask, score)
        allowed = allowed & to_mask(mask, score)
    if not score.is_floating_point():
        score = score.to(torch.get_default_dtype())
    return allowed_softmax(score.to(wide(score.dtype)), allowed).to(score.dtype)


def scaled_dot_product_attention(
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
    """``attention`` of checked arguments: ``reference.scaled_dot_product_attention``.

    ``need_weights=False`` calls PyTorch's own, which has fused kernels that never form
    the matrix of the weights. On a CPU they want four axes, and V = K. dropout is a
    function that drops weights; it needs them.

    Raises:
        ValueError: a shape, dtype or mask is not as the reference says.
    """
    check_attention(query, key, value, mask, bias)
    options = {"bias": bias, "scale": scale, "causal": causal, "softmax": softmax}
    options |= {"need_weights": need_weights, "dropout": dropout}
    return dot_product(query, key, value, mask, **options)


def dot_product(
    query,
    key,
    value,
    mask=None,
    *,
    bias=None,
    scale=None,
    causal=False,
    need_weights=True,
    softmax=None,
    dropout=None,
):
    """``scaled_dot_product_attention`` of what was checked."""
    if not (need_weights or dropout or softmax):
        return fused_attention(query, key, value, mask, bias, scale, causal), None
    mask = allowed_keys(query, key, mask, bias=bias, causal=causal)
    softmax, bias = with_bias(softmax, bias)
    dtype = wide(query.dtype)
    inputs = [x.to(dtype) for x in (query, key, value)]
    options = {"bias": bias, "scale": scale, "softmax": softmax, "dropout": dropout}
    output, weights = attention(*inputs, mask, **options)
    weights = weights.to(query.dtype) if need_weights else None
    return output.to(query.dtype), weights


def fused_attention(query, key, value, mask, bias, scale, causal):
    """The output alone, by PyTorch's kernels."""
    kind = query.device.type
    if bias is not None and kind == "cpu" and torch.is_autocast_enabled(kind):
        with torch.autocast(kind, enabled=False):  # 16 bits would make low numbers one
            inputs = [x.to(wide(x.dtype)) for x in (query, key, value)]
            return fused_attention(*inputs, mask, bias, scale, causal).to(query.dtype)
    # Their own causal flag aligns queries and keys at the start: right for T = S.
    own_causal = causal and mask is None and bias is None
    if own_causal and query.shape[-2] != key.shape[-2]:
        own_causal = False  # by a branch: the kernel takes no flag that is a symbol
    if not own_causal:
        mask = allowed_keys(query, key, mask, causal=causal)
    if bias is not None:
        bias = kernel_bias(bias, query)
        mask = bias if mask is None else torch.where(mask, bias, -torch.inf)
    one_head = query.ndim == 3 and torch.compiler.is_exporting()
    if one_head:  # ONNX knows it with an axis of heads alone
        query, key, value = (x[:, None] for x in (query, key, value))
        mask = mask[:, None] if mask is not None and mask.ndim == 3 else mask
    context = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, mask, is_causal=own_causal, scale=scale
    )
    context = zero_blind_rows(context, mask)
    return context[:, 0] if one_head else context


def kernel_bias(bias, query):
    """A bias in a dtype that the kernels take, as wide as they do."""
    dtype, kind = query.dtype, query.device.type
    if bias.dtype != dtype and kind == "cpu" and not torch.compiler.is_exporting():
        dtype = wide(dtype)  # 16 bits alone can't tell numbers beyond their range apart
    if kind != "meta" and dtype != torch.float64 and torch.is_autocast_enabled(kind):
        dtype = torch.get_autocast_dtype(kind)
    return finite_cast(bias, dtype)


def zero_blind_rows(context, mask):
    """Zeros for a query that may see nothing, where a graph leaves PyTorch.

    PyTorch's kernels give zeros by themselves; the same graph in ONNX averages all
    values.
    """
    if mask is None or not torch.compiler.is_exporting():
        return context
    seen = mask if mask.dtype == torch.bool else not_blocked(mask)
    return torch.where(seen.any(dim=-1, keepdim=True), context, 0.0)


def allowed_keys(
    query: torch.Tensor,
    key: torch.Tensor,
    mask: Mask = None,
    *,
    bias: torch.Tensor | None = None,
    causal: bool = False,
) -> torch.Tensor | None:
    """What mask, causal and a bias of minus infinity allow together; None is all."""
    mask = to_mask(mask, query)
    if causal:
        mask = block_future(mask, query, key)
    if bias is not None:
        seen = not_blocked(bias)
        if 2 < bias.ndim < query.ndim:  # (H, T, S) is a bias, and no mask
            seen = seen[None]
        mask = seen if mask is None else mask & seen
    return mask


def not_blocked(score: torch.Tensor) -> torch.Tensor:
    """Whether a score, or a bias, is anything but minus infinity."""
    return score != -torch.inf


def block_future(
    mask: torch.Tensor | None, query: torch.Tensor, key: torch.Tensor
) -> torch.Tensor:
    """See ``attn_course.mechanisms.dot_product.reference.block_future``."""
    T, S = query.shape[-2], key.shape[-2]
    allowed = query.new_ones(T, S, dtype=torch.bool).tril(S - T)
    return allowed if mask is None else mask & allowed
