"""The encoder in NumPy, float64: the specification."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attn_course.core.parity import nested
from attn_course.core.shapes import check_choice
from attn_course.mechanisms.multi_head.reference import multi_head_attention_at_once
from attn_course.models.encoder.shared import NORMS, Norm
from attn_course.models.feed_forward.reference import feed_forward, normalizer
from attn_course.models.feed_forward.shared import Activation, Normalization

__all__ = ["encoder", "encoder_layer"]

Parameters = dict[str, np.ndarray]


def encoder_layer(
    x: np.ndarray,
    parameters: Parameters,
    *,
    num_heads: int,
    norm: Norm = "post",
    activation: Activation = "relu",
    normalization: Normalization = "layer",
    eps: float | None = None,
    mask: np.ndarray | None = None,
    causal: bool = False,
    rotary: Callable[..., Any] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Attention, then a small network; each adds to what came in.

    post   y = norm1(x + attention(x));  output = norm2(y + feed_forward(y))
    pre    y = x + attention(norm1(x));  output = y + feed_forward(norm2(y))
    both   y = x + norm1_behind(attention(norm1(x)))
           output = y + norm2_behind(feed_forward(norm2(y)))

    Shapes:
        x: (B, T, D). mask, rotary: as in ``multi_head_attention_at_once``. parameters:
        as in ``attn_course.models.encoder``.
        returns: output (B, T, D), weights (B, H, T, T).

    Raises:
        ValueError: a shape, dtype, mask or choice is not as above.

    Source: Vaswani et al. 2017, section 3.1 (post); Xiong et al. 2020
        (arXiv:2002.04745), table 1 (pre); Gemma Team 2024 (arXiv:2408.00118), section 2
        (both).
    """
    check_choice("norm", norm, NORMS)
    normalize = normalizer(normalization, eps)
    norm1, norm2 = nested(parameters, "norm1"), nested(parameters, "norm2")
    network = nested(parameters, "feed_forward")
    attention = nested(parameters, "attention")
    options = {"num_heads": num_heads, "mask": mask, "causal": causal, "rotary": rotary}
    before = x if norm == "post" else normalize(x, norm1)
    attended, weights = multi_head_attention_at_once(
        before, before, before, attention, **options
    )
    if norm == "both":
        attended = normalize(attended, nested(parameters, "norm1_behind"))
    y = x + attended
    y = normalize(y, norm1) if norm == "post" else y
    before = y if norm == "post" else normalize(y, norm2)
    found = feed_forward(before, network, activation=activation)
    if norm == "both":
        found = normalize(found, nested(parameters, "norm2_behind"))
    output = y + found
    return normalize(output, norm2) if norm == "post" else output, weights


def encoder(
    x: np.ndarray,
    parameters: Parameters,
    *,
    num_layers: int,
    final_norm: bool | None = None,
    **options: Any,
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """One layer after the other; a pre-norm encoder ends with one more norm.

    Shapes:
        x: (B, T, D). options: as in ``encoder_layer``, the same for every layer.
        returns: output (B, T, D), the weights (B, H, T, T) of every layer.

    Source: Vaswani et al. 2017, section 3.1.
    """
    weights = []
    for number in range(num_layers):
        own = nested(parameters, f"layers.{number}")
        x, found = encoder_layer(x, own, **options)
        weights.append(found)
    return last_norm(x, parameters, final_norm, **options), tuple(weights)


def last_norm(
    x: np.ndarray,
    parameters: Parameters,
    final_norm: bool | None,
    *,
    norm: Norm = "post",
    normalization: Normalization = "layer",
    eps: float | None = None,
    **others: Any,
) -> np.ndarray:
    """What ends a stack: one more norm; unless told, where layers begin with one."""
    if not (norm != "post" if final_norm is None else final_norm):
        return x
    return normalizer(normalization, eps)(x, nested(parameters, "final_norm"))
