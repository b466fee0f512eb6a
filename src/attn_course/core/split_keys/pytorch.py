"""Keys in parts in PyTorch; see ``attn_course.core.split_keys``."""

from functools import cache

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import is_transformed, plain
from attn_course.core.precision.pytorch import wide
from attn_course.core.split_keys.shared import count_parts


def parts_of(query, key, value, bias=None):
    """In how many parts the keys of (B, G, S, K) are worth cutting, for (B, H, T, K).

    None where that gains nothing, where gradients are asked for, and in a graph, whose
    lengths are symbols.
    """
    if not key.is_cuda or torch.compiler.is_compiling() or is_transformed():
        return None
    if torch.is_grad_enabled() and any(x.requires_grad for x in (query, key, value)):
        return None
    (B, G, S, _), (_, H, T, _) = key.shape, query.shape
    parts = count_parts(B * G, H // G * T, S)
    # Without the kernel a product copies the values of parts, which don't lie as a
    # batch does: of a single head that is still less than what idle programs cost.
    if parts and G > 1 and kernel_for(query, key, value, bias) is None:
        return None
    return parts


def kernel_for(query, key, value, bias=None):
    """The module with the kernel, if there is one for these; None otherwise."""
    kernel = load_kernel() if key.is_cuda and bias is None else None
    return kernel if kernel and kernel.fits(query, key, value) else None


@cache
def load_kernel():
    """Triton comes with PyTorch for a GPU, but not on every system."""
    try:
        from attn_course.core.split_keys import triton
    except ImportError:
        return None
    return triton


def attend_in_parts(query, key, value, mask=None, *, bias=None, scale=None, parts):
    """Attention to so many parts of the keys at once, each a place in a batch axis.

    They are equally long and a view; fewer keys than parts, which are left, are one
    more.
    """
    dtype, S = query.dtype, key.shape[-2]
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    kernel = kernel_for(query, key, value, bias)
    if kernel is not None:
        return kernel.attend_in_parts(query, key, value, mask, scale, parts)
    query, key, value = (x.to(wide(dtype)) for x in (query, key, value))
    query, parts = (query * scale)[..., None, :, :], min(parts, S)
    whole, found = S // parts * parts, []
    for keys, C in ((slice(whole), S // parts), (slice(whole, S), S - whole)):
        if C:
            cut = [x[..., keys, :].unflatten(-2, (-1, C)) for x in (key, value)]
            own = [columns(x, S, keys, C) for x in (mask, bias)]
            with plain(key):
                found.append(of_parts(query, *cut, *own))
    return merge(*(torch.cat(x, dim=-3) for x in zip(*found, strict=True))).to(dtype)


def columns(x, S, keys, C):
    """A mask or bias (..., T, S) for parts of the keys: (..., N, T, C)."""
    if x is None:
        return None
    x = x.expand(*x.shape[:-1], S)[..., keys]
    return x.unflatten(-1, (-1, C)).movedim(-2, -3)


def of_parts(query, key, value, mask=None, bias=None):
    """Of each part its highest score, its sum of exponentials, and its context."""
    score = query @ key.mT
    if bias is not None:
        score = score + bias
    if mask is not None:
        score = score.masked_fill(~mask, -torch.inf)
    # Finite, also where all is blocked: minus infinity minus itself is NaN.
    lowest = torch.finfo(score.dtype).min
    highest = score.detach().amax(dim=-1, keepdim=True).clamp(min=lowest)
    weight = torch.exp(score - highest)
    return highest, weight.sum(dim=-1, keepdim=True), weight @ value


def merge(highest, total, context, axis=-3):
    """What parts found, as one; where none has seen a key, zeros."""
    kept = torch.exp(highest - highest.amax(dim=axis, keepdim=True))
    total, context = ((kept * x).sum(dim=axis) for x in (total, context))
    return context / torch.where(total == 0, 1.0, total)
