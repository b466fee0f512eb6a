"""Gate, norm and softmaxes in NumPy, float64: the specification."""

import numpy as np

from attn_course.core.shapes import check_parameters
from attn_course.mechanisms.dot_product.reference import masked_softmax

__all__ = ["capped_softmax", "output_gate", "query_key_norm", "sink_softmax"]
Parameters = dict[str, np.ndarray]


def output_gate(
    context: np.ndarray, x: np.ndarray, parameters: Parameters
) -> np.ndarray:
    """gated[b, h, t] = context[b, h, t] * sigmoid(x[b, t] @ weight[h] + bias[h])."""
    check_parameters(parameters, "weight")
    B, H, T, _ = context.shape
    score = x @ parameters["weight"] + parameters.get("bias", 0.0)
    score = score.reshape(B, T, H, -1).swapaxes(1, 2)
    return context / (1 + np.exp(-score))


def query_key_norm(
    query: np.ndarray, key: np.ndarray, parameters: Parameters, *, epsilon: float = 1e-6
) -> tuple[np.ndarray, np.ndarray]:
    """scale * q / sqrt(mean(q ** 2) + epsilon), over the width of a head.

    Where there is a scale for each head, (H*K), the mean goes over all heads together;
    without parameters the scale is 1.
    """
    if parameters:
        check_parameters(parameters, "query.scale", "key.scale")
    found = []
    for name, x in (("query", query), ("key", key)):
        scale = parameters.get(f"{name}.scale", np.ones(x.shape[-1]))
        scale = scale.reshape(-1, 1, x.shape[-1])
        over = -1 if len(scale) == 1 else (-3, -1)
        rms = np.sqrt(np.mean(x**2, axis=over, keepdims=True) + epsilon)
        found.append(scale * x / rms)
    return found[0], found[1]


def sink_softmax(
    score: np.ndarray, parameters: Parameters, mask: np.ndarray | None = None
) -> np.ndarray:
    """Softmax over the keys and one more, of score sink[h], which is then dropped."""
    check_parameters(parameters, "sink")
    sink = parameters["sink"].reshape(-1, *[1] * (score.ndim - 2))
    sink = np.broadcast_to(sink, (*score.shape[:-1], 1))
    if mask is not None:
        score = np.where(mask, score, -np.inf)
    return masked_softmax(np.concatenate([score, sink], axis=-1))[..., :-1]


def capped_softmax(
    score: np.ndarray,
    cap: float,
    mask: np.ndarray | None = None,
    bias: np.ndarray | float = 0.0,
) -> np.ndarray:
    """softmax(cap * tanh(score / cap) + bias).

    Source: ONNX's operator Attention (version 24), FlashAttention 2.6: a bias, as of
        distances, is not capped.
    """
    return masked_softmax(cap * np.tanh(score / cap) + bias, mask)
