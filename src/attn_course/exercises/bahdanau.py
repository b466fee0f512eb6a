"""Exercises of chapter 2."""

import numpy as np

from attn_course.dot_product.reference import masked_softmax


def _score_inputs(rng):
    # The query and the memory are equally wide here, so that exchanging their matrices
    # passes the shape checks.
    shapes = (2, 3, 5), (2, 7, 5), (5, 11), (5, 11), (11,)
    return [rng.normal(size=shape) for shape in shapes]


def _additive_score(query, memory, query_weight, memory_weight, score_weight):
    hidden = (query @ query_weight)[:, :, None] + (memory @ memory_weight)[:, None]
    return np.tanh(hidden) @ score_weight


def _masked_inputs(rng):
    mask = np.arange(5) < np.array([[5], [2], [0]])
    # As many queries as keys, so that a softmax over the wrong axis passes the shape
    # checks.
    return rng.normal(size=(3, 5, 5)), np.broadcast_to(mask[:, None], (3, 5, 5)).copy()


def _softmax(score, axis=-1):
    exponential = np.exp(score - score.max(axis=axis, keepdims=True))
    return exponential / exponential.sum(axis=axis, keepdims=True)


def _step_inputs(rng):
    state, memory = rng.normal(size=(3, 5)), rng.normal(size=(3, 7, 5))
    return state, memory, rng.normal(size=(5, 5)), rng.normal(size=(5, 5))


def _look(state, memory):
    weights = _softmax((memory @ state[..., None])[..., 0])
    return (weights[:, None] @ memory)[:, 0]


def _step(state, memory, state_weight, context_weight):
    context = _look(state, memory)
    return np.tanh(state @ state_weight + context @ context_weight)


def _late_step(state, memory, state_weight, context_weight):
    moved = np.tanh(state @ state_weight)
    return np.tanh(state @ state_weight + _look(moved, memory) @ context_weight)


EXERCISES = {
    "02.additive_score": (
        _score_inputs,
        _additive_score,
        {
            "there is no tanh": (
                lambda q, m, W, U, v: ((q @ W)[:, :, None] + (m @ U)[:, None]) @ v
            ),
            "the tanh stands outside the product with score_weight": (
                lambda q, m, W, U, v: np.tanh(
                    ((q @ W)[:, :, None] + (m @ U)[:, None]) @ v
                )
            ),
            "query_weight and memory_weight are exchanged": (
                lambda q, m, W, U, v: _additive_score(q, m, U, W, v)
            ),
            "the hidden layer is summed without score_weight": (
                lambda q, m, W, U, v: _additive_score(q, m, W, U, np.ones_like(v))
            ),
        },
    ),
    "02.masked_weights": (
        _masked_inputs,
        masked_softmax,
        {
            "the weights sum to 1 over the queries, not over the keys": (
                lambda s, mask: masked_softmax(
                    s.swapaxes(1, 2), mask.swapaxes(1, 2)
                ).swapaxes(1, 2)
            ),
            "the mask is read the wrong way round: True means may attend": (
                lambda s, mask: masked_softmax(s, ~mask)
            ),
            "the mask comes after the softmax, so the rows no longer sum to 1": (
                lambda s, mask: _softmax(s) * mask
            ),
            "a row that may attend to nothing is NaN; it should be zeros": (
                lambda s, mask: _softmax(np.where(mask, s, -np.inf))
            ),
            "a row that may attend to nothing averages all; it should be zeros": (
                lambda s, mask: _softmax(np.where(mask, s, -1e9))
            ),
            "blocked scores are set to 0, which is a score like any other": (
                lambda s, mask: _softmax(s * mask)
            ),
        },
    ),
    "02.step": (
        _step_inputs,
        _step,
        {
            "it asks with the state after the step; the paper's with the one before": (
                _late_step
            ),
            "the context is computed but does not enter the step": (
                lambda state, memory, W, C: np.tanh(state @ W)
            ),
            "the scores are not turned into weights that sum to 1": (
                lambda state, memory, W, C: np.tanh(
                    state @ W
                    + ((memory @ state[..., None]).swapaxes(1, 2) @ memory)[:, 0] @ C
                )
            ),
            "every position gets the same weight": (
                lambda state, memory, W, C: np.tanh(state @ W + memory.mean(1) @ C)
            ),
        },
    ),
}
