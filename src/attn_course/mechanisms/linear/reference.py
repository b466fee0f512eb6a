"""Linear attention in NumPy, float64: the specification."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attn_course.core.masks import causal_mask
from attn_course.mechanisms.linear.shared import (
    FeatureMap,
    check_feature_map,
    check_linear,
    check_step,
    retention_decay,
)

__all__ = ["linear_attention", "linear_attention_step", "retention_decay"]


def linear_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: Any = None,
    *,
    feature_map: FeatureMap | Callable = "elu",
    causal: bool = False,
    decay: np.ndarray | None = None,
    normalize: bool = True,
    epsilon: float = 1e-6,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Average the values, weighted by the products of features of query and key.

    similarity[t, s] = feature_map(query[t]) . feature_map(key[s])
                       * product of decay[u] over the keys u after s, up to t's
    weight[t, s]     = similarity[t, s] / (sum of similarity[t, :] + epsilon)
    output[t]        = sum over s of weight[t, s] * value[s]

    where feature_map(x) is elu(x) + 1, that is x + 1 above zero and exp(x) below.

    Shapes:
        query: (..., T, K). key: (..., S, K). value: (..., S, V).
        mask: boolean padding (B, 1, 1, S); True = may be seen.
        feature_map: "elu", "relu", "identity", or a function (..., K) -> (..., F)
            whose numbers are not negative.
        decay: (..., S), an axis of 1 where it is shared; what is kept of the past when
            a key comes, 0 to 1. Wants ``causal=True``. A blocked key lets nothing fade.
        normalize: False leaves the similarity undivided.
        returns: output (..., T, V), weights (..., T, S). In PyTorch and TensorFlow the
            weights are None: nothing of the size T x S is formed.

    Edge case: a query that may see nothing gets zeros.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or a decay without causal.

    Source: Katharopoulos et al. 2020 (arXiv:2006.16236), equations 4 to 12; the decay:
        Sun et al. 2023 (arXiv:2307.08621), equation 5.
    Differs: epsilon, so that a sum of nothing can divide. Sun et al. have no
        normalizer: theirs is ``normalize=False``, with a group norm behind the output.
    """
    check_feature_map(feature_map)
    check_linear(query, key, value, mask, decay=decay)
    query, key, value = (np.asarray(x, np.float64) for x in (query, key, value))
    query, key = features(query, feature_map), features(key, feature_map)
    allowed = np.ones((query.shape[-2], key.shape[-2]))
    if causal:
        allowed = causal_mask(*allowed.shape) * decay_between(decay, mask, query, key)
    elif decay is not None:
        raise ValueError("decay must be None where causal is False")
    if mask is not None:
        allowed = allowed * mask
    similarity = np.einsum("...tf,...sf->...ts", query, key) * allowed
    total = similarity.sum(axis=-1, keepdims=True) + epsilon
    weights = similarity / total if normalize else similarity
    return np.einsum("...ts,...sv->...tv", weights, value), weights


def features(x, feature_map):
    """The features of x (..., K): (..., F)."""
    if callable(feature_map):
        return feature_map(x)
    if feature_map == "elu":
        return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))
    return np.maximum(x, 0) if feature_map == "relu" else x


def decay_between(decay, mask, query, key):
    """What is left at query t of key s: the product of the decays after s, (..., T, S).

    Meant for keys that are not after the query.
    """
    T, S = query.shape[-2], key.shape[-2]
    if decay is None:
        return np.ones((T, S))
    decay = np.broadcast_to(decay, key.shape[:-1])
    if mask is not None:
        decay = np.where(
            np.broadcast_to(mask, (*key.shape[:-2], 1, S))[..., 0, :], decay, 1
        )
    left = np.zeros((*key.shape[:-2], T, S))
    for t in range(T):
        now = t + S - T  # the key at the query's own position
        for s in range(now + 1):
            left[..., t, s] = np.prod(decay[..., s + 1 : now + 1], axis=-1)
    return left


def linear_attention_step(
    state: Any,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    *,
    feature_map: FeatureMap | Callable = "elu",
    decay: np.ndarray | None = None,
    normalize: bool = True,
    epsilon: float = 1e-6,
) -> tuple[np.ndarray, Any]:
    """One position of causal ``linear_attention``, from the state of those before.

    sums   = decay * sums + feature_map(key) value^T
    total  = decay * total + feature_map(key)
    output = sums^T feature_map(query) / (total . feature_map(query) + epsilon)

    Shapes:
        state: (sums (..., F, V), total (..., F)), or None at the beginning.
        query, key: (..., 1, K). value: (..., 1, V). decay: (..., 1).
        returns: output (..., 1, V), and the next state.

    Raises:
        ValueError: a shape or dtype is not as above.

    Source: Katharopoulos et al. 2020 (arXiv:2006.16236), equations 16 to 20.
    """
    check_feature_map(feature_map)
    check_step(query, key, value, decay=decay)
    query, key, value = (np.asarray(x, np.float64) for x in (query, key, value))
    query, key = features(query, feature_map), features(key, feature_map)
    kept = 1.0 if decay is None else np.asarray(decay, np.float64)
    sums, total = (0.0, 0.0) if state is None else state
    sums = np.expand_dims(kept, -1) * sums + np.swapaxes(key, -1, -2) * value
    total = kept * total + key[..., 0, :]
    output = query @ sums
    if normalize:
        output = output / (query @ total[..., None] + epsilon)
    return output, (sums, total)
