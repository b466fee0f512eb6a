"""The decoder in NumPy, float64: the specification."""

from typing import Any

import numpy as np

from attn_course.core.parity import nested
from attn_course.core.shapes import check_choice
from attn_course.mechanisms.multi_head.reference import multi_head_attention
from attn_course.models.encoder.reference import last_norm
from attn_course.models.encoder.shared import DECODER_NORMS, DecoderNorm
from attn_course.models.feed_forward.reference import feed_forward, normalizer
from attn_course.models.feed_forward.shared import Activation, Normalization

__all__ = ["decoder", "decoder_layer"]

Parameters = dict[str, np.ndarray]
Weights = tuple[np.ndarray, np.ndarray]


def decoder_layer(
    x: np.ndarray,
    memory: np.ndarray,
    parameters: Parameters,
    *,
    num_heads: int,
    norm: DecoderNorm = "post",
    activation: Activation = "relu",
    normalization: Normalization = "layer",
    eps: float | None = None,
    memory_mask: np.ndarray | None = None,
    target_mask: np.ndarray | None = None,
) -> tuple[np.ndarray, Weights]:
    """Look back at the own words, then at the memory, then think; each adds.

    post   y = norm1(x + attention(x)); z = norm2(y + cross_attention(y, memory));
           output = norm3(z + feed_forward(z))
    pre    y = x + attention(norm1(x)); z = y + cross_attention(norm2(y), memory);
           output = z + feed_forward(norm3(z))

    where attention is causal: position t sees positions up to t.

    Shapes:
        x: (B, T, D). memory: (B, S, E). memory_mask: padding (B, 1, 1, S);
        target_mask: padding (B, 1, 1, T); True = may attend. parameters: as in
        ``attn_course.models.decoder``.
        returns: output (B, T, D), weights (B, H, T, T) and (B, H, T, S).

    Raises:
        ValueError: a shape, dtype, mask or choice is not as above.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.1 (post); Xiong et al.
        2020 (arXiv:2002.04745), table 1 (pre).
    """
    check_choice("norm", norm, DECODER_NORMS)
    normalize = normalizer(normalization, eps)

    def add(x, number, part):
        own = nested(parameters, f"norm{number}")
        added = part(normalize(x, own) if norm == "pre" else x)
        return x + added if norm == "pre" else normalize(x + added, own)

    def look_back(x):
        own = nested(parameters, "attention")
        options = {"mask": target_mask, "causal": True}
        found = multi_head_attention(x, x, x, own, num_heads=num_heads, **options)
        weights.append(found[1])
        return found[0]

    def look_across(x):
        own, options = nested(parameters, "cross_attention"), {"mask": memory_mask}
        inputs = x, memory, memory, own
        found = multi_head_attention(*inputs, num_heads=num_heads, **options)
        weights.append(found[1])
        return found[0]

    def think(x):
        own = nested(parameters, "feed_forward")
        return feed_forward(x, own, activation=activation)

    weights = []
    output = add(add(add(x, 1, look_back), 2, look_across), 3, think)
    return output, tuple(weights)


def decoder(
    x: np.ndarray,
    memory: np.ndarray,
    parameters: Parameters,
    *,
    num_layers: int,
    final_norm: bool | None = None,
    **options: Any,
) -> tuple[np.ndarray, tuple[Weights, ...]]:
    """One layer after the other, every one reading the same memory.

    Shapes:
        x: (B, T, D). memory: (B, S, E). options: as in ``decoder_layer``, the same for
        every layer.
        returns: output (B, T, D), the two weights of every layer.

    Source: Vaswani et al. 2017, section 3.1.
    """
    weights = []
    for number in range(num_layers):
        own = nested(parameters, f"layers.{number}")
        x, found = decoder_layer(x, memory, own, **options)
        weights.append(found)
    return last_norm(x, parameters, final_norm, **options), tuple(weights)
