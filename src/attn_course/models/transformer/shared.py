"""Sizes, checks and the learning rate that the Transformer's frameworks share."""

from typing import Any

from attn_course.core.shapes import (
    check_at_least,
    check_floats,
    check_head_mask,
    check_shapes,
    check_share,
    dtype_name,
)
from attn_course.models.encoder.shared import encoder_config


def warm_up_rate(step: Any, *, model_dim: int, warm_up_steps: int) -> float:
    """The learning rate of the paper: it rises to a peak, then falls as 1 / sqrt(step).

    rate(step) = model_dim^-0.5 * min(step^-0.5, step * warm_up_steps^-1.5)

    The peak, at step = warm_up_steps, is (model_dim * warm_up_steps)^-0.5.

    Raises:
        ValueError: step or a size is below 1.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 5.3, equation 3.

    >>> round(warm_up_rate(4000, model_dim=512, warm_up_steps=4000), 6)
    0.000699
    """
    check_at_least(1, step=step, model_dim=model_dim, warm_up_steps=warm_up_steps)
    return model_dim**-0.5 * min(step**-0.5, step * warm_up_steps**-1.5)


def check_tokens(letters: dict | None = None, **tokens: tuple[Any, str]) -> None:
    """Raise ValueError unless tokens are whole numbers of these shapes."""
    sizes = check_shapes(letters, **tokens)
    for name, (array, spec) in tokens.items():
        if "int" not in dtype_name(array):
            raise ValueError(f"{name} must be integers, got {dtype_name(array)}")
        if sizes[spec[-1]] == 0:
            wanted = f"at least 1 position, got {spec[-1]} = 0"
            raise ValueError(f"{name} must have {wanted}")


def transformer_config(
    vocab_size: int,
    num_layers: int,
    sizes: tuple[int, int, int],
    choices: tuple[str, str, str, float, float | None],
    **more: int | None,
) -> dict[str, Any]:
    """What a model is built from, in the order of its arguments; ValueError if wrong.

    sizes: model_dim, num_heads, ff_dim; choices: norm, activation, normalization,
    dropout, eps; more: a size that may be None.
    """
    given = {name: size for name, size in more.items() if size is not None}
    check_at_least(1, vocab_size=vocab_size, num_layers=num_layers, **given)
    model = {"vocab_size": int(vocab_size), "num_layers": int(num_layers)}
    return {**model, **encoder_config(*sizes, *choices), **more}


def check_source_mask(mask: Any, source: Any, num_heads: int) -> None:
    """Raise ValueError unless a mask is one of the source's, as its layers take it."""
    B, S = source.shape
    check_head_mask(mask, (B, num_heads, S, S))


def check_smoothing(logits: Any, targets: Any, smoothing: float) -> None:
    """Raise ValueError unless logits (..., N) and targets (...) go together."""
    check_share(smoothing=smoothing)
    check_shapes(logits=(logits, "...N"))
    check_floats(logits=logits)
    if "int" not in dtype_name(targets):
        raise ValueError(f"targets must be integers, got {dtype_name(targets)}")
    shape, expected = tuple(targets.shape), tuple(logits.shape)[:-1]
    alike = len(shape) == len(expected) and all(
        None in pair or pair[0] == pair[1] for pair in zip(shape, expected, strict=True)
    )
    if not alike:
        wanted = f"logits without their last axis, {expected}"
        raise ValueError(f"targets must have the shape of {wanted}, got {shape}")
