"""Attention over random features in NumPy, float64: the specification."""

from typing import Any

import numpy as np

from attn_course.core.masks import causal_mask
from attn_course.core.shapes import check_choice, check_shapes
from attn_course.mechanisms.linear.reference import decay_between
from attn_course.mechanisms.random_features.shared import (
    Features,
    check_random,
    fourier_projection,
    gaussian_projection,
    orthogonal_projection,
    softmax_projection,
)

__all__ = [
    "gaussian_projection",
    "orthogonal_projection",
    "performer_attention",
    "random_feature_attention",
    "softmax_features",
]


def softmax_features(
    x: np.ndarray, projection: np.ndarray, *, features: Features = "positive"
) -> np.ndarray:
    """Features whose products are, on average, the exponentials of softmax attention.

    y = x / K ** 0.25
    positive:      exp(projection @ y - |y|^2 / 2) / sqrt(F)
    trigonometric: exp(|y|^2 / 2) * [cos(projection @ y), sin(projection @ y)] / sqrt(F)

    so that features(query) . features(key) estimates exp(query . key / sqrt(K)).

    Shapes:
        x: (..., T, K). projection: (F, K).
        returns: (..., T, F), or (..., T, 2 F) for the trigonometric ones.

    Raises:
        ValueError: a shape is not as above, or features is neither.

    Source: Choromanski et al. 2021 (arXiv:2009.14794), lemma 1 and equation 5; the
        trigonometric ones, Rahimi & Recht 2007, as its section 2.3 uses them.

    >>> softmax_features(np.zeros((1, 2)), np.ones((4, 2)))
    array([[0.5, 0.5, 0.5, 0.5]])
    """
    check_choice("features", features, ("positive", "trigonometric"))
    sizes = check_shapes(x=(x, "...TK"), projection=(projection, "FK"))
    y = np.asarray(x, np.float64) / sizes["K"] ** 0.25
    product = y @ np.asarray(projection, np.float64).T
    half = (y**2).sum(axis=-1, keepdims=True) / 2
    if features == "positive":
        return np.exp(product - half) / sizes["F"] ** 0.5
    waves = np.concatenate([np.cos(product), np.sin(product)], axis=-1)
    return np.exp(half) * waves / sizes["F"] ** 0.5


def performer_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: Any = None,
    *,
    projection: np.ndarray | None = None,
    num_features: int = 256,
    seed: int = 0,
    features: Features = "positive",
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Softmax attention with its exponentials estimated by random features (FAVOR+).

    similarity[t, s] = softmax_features(query[t]) . softmax_features(key[s])
    weight[t, s]     = similarity[t, s] / sum over the keys t sees of similarity[t, :]
    output[t]        = sum over s of weight[t, s] * value[s]

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        mask: boolean padding (B, 1, 1, S); True = may be seen.
        projection: (F, K); None draws ``orthogonal_projection`` with the seed, so many
            rows that there are num_features features.
        returns: output (..., T, V), weights (..., T, S). In PyTorch and TensorFlow the
            weights are None.

    Edge case: a query that may see nothing gets zeros. Trigonometric features may be
        negative, and so may their weights, and a sum of weights near zero.

    Raises:
        ValueError: a shape, dtype or mask is not as above.

    Source: Choromanski et al. 2021 (arXiv:2009.14794), equations 4 and 5, section 2.4.
    Differs: the paper's programs add a small number to every feature; we do not.
    """
    check_random(query, key, value, mask, projection)
    if projection is None:
        drawn = query.shape[-1], num_features, features, seed
        projection = softmax_projection(*drawn)
    query = softmax_features(query, projection, features=features)
    key = softmax_features(key, projection, features=features)
    return _average(query, key, value, mask, causal, 1.0)


def random_feature_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: Any = None,
    *,
    projection: np.ndarray | None = None,
    num_features: int = 256,
    seed: int = 0,
    gate: np.ndarray | None = None,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Attention by cosines and sines of unit vectors, with a gate that forgets.

    features(x)      = [cos(projection @ x), sin(projection @ x)] / sqrt(F)
    similarity[t, s] = features(query[t] / |query[t]|) . features(key[s] / |key[s]|)
                       * (1 - gate[s]) * product of gate[u] over u after s, up to t's
    weight[t, s]     = similarity[t, s] / sum over the keys t sees of similarity[t, :]
    output[t]        = sum over s of weight[t, s] * value[s]

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        mask: boolean padding (B, 1, 1, S); True = may be seen.
        projection: (F, K); None draws ``gaussian_projection`` with the seed, one row
            for two of num_features.
        gate: (..., S), 0 to 1, what is kept of the past; None leaves the factors out.
            Wants ``causal=True``.
        returns: output (..., T, V), weights (..., T, S). In PyTorch and TensorFlow the
            weights are None.

    Edge case: a query that may see nothing gets zeros. A vector of less than 1e-6 in
        length is lengthened a millionfold, and not to length 1.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or a gate without causal.

    Source: Peng et al. 2021 (arXiv:2103.02143), equations 4 to 6; gate: section 3.2.
    Differs: a scale of 1: with unit norms the scores of softmax lie between -1 and 1.
    """
    check_random(query, key, value, mask, projection, gate=gate)
    if gate is not None and not causal:
        raise ValueError("gate must be None where causal is False")
    if projection is None:
        projection = fourier_projection(query.shape[-1], num_features, seed)
    query, key = (_waves(x, projection) for x in (query, key))
    left = 1.0
    if gate is not None:
        left = decay_between(gate, mask, query, key)
        left = left * (1 - np.broadcast_to(gate, key.shape[:-1]))[..., None, :]
    return _average(query, key, value, mask, causal, left)


def _waves(x, projection):
    x = np.asarray(x, np.float64)
    unit = x / np.sqrt(np.maximum((x**2).sum(axis=-1, keepdims=True), 1e-12))
    product = unit @ np.asarray(projection, np.float64).T
    waves = np.concatenate([np.cos(product), np.sin(product)], axis=-1)
    return waves / len(projection) ** 0.5


def _average(query, key, value, mask, causal, left):
    """The values averaged by the products of features, times what is left of each."""
    similarity = np.einsum("...tf,...sf->...ts", query, key) * left
    if causal:
        similarity = similarity * causal_mask(query.shape[-2], key.shape[-2])
    if mask is not None:
        similarity = np.where(mask, similarity, 0.0)
    total = similarity.sum(axis=-1, keepdims=True)
    weights = similarity / np.where(total == 0, 1.0, total)
    return weights @ np.asarray(value, np.float64), weights
