"""Attention over random features in PyTorch. Formulas: ``reference.py``."""

from attn_course.frameworks import torch
from attn_course.linear.pytorch import hide, log_of, sum_up, widen
from attn_course.random_features.shared import (
    check_random,
    fourier_projection,
    gaussian_projection,
    orthogonal_projection,
    softmax_projection,
)
from attn_course.shapes import check_choice, check_shapes

__all__ = [
    "gaussian_projection",
    "orthogonal_projection",
    "performer_attention",
    "random_feature_attention",
    "softmax_features",
]

LOWEST = -1e30  # of a blocked key: far below every exponent, and finite


def softmax_features(x, projection, *, features="positive"):
    """See ``attn_course.reference.softmax_features``.

    As they are: long vectors overflow. ``performer_attention`` shifts the exponents.
    """
    check_choice("features", features, ("positive", "trigonometric"))
    check_shapes(x=(x, "...TK"), projection=(projection, "FK"))
    exponent, waves = feature_parts(*widen(x), projection, features)
    scale = projection.shape[0] ** -0.5
    return (scale * exponent.exp() * waves).to(x.dtype)


def feature_parts(x, projection, features):
    """The features as exp(exponent) * waves, not yet divided by sqrt(F)."""
    y = x * x.shape[-1] ** -0.25
    product = y @ torch.as_tensor(projection, dtype=y.dtype, device=y.device).mT
    half = y.square().sum(dim=-1, keepdim=True) / 2
    if features == "positive":
        return product - half, 1.0
    return half, torch.cat([product.cos(), product.sin()], dim=-1)


def performer_attention(
    query,
    key,
    value,
    mask=None,
    *,
    projection=None,
    num_features=256,
    seed=0,
    features="positive",
    causal=False,
    chunk_size=128,
):
    """See ``attn_course.reference.performer_attention``.

    The exponents are shifted, which cancels in the weights: a query's by its largest,
    the keys' by the largest of all; causal by what came so far, and never by a key to
    come, which could push the past below what a number can hold.
    """
    check_random(query, key, value, mask, projection)
    if projection is None:
        drawn = query.shape[-1], num_features, features, seed
        projection = softmax_projection(*drawn)
    dtype, log_decay = value.dtype, None
    query, key, value = widen(query, key, value)
    exponent, waves = feature_parts(query, projection, features)
    query = (exponent - exponent.detach().amax(dim=-1, keepdim=True)).exp() * waves
    exponent, waves = feature_parts(key, projection, features)
    if mask is not None:
        exponent = torch.where(mask.mT, exponent, LOWEST)
    highest = exponent.detach().amax(dim=-1)
    if causal:
        shift = torch.logcumsumexp(highest, dim=-1)
        before = torch.cat([shift[..., :1], shift[..., :-1]], dim=-1)
        log_decay = before - shift
    else:
        shift = highest.amax(dim=-1, keepdim=True)
    key = (exponent - shift[..., None]).exp() * waves
    if mask is not None:
        key, _ = hide(key, None, mask)
    sums, total = sum_up(query, key, value, log_decay, causal, chunk_size)
    return divide(sums, total).to(dtype), None


def divide(sums, total):
    """The average; zeros for a query that saw nothing."""
    return sums / torch.where(total == 0, 1.0, total)


def random_feature_attention(
    query,
    key,
    value,
    mask=None,
    *,
    projection=None,
    num_features=256,
    seed=0,
    gate=None,
    causal=False,
    chunk_size=128,
):
    """See ``attn_course.reference.random_feature_attention``."""
    check_random(query, key, value, mask, projection, gate=gate)
    if gate is not None and not causal:
        raise ValueError("gate must be None where causal is False")
    if projection is None:
        projection = fourier_projection(query.shape[-1], num_features, seed)
    dtype, log_decay = value.dtype, None
    query, key, value = widen(query, key, value)
    query, key = (waves_of(x, projection) for x in (query, key))
    if gate is not None:
        key = key * (1 - gate.to(key.dtype))[..., None]
        log_decay = log_of(gate, key)
    if mask is not None:
        key, log_decay = hide(key, log_decay, mask)
    sums, total = sum_up(query, key, value, log_decay, causal, chunk_size)
    return divide(sums, total).to(dtype), None


def waves_of(x, projection):
    """Cosines and sines of a unit vector's products; sqrt(F) would cancel."""
    unit = x * x.square().sum(dim=-1, keepdim=True).clamp(min=1e-12).rsqrt()
    product = unit @ torch.as_tensor(projection, dtype=x.dtype, device=x.device).mT
    return torch.cat([product.cos(), product.sin()], dim=-1)
