"""The delta rule in NumPy, float64: the specification."""

from typing import Any

import numpy as np

from attn_course.mechanisms.linear.shared import check_delta, check_step

__all__ = ["delta_rule_attention", "delta_rule_step"]


def delta_rule_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    beta: np.ndarray,
    *,
    mask: Any = None,
    decay: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Write into a state what a key does not yet read, and read it with the query.

    state = decay[s] * state
    state = state + key[s] (beta[s] * (value[s] - state^T key[s]))^T
    output[t] = state^T query[t]        after the key at the query's position

    Shapes:
        query: (..., T, K). key: (..., S, K), of unit norm as a rule. value: (..., S, V)
        beta: (..., S), how much of the correction is written, 0 to 1.
        mask: boolean padding (B, 1, 1, S): a blocked key changes nothing.
        decay: (..., S), what is kept of the state, 0 to 1; None keeps all. (..., S, K)
        has a number of its own for each column of the key, which is a row of the state.
        returns: output (..., T, V), None: there are no weights.

    Edge case: a query that stands before every key gets zeros.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or beta or decay is not from
            0 to 1 (in PyTorch and TensorFlow: on a CPU, outside of graphs).

    Source: Schlag et al. 2021 (arXiv:2102.11174), section 4.2; with decay Yang, Kautz
        & Hatamizadeh 2024 (arXiv:2412.06464), equation 10; with one a column Kimi Team
        2025 (KDA, arXiv:2510.26692), equation 1.
    Differs: no scale, no feature map, and the unit norm is the caller's.
    """
    check_delta(query, key, value, mask, beta, decay)
    query, key, value = (np.asarray(x, np.float64) for x in (query, key, value))
    T, S = query.shape[-2], key.shape[-2]
    beta = np.broadcast_to(beta, key.shape[:-1])
    decay = np.ones_like(beta) if decay is None else np.asarray(decay, np.float64)
    decay = np.broadcast_to(by_column(decay, key), key.shape)
    if mask is not None:
        seen = np.broadcast_to(mask, (*key.shape[:-2], 1, S))[..., 0, :]
        beta = np.where(seen, beta, 0.0)
        decay = np.where(seen[..., None], decay, 1.0)
    output = np.zeros((*query.shape[:-1], value.shape[-1]))
    state = None
    for s in range(S):
        at, t = slice(s, s + 1), s - (S - T)
        asks = query[..., t : t + 1, :] if t >= 0 else np.zeros_like(key[..., at, :])
        now = key[..., at, :], value[..., at, :], beta[..., at]
        found, state = delta_rule_step(state, asks, *now, decay=decay[..., at, :])
        if t >= 0:
            output[..., t : t + 1, :] = found
    return output, None


def by_column(decay, key):
    """A decay as (..., S, K), or as (..., S, 1) where the columns share it."""
    return decay if decay.ndim == key.ndim else decay[..., None]


def delta_rule_step(
    state: Any,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    beta: np.ndarray,
    *,
    decay: np.ndarray | None = None,
) -> tuple[np.ndarray, Any]:
    """One position of ``delta_rule_attention``, from the state of those before.

    Shapes:
        state: (..., K, V), or None at the beginning.
        query, key: (..., 1, K). value: (..., 1, V). beta: (..., 1). decay: (..., 1), or
        (..., 1, K).
        returns: output (..., 1, V), and the next state.

    Raises:
        ValueError: a shape or dtype is not as above.
    """
    check_step(query, key, value, columns=("decay",), beta=beta, decay=decay)
    query, key, value, beta = (
        np.asarray(x, np.float64) for x in (query, key, value, beta)
    )
    if state is None:
        state = np.zeros((*key.shape[:-2], key.shape[-1], 1))
    elif decay is not None:
        kept = by_column(np.asarray(decay, np.float64), key)
        state = np.swapaxes(kept, -1, -2) * state
    write = beta[..., None] * (value - key @ state)
    state = state + np.swapaxes(key, -1, -2) * write
    return query @ state, state
