"""Sizes and checks that the networks of both frameworks share."""

from typing import Any, Literal, get_args

from attn_course.core.shapes import (
    check_at_least,
    check_choice,
    check_flags,
    check_positive,
    check_share,
)

GATED = ("swiglu", "geglu", "geglu_tanh")
# What an editor offers is what is checked.
Activation = Literal[
    "relu", "gelu", "gelu_tanh", "silu", "swiglu", "geglu", "geglu_tanh"
]
Normalization = Literal["layer", "layer_no_bias", "rms"]
ACTIVATIONS = get_args(Activation)
NORMALIZATIONS = {"layer": 1e-5, "layer_no_bias": 1e-5, "rms": 1e-6}  # their epsilon


def feed_forward_config(
    model_dim: int, ff_dim: int, activation: str, use_bias: bool, dropout: float
) -> dict[str, Any]:
    """What a ``FeedForward`` is built from; raises ValueError if wrong."""
    check_at_least(1, model_dim=model_dim, ff_dim=ff_dim)
    check_choice("activation", activation, ACTIVATIONS)
    check_share(dropout=dropout)
    check_flags(use_bias=use_bias)
    return {
        "model_dim": int(model_dim),
        "ff_dim": int(ff_dim),
        "activation": activation,
        "use_bias": use_bias and activation not in GATED,
        "dropout": dropout,
    }


def norm_epsilon(normalization: str, eps: float | None) -> float:
    """The epsilon of a norm: what is given, else what its kind has.

    Raises:
        ValueError: the normalization is unknown, or eps not above 0.
    """
    check_choice("normalization", normalization, NORMALIZATIONS)
    if eps is None:
        return NORMALIZATIONS[normalization]
    check_positive(eps=eps)
    return float(eps)
