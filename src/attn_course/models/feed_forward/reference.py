"""The network of a Transformer's layer, and its norms, in NumPy, float64."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from attn_course.core.shapes import (
    check_choice,
    check_floats,
    check_parameters,
    check_shapes,
)
from attn_course.models.feed_forward.shared import (
    ACTIVATIONS,
    GATED,
    Activation,
    Normalization,
    norm_epsilon,
)

__all__ = ["feed_forward", "layer_norm", "rms_norm"]

Parameters = dict[str, np.ndarray]


def layer_norm(
    x: np.ndarray, parameters: Parameters, *, eps: float = 1e-5
) -> np.ndarray:
    """Shift and scale every vector to mean 0 and variance 1, then learn both anew.

    output = (x - mean(x)) / sqrt(variance(x) + eps) * scale + bias

    over the last axis, with the variance of all D numbers (divided by D, not D - 1).

    Shapes:
        x: (..., D). parameters: ``scale`` (D), ``bias`` (D).
        returns: (..., D).

    Source: Ba, Kiros & Hinton 2016 (arXiv:1607.06450), equation 4.

    >>> parameters = {"scale": np.ones(2), "bias": np.zeros(2)}
    >>> layer_norm(np.array([1.0, 3.0]), parameters).round(3)
    array([-1.,  1.])
    """
    check_parameters(parameters, "scale", "bias")
    x = np.asarray(x, np.float64)
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    unit = centered / np.sqrt(variance + eps)
    return unit * parameters["scale"] + parameters["bias"]


def scaled_norm(x: np.ndarray, parameters: Parameters, *, eps: float) -> np.ndarray:
    """``layer_norm`` without a bias."""
    return layer_norm(x, parameters | {"bias": 0.0}, eps=eps)


def rms_norm(x: np.ndarray, parameters: Parameters, *, eps: float = 1e-6) -> np.ndarray:
    """Scale every vector to a root mean square of 1, then learn the scale anew.

    output = x / sqrt(mean(x^2) + eps) * scale

    Shapes:
        x: (..., D). parameters: ``scale`` (D).
        returns: (..., D).

    Source: Zhang & Sennrich 2019 (arXiv:1910.07467), equation 4.
    """
    check_parameters(parameters, "scale")
    x = np.asarray(x, np.float64)
    mean_square = (x**2).mean(axis=-1, keepdims=True)
    return x / np.sqrt(mean_square + eps) * parameters["scale"]


def normalizer(normalization: Normalization, eps: float | None) -> Callable:
    """The norm of a layer: (x, its parameters) -> the normed x."""
    normalize = {"layer": layer_norm, "layer_no_bias": scaled_norm, "rms": rms_norm}
    epsilon = norm_epsilon(normalization, eps)
    return partial(normalize[normalization], eps=epsilon)


def feed_forward(
    x: np.ndarray, parameters: Parameters, *, activation: Activation = "relu"
) -> np.ndarray:
    """The same small network at every position.

    relu, gelu, gelu_tanh, silu   activation(x @ W_0 + b_0) @ W_1 + b_1
    swiglu                        (silu(x @ W_gate) * (x @ W_0)) @ W_1
    geglu, geglu_tanh             (gelu(x @ W_gate) * (x @ W_0)) @ W_1

    Shapes:
        x: (B, T, D). parameters: ``0.weight`` (D, F), ``1.weight`` (F, D), and where
        there are biases ``0.bias`` (F), ``1.bias`` (D); with a gate ``gate.weight``.
        returns: (B, T, D).

    Raises:
        ValueError: a shape or dtype is not as above, or the activation is unknown.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.3, equation 2; Shazeer
        2020 (arXiv:2002.05202), equations 5 and 6; Hendrycks & Gimpel 2016
        (arXiv:1606.08415), section 2.
    """
    check_choice("activation", activation, ACTIVATIONS)
    check_floats(x=x)
    check_parameters(parameters, "0.weight", "1.weight")
    check_shapes(weight=(parameters["0.weight"], "DF"), x=(x, "BTD"))
    x = np.asarray(x, np.float64)
    hidden = x @ parameters["0.weight"] + parameters.get("0.bias", 0.0)
    if activation in GATED:
        check_parameters(parameters, "gate.weight")
        hidden = CURVES[activation](x @ parameters["gate.weight"]) * hidden
    else:
        hidden = CURVES[activation](hidden)
    return hidden @ parameters["1.weight"] + parameters.get("1.bias", 0.0)


def gelu(x: np.ndarray) -> np.ndarray:
    """x times the chance that a standard normal number is below x."""
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    """The approximation of ``gelu`` without erf."""
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


def silu(x: np.ndarray) -> np.ndarray:
    """x times its sigmoid."""
    return x / (1 + np.exp(-x))


CURVES = {
    "relu": lambda x: np.maximum(x, 0.0),
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "silu": silu,
    "swiglu": silu,
    "geglu": gelu,
    "geglu_tanh": gelu_tanh,
}
