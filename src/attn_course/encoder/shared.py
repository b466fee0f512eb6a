"""Sizes and checks that the encoders of both frameworks share."""

from typing import Any

from attn_course.feed_forward.shared import ACTIVATIONS, NORMALIZATIONS
from attn_course.shapes import check_at_least, check_choice, check_share

NORMS = ("post", "pre")


def encoder_config(
    model_dim: int,
    num_heads: int,
    ff_dim: int,
    norm: str,
    activation: str,
    normalization: str,
    dropout: float,
) -> dict[str, Any]:
    """What an ``EncoderLayer`` is built from; raises ValueError if wrong."""
    check_at_least(1, model_dim=model_dim, num_heads=num_heads, ff_dim=ff_dim)
    check_choice("norm", norm, NORMS)
    check_choice("activation", activation, ACTIVATIONS)
    check_choice("normalization", normalization, NORMALIZATIONS)
    check_share(dropout=dropout)
    return {
        "model_dim": int(model_dim),
        "num_heads": int(num_heads),
        "ff_dim": int(ff_dim),
        "norm": norm,
        "activation": activation,
        "normalization": normalization,
        "dropout": dropout,
    }


def check_attention_layer(attention: Any, model_dim: int) -> None:
    """Raise ValueError unless an attention that is given fits the model's width."""
    width = getattr(attention, "config", {}).get("model_dim")
    if width != model_dim:
        wanted = f"a layer over heads with model_dim = {model_dim}"
        came = f"{type(attention).__name__} with model_dim = {width}"
        raise ValueError(f"attention must be {wanted}, got {came}")


def caches_of(cache: Any, num_layers: int) -> Any:
    """A cache for each layer, or None for each; ValueError if their number is wrong."""
    if cache is None:
        return [None] * num_layers
    if not isinstance(cache, tuple | list) or len(cache) != num_layers:
        came = len(cache) if isinstance(cache, tuple | list) else type(cache).__name__
        raise ValueError(f"cache must be a tuple of {num_layers} caches, got {came}")
    return cache


def parameter_count(
    num_layers: int,
    model_dim: int,
    ff_dim: int,
    *,
    norm: str = "post",
    activation: str = "relu",
    normalization: str = "layer",
) -> int:
    """How many numbers an ``Encoder`` learns, with ``MultiHeadAttention``.

    per layer: 4 D^2 of attention, 2 D F of the network (3 D F for swiglu), the biases
    4 D and F + D, and two norms of 2 D (rms: D, and no bias anywhere).
    """
    D, F = model_dim, ff_dim
    maps = 4 * D * D + (3 if activation == "swiglu" else 2) * D * F
    scales = D if normalization == "rms" else 2 * D
    biases = 0
    if normalization == "layer":
        biases = 4 * D + (0 if activation == "swiglu" else F + D)
    final = scales if norm == "pre" else 0
    return num_layers * (maps + biases + 2 * scales) + final
