"""The Transformer in NumPy, float64: the specification."""

from typing import Any

import numpy as np

from attn_course.core.parity import nested
from attn_course.core.shapes import check_parameters
from attn_course.mechanisms.parts.positional.reference import sinusoidal_encoding
from attn_course.models.decoder.reference import decoder
from attn_course.models.encoder.reference import encoder
from attn_course.models.transformer.shared import (
    check_smoothing,
    check_tokens,
    warm_up_rate,
)

__all__ = ["label_smoothing", "transformer", "warm_up_rate"]

Parameters = dict[str, np.ndarray]


def transformer(
    source: np.ndarray,
    target: np.ndarray,
    parameters: Parameters,
    *,
    source_mask: np.ndarray | None = None,
    target_mask: np.ndarray | None = None,
    pad: int | None = 0,
    **options: Any,
) -> tuple[np.ndarray, tuple[tuple, tuple]]:
    """Read the source, then say for every position of the target what comes next.

    logits = decoder(embed(target), encoder(embed(source))) @ embedding.T

    Shapes:
        source: integers (B, S). target: integers (B, T), the begin token first.
        source_mask: padding (B, 1, 1, S); target_mask: padding (B, 1, 1, T).
        pad: the token of the source that is padding, too, or None.
        options: num_layers and num_heads, norm, activation, normalization.
        returns: logits (B, T, N), the weights of encoder and decoder, one entry a
        layer.

    Raises:
        ValueError: a shape, dtype, mask or choice is not as above.

    Source: Vaswani et al. 2017, sections 3.1 and 3.4.
    """
    check_parameters(parameters, "embedding.weight")
    check_tokens(source=(source, "BS"), target=(target, "BT"))
    table = parameters["embedding.weight"]
    if pad is not None:
        words = (source != pad)[:, None, None]
        source_mask = words if source_mask is None else words & source_mask
    read = embed(source, parameters.get("source_embedding.weight", table))
    memory, seen = encoder(
        read, nested(parameters, "encoder"), mask=source_mask, **options
    )
    own, masks = nested(parameters, "decoder"), {"target_mask": target_mask}
    masks["memory_mask"] = source_mask
    output, weights = decoder(embed(target, table), memory, own, **masks, **options)
    return output @ table.T, (seen, weights)


def embed(
    tokens: np.ndarray,
    table: np.ndarray,
    scale: float | None = None,
    places: np.ndarray | slice | None = slice(None),
) -> np.ndarray:
    """table[token] * scale + sinusoid[position]: (B, T) -> (B, T, D).

    scale: None is sqrt(D). places: the positions; None adds no sinusoid.
    """
    D = table.shape[1]
    x = table[tokens] * (np.sqrt(D) if scale is None else scale)
    if places is None:
        return x
    return x + sinusoidal_encoding(tokens.shape[1], D)[places]


def label_smoothing(
    logits: np.ndarray, targets: np.ndarray, *, smoothing: float = 0.1
) -> np.ndarray:
    """Cross-entropy with a target that keeps a little for every token.

    loss = -sum over n of q[n] * log softmax(logits)[n]
    q[n] = (1 - smoothing) * (1 if n is the target else 0) + smoothing / N

    Shapes:
        logits: (..., N). targets: integers (...).
        returns: (...), the loss of every position; its mean over the positions that
        are not padding is the caller's.

    Raises:
        ValueError: a shape or dtype is not as above, or smoothing no share.

    Source: Szegedy et al. 2016 (arXiv:1512.00567), section 7; Vaswani et al. 2017,
        section 5.4, with smoothing = 0.1.

    >>> label_smoothing(np.zeros((1, 4)), np.array([2])).round(4)  # log 4
    array([1.3863])
    """
    check_smoothing(logits, targets, smoothing)
    logits = np.asarray(logits, np.float64)
    shifted = logits - logits.max(axis=-1, keepdims=True)
    chance = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    hit = np.take_along_axis(chance, np.asarray(targets)[..., None], axis=-1)[..., 0]
    return -(1 - smoothing) * hit - smoothing * chance.mean(axis=-1)
