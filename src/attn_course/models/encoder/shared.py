"""Sizes and checks that the encoders of both frameworks share."""

from typing import Any, Literal, get_args

from attn_course.core.shapes import (
    check_at_least,
    check_choice,
    check_flags,
    check_share,
)
from attn_course.models.feed_forward.shared import ACTIVATIONS, norm_epsilon

Norm = Literal["post", "pre", "both"]
DecoderNorm = Literal["post", "pre"]
NORMS, DECODER_NORMS = get_args(Norm), get_args(DecoderNorm)


def encoder_config(
    model_dim: int,
    num_heads: int,
    ff_dim: int,
    norm: str,
    activation: str,
    normalization: str,
    dropout: float,
    eps: float | None = None,
) -> dict[str, Any]:
    """What an ``EncoderLayer`` is built from; raises ValueError if wrong."""
    check_at_least(1, model_dim=model_dim, num_heads=num_heads, ff_dim=ff_dim)
    check_choice("norm", norm, NORMS)
    check_choice("activation", activation, ACTIVATIONS)
    norm_epsilon(normalization, eps)
    check_share(dropout=dropout)
    return {
        "model_dim": int(model_dim),
        "num_heads": int(num_heads),
        "ff_dim": int(ff_dim),
        "norm": norm,
        "activation": activation,
        "normalization": normalization,
        "dropout": dropout,
        "eps": eps,
    }


def check_attention_layer(
    attention: Any, model_dim: int, *, crosses: bool = False
) -> None:
    """Raise ValueError unless an attention that is given fits the model's width.

    crosses: it has to read a memory, too.
    """
    name = "cross_attention" if crosses else "attention"
    width = getattr(attention, "config", {}).get("model_dim")
    if width != model_dim:
        wanted = f"a layer over heads with model_dim = {model_dim}"
        came = f"{type(attention).__name__} with model_dim = {width}"
        raise ValueError(f"{name} must be {wanted}, got {came}")
    if crosses and not getattr(attention, "reads_memory", True):
        wanted = "a layer that takes a memory beside the query"
        raise ValueError(f"{name} must be {wanted}, got {type(attention).__name__}")


def check_maker(name: str, make: Any, example: str) -> None:
    """Raise ValueError unless a stack can make a part for every layer by it."""
    if hasattr(make, "config") or not (make is None or callable(make)):
        wanted = f"a function of a layer's number that makes one, {example}"
        came = type(make).__name__
        raise ValueError(f"{name} must be {wanted}, got {came}")


def check_alike(layers: list) -> dict[str, Any]:
    """The config that all layers have; ValueError if they differ or there are none."""
    configs = [layer.config for layer in layers]
    if not configs or any(config != configs[0] for config in configs):
        wanted = "at least one layer, and all of the same sizes and choices"
        raise ValueError(f"module must have {wanted}, got {configs}")
    return configs[0]


def stack_config(
    num_layers: int, config: dict[str, Any], final_norm: bool | None
) -> dict[str, Any]:
    """What a stack is built from; raises ValueError if wrong."""
    check_at_least(1, num_layers=num_layers)
    if final_norm is not None:
        check_flags(final_norm=final_norm)
        config = {**config, "final_norm": final_norm}
    return {"num_layers": int(num_layers), **config}


def ends_with_norm(config: dict[str, Any]) -> bool:
    """Whether a stack has one more norm: unless told, where layers begin with one."""
    return config.get("final_norm", config["norm"] != "post")


def caches_of(cache: Any, num_layers: int) -> Any:
    """A cache for each layer, or None for each; ValueError if their number is wrong."""
    if cache is None:
        return [None] * num_layers
    if not isinstance(cache, tuple | list) or len(cache) != num_layers:
        came = len(cache) if isinstance(cache, tuple | list) else type(cache).__name__
        raise ValueError(f"cache must be a tuple of {num_layers} caches, got {came}")
    return cache
