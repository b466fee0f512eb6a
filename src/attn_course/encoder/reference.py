"""The encoder in NumPy, float64: the specification."""

from typing import Any

import numpy as np

from attn_course.encoder.shared import NORMS
from attn_course.feed_forward.reference import feed_forward, layer_norm, rms_norm
from attn_course.feed_forward.shared import NORMALIZATIONS
from attn_course.multi_head.reference import multi_head_attention
from attn_course.parity import nested
from attn_course.shapes import check_choice

__all__ = ["encoder", "encoder_layer"]

Parameters = dict[str, np.ndarray]


def encoder_layer(
    x: np.ndarray,
    parameters: Parameters,
    *,
    num_heads: int,
    norm: str = "post",
    activation: str = "relu",
    normalization: str = "layer",
    mask: np.ndarray | None = None,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Attention, then a small network; each adds to what came in.

    post   y = norm1(x + attention(x));  output = norm2(y + feed_forward(y))
    pre    y = x + attention(norm1(x));  output = y + feed_forward(norm2(y))

    Shapes:
        x: (B, T, D). mask: as in ``multi_head_attention``. parameters: as in
        ``attn_course.encoder``.
        returns: output (B, T, D), weights (B, H, T, T).

    Raises:
        ValueError: a shape, dtype, mask or choice is not as above.

    Source: Vaswani et al. 2017, section 3.1 (post); Xiong et al. 2020
        (arXiv:2002.04745), table 1 (pre).
    """
    check_choice("norm", norm, NORMS)
    check_choice("normalization", normalization, NORMALIZATIONS)
    normalize = layer_norm if normalization == "layer" else rms_norm
    norm1, norm2 = nested(parameters, "norm1"), nested(parameters, "norm2")
    network = nested(parameters, "feed_forward")
    attention = nested(parameters, "attention")
    options = {"num_heads": num_heads, "mask": mask, "causal": causal}
    before = normalize(x, norm1) if norm == "pre" else x
    attended, weights = multi_head_attention(
        before, before, before, attention, **options
    )
    y = x + attended
    y = normalize(y, norm1) if norm == "post" else y
    before = normalize(y, norm2) if norm == "pre" else y
    output = y + feed_forward(before, network, activation=activation)
    return normalize(output, norm2) if norm == "post" else output, weights


def encoder(
    x: np.ndarray, parameters: Parameters, *, num_layers: int, **options: Any
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
    return last_norm(x, parameters, **options), tuple(weights)


def last_norm(
    x: np.ndarray,
    parameters: Parameters,
    *,
    norm: str = "post",
    normalization: str = "layer",
    **others: Any,
) -> np.ndarray:
    """What ends a stack: one more norm where every layer begins with its norms."""
    if norm == "post":
        return x
    normalize = layer_norm if normalization == "layer" else rms_norm
    return normalize(x, nested(parameters, "final_norm"))
