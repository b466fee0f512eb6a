"""Exercises of chapter 2."""

import numpy as np

from attn_course.dot_product.reference import masked_softmax


def _score_inputs(rng):
    # The query and the memory are equally wide here, so that exchanging their matrices passes the shape checks.
    query, memory = rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 7, 5))
    return query, memory, rng.normal(size=(5, 11)), rng.normal(size=(5, 11)), rng.normal(size=11)


def _additive_score(query, memory, query_weight, memory_weight, score_weight):
    hidden = (query @ query_weight)[:, :, None] + (memory @ memory_weight)[:, None]
    return np.tanh(hidden) @ score_weight


def _masked_inputs(rng):
    mask = np.arange(5) < np.array([[5], [2], [0]])
    # As many queries as keys, so that a softmax over the wrong axis passes the shape checks.
    return rng.normal(size=(3, 5, 5)), np.broadcast_to(mask[:, None], (3, 5, 5)).copy()


def _softmax(score, axis=-1):
    exponential = np.exp(score - score.max(axis=axis, keepdims=True))
    return exponential / exponential.sum(axis=axis, keepdims=True)


EXERCISES = {
    "02.additive_score": (
        _score_inputs,
        _additive_score,
        {
            "there is no tanh": lambda q, m, W, U, v: ((q @ W)[:, :, None] + (m @ U)[:, None]) @ v,
            "the tanh stands outside the product with score_weight": lambda q, m, W, U, v: np.tanh(
                ((q @ W)[:, :, None] + (m @ U)[:, None]) @ v
            ),
            "query_weight and memory_weight are exchanged": lambda q, m, W, U, v: _additive_score(q, m, U, W, v),
            "the hidden layer is summed without score_weight": lambda q, m, W, U, v: _additive_score(
                q, m, W, U, np.ones_like(v)
            ),
        },
    ),
    "02.masked_weights": (
        _masked_inputs,
        masked_softmax,
        {
            "the weights sum to 1 over the queries, not over the keys": lambda s, mask: masked_softmax(
                s.swapaxes(1, 2), mask.swapaxes(1, 2)
            ).swapaxes(1, 2),
            "the mask is read the wrong way round: True means may attend": lambda s, mask: masked_softmax(s, ~mask),
            "the mask comes after the softmax, so the rows no longer sum to 1": lambda s, mask: _softmax(s) * mask,
            "a row that may attend to nothing is NaN; it should be zeros": lambda s, mask: _softmax(
                np.where(mask, s, -np.inf)
            ),
            "a row that may attend to nothing averages what it must not see; it should be zeros": lambda s, mask: (
                _softmax(np.where(mask, s, -1e9))
            ),
            "blocked scores are set to 0, which is a score like any other": lambda s, mask: _softmax(s * mask),
        },
    ),
}
