"""Latent attention in NumPy, float64: the specification, in its naive form."""

import numpy as np

from attn_course.core.shapes import check_parameters, check_shapes
from attn_course.mechanisms.dot_product.reference import scaled_dot_product_attention
from attn_course.mechanisms.latent.shared import EPSILON
from attn_course.mechanisms.parts.positional.reference import rotate

__all__ = ["latent_attention"]


def latent_attention(
    x: np.ndarray,
    parameters: dict[str, np.ndarray],
    mask: np.ndarray | None = None,
    *,
    num_heads: int,
    key_dim: int,
    value_dim: int,
    rope_dim: int,
    base: float = 10000.0,
    causal: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Attend with keys and values that are built from one latent per position.

    latent, turned = split(x @ latent_weight);  latent = rms(latent) * latent_norm.scale
    turned    = rotate(turned), one for all heads, interleaved
    key[h]    = [latent @ key_value_weight[h], its first key_dim columns; turned]
    value[h]  = latent @ key_value_weight[h], its last value_dim columns
    query[h]  = [plain; rotate(rest)] of the h-th block of x @ query_weight, or of
                rms(x @ query_down_weight) * query_norm.scale @ query_up_weight
    output    = [softmax(query[h] @ key[h]^T / sqrt(key_dim + rope_dim)) @ value[h]]
                of all heads, side by side, @ output_weight

    Shapes:
        x: (B, T, D). parameters: see ``attn_course.mechanisms.latent``.
        mask: boolean (T, T), (B, 1, T, T), (B, 1, 1, T); True = may attend.
        returns: output (B, T, D), weights (B, H, T, T).

    Edge case: a query that may attend to nothing gets a zero output.

    Raises:
        ValueError: a shape is not as above.

    Source: DeepSeek-AI 2024 (arXiv:2405.04434), equations 9 to 19.
    Differs: equations 9 and 12 have no norm; the released code has one for each latent,
        and so have we.
    """
    names = ("latent_weight", "latent_norm.scale", "key_value_weight", "output_weight")
    check_parameters(parameters, *names)
    R, P = len(parameters["latent_norm.scale"]), rope_dim
    T = check_shapes({"D": len(parameters["latent_weight"])}, x=(x, "BTD"))["T"]
    turn = {"layout": "interleaved", "base": base}
    small = np.asarray(x, np.float64) @ parameters["latent_weight"]
    latent = rms_norm(small[..., :R], parameters["latent_norm.scale"])
    turned = rotate(small[..., R:], np.arange(T), **turn)
    queries = np.split(project_query(x, parameters), num_heads, axis=-1)
    parts = np.split(latent @ parameters["key_value_weight"], num_heads, axis=-1)
    contexts, weights = [], []
    for head, (query, part) in enumerate(zip(queries, parts, strict=True)):
        rotated = rotate(query[..., key_dim : key_dim + P], np.arange(T), **turn)
        query = np.concatenate([query[..., :key_dim], rotated], axis=-1)
        key = np.concatenate([part[..., :key_dim], turned], axis=-1)
        value = part[..., key_dim : key_dim + value_dim]
        own_mask = mask
        if mask is not None and mask.ndim > 2:
            own_mask = mask[:, min(head, mask.shape[1] - 1)]
        # It divides by the root of the key's width, key_dim + rope_dim.
        context, weight = scaled_dot_product_attention(
            query, key, value, own_mask, causal=causal
        )
        contexts.append(context)
        weights.append(weight)
    merged = np.concatenate(contexts, axis=-1)
    return merged @ parameters["output_weight"], np.stack(weights, axis=1)


def rms_norm(x, scale):
    """x / sqrt(mean(x^2) + epsilon) * scale, over the last axis."""
    return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + EPSILON) * scale


def project_query(x, parameters):
    """The queries of all heads, straight or by way of their own latent."""
    if "query_weight" in parameters:
        return x @ parameters["query_weight"]
    check_parameters(parameters, "query_up_weight")
    return query_latent(x, parameters) @ parameters["query_up_weight"]


def query_latent(x, parameters):
    """The latent that the queries of all heads are made of."""
    check_parameters(parameters, "query_down_weight", "query_norm.scale")
    down = x @ parameters["query_down_weight"]
    return rms_norm(down, parameters["query_norm.scale"])
