"""The language model in NumPy, float64: the specification."""

from typing import Any, Literal

import numpy as np

from attn_course.core.parity import nested
from attn_course.core.shapes import check_choice, check_parameters
from attn_course.mechanisms.parts.positional.reference import rotate
from attn_course.models.encoder.reference import encoder
from attn_course.models.encoder.shared import Norm
from attn_course.models.feed_forward.shared import Activation
from attn_course.models.transformer.reference import Parameters, embed
from attn_course.models.transformer.shared import check_tokens

__all__ = ["language_model"]


def language_model(
    tokens: np.ndarray,
    parameters: Parameters,
    *,
    mask: np.ndarray | None = None,
    positions: Literal["rotary", "sinusoidal"] = "rotary",
    embedding_scale: float | None = None,
    norm: Norm = "pre",
    activation: Activation = "gelu",
    **options: Any,
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """A Transformer without an encoder: causal layers, and nothing to look across to.

    logits = encoder(embed(tokens), causal) @ embedding.T

    Shapes:
        tokens: integers (B, T). mask: padding (B, 1, 1, T). positions: "rotary",
        queries and keys turn, or "sinusoidal". embedding_scale: as in the models; what
        is added comes after. norm, activation, options: as in ``encoder_layer``.
        returns: logits (B, T, N), the weights (B, H, T, T) of every layer.

    Source: Radford et al. 2018, "Improving language understanding by generative
        pre-training", section 3.1.
    Differs: positions are learned there, and the norms stand behind.
    """
    check_choice("positions", positions, ("rotary", "sinusoidal"))
    check_parameters(parameters, "embedding.weight")
    check_tokens(tokens=(tokens, "BT"))
    table = parameters["embedding.weight"]
    own = nested(parameters, "stack")
    options |= {"norm": norm, "activation": activation, "mask": mask, "causal": True}
    if positions == "rotary":
        order, places = np.arange(tokens.shape[1]), None
        options["rotary"] = lambda *pair: tuple(rotate(x, order) for x in pair)
    else:
        padded = mask is not None and mask.shape[2] == 1
        words = mask[:, 0, 0] if padded else np.ones(tokens.shape, bool)
        places = np.maximum(words.cumsum(axis=1) - 1, 0)
    x = embed(tokens, table, embedding_scale, places)
    x, weights = encoder(x, own, **options)
    return x @ table.T, weights
