"""Exercises of chapter 2."""

import numpy as np

from attn_course.dot_product.reference import masked_softmax
from attn_course.exercises.exercise import Exercise, softmax


def _score_cases(rng):
    # In the first the query and the memory are equally wide, so that exchanging their
    # matrices passes the shape checks.
    return [
        [
            rng.normal(size=shape)
            for shape in ((B, T, D), (B, S, E), (D, A), (E, A), (A,))
        ]
        for B, T, S, D, E, A in ((2, 3, 7, 5, 5, 11), (3, 2, 5, 7, 13, 11))
    ]


def _hidden(query, memory, query_weight, memory_weight):
    return (query @ query_weight)[:, :, None] + (memory @ memory_weight)[:, None]


def _additive_score(query, memory, query_weight, memory_weight, score_weight):
    return np.tanh(_hidden(query, memory, query_weight, memory_weight)) @ score_weight


def _masked_cases(rng):
    # As many queries as keys, so that a softmax over the wrong axis passes the shape
    # checks; the last sentence is empty.
    mask = np.arange(5) < np.array([[5], [2], [0]])
    square = rng.normal(size=(3, 5, 5)), np.repeat(mask[:, None], 5, axis=1)
    score, mask = rng.normal(size=(2, 3, 7)), rng.random((2, 3, 7)) < 0.5
    # Scores in the thousands, which exp alone cannot take.
    return [square, (score, mask), (1000 * score, mask)]


def _with_any_maximum(score, mask):
    exponential = np.exp(score - score.max(axis=-1, keepdims=True)) * mask
    total = exponential.sum(axis=-1, keepdims=True)
    return exponential / np.where(total == 0, 1, total)


def _without_maximum(score, mask):
    exponential = np.where(mask, np.exp(score), 0)
    total = exponential.sum(axis=-1, keepdims=True)
    return exponential / np.where(total == 0, 1, total)


def _step_cases(rng):
    return [
        [rng.normal(size=shape) for shape in ((B, D), (B, S, D), (D, D), (D, D))]
        for B, S, D in ((3, 7, 5), (2, 11, 3))
    ]


def _scores(state, memory):
    return (memory @ state[:, :, None])[:, :, 0]


def _average(weights, memory):
    return (weights[:, None] @ memory)[:, 0]


def _step(state, memory, state_weight, context_weight):
    context = _average(softmax(_scores(state, memory)), memory)
    return np.tanh(state @ state_weight + context @ context_weight)


def _late_step(state, memory, state_weight, context_weight):
    moved = state @ state_weight
    context = _average(softmax(_scores(np.tanh(moved), memory)), memory)
    return np.tanh(moved + context @ context_weight)


def _step_over_batch(state, memory, state_weight, context_weight):
    context = _average(softmax(_scores(state, memory), axis=0), memory)
    return np.tanh(state @ state_weight + context @ context_weight)


def _step_of_scores(state, memory, state_weight, context_weight):
    context = _average(_scores(state, memory), memory)
    return np.tanh(state @ state_weight + context @ context_weight)


EXERCISES = {
    "02.additive_score": Exercise(
        _score_cases,
        _additive_score,
        {
            "there is no tanh": lambda q, m, W, U, v: _hidden(q, m, W, U) @ v,
            "the tanh stands outside the product with score_weight": (
                lambda q, m, W, U, v: np.tanh(_hidden(q, m, W, U) @ v)
            ),
            "query_weight and memory_weight are exchanged": (
                lambda q, m, W, U, v: _additive_score(q, m, U, W, v)
            ),
            "the hidden layer is summed without score_weight": (
                lambda q, m, W, U, v: np.tanh(_hidden(q, m, W, U)).sum(axis=-1)
            ),
            "each part has a tanh of its own; the sum should have one": (
                lambda q, m, W, U, v: (
                    (np.tanh(q @ W)[:, :, None] + np.tanh(m @ U)[:, None]) @ v
                )
            ),
            "these are the weights; the softmax is not part of the score": (
                lambda q, m, W, U, v: softmax(_additive_score(q, m, W, U, v))
            ),
            "the positions come before the queries: exchange the last two axes": (
                lambda q, m, W, U, v: _additive_score(q, m, W, U, v).swapaxes(1, 2)
            ),
        },
    ),
    "02.masked_weights": Exercise(
        _masked_cases,
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
            "the mask is not used": lambda s, mask: softmax(s),
            "the mask comes after the softmax, so the rows no longer sum to 1": (
                lambda s, mask: softmax(s) * mask
            ),
            "a row that may attend to nothing is NaN; it should be zeros": (
                lambda s, mask: softmax(np.where(mask, s, -np.inf))
            ),
            "a row that may attend to nothing averages all; it should be zeros": (
                lambda s, mask: softmax(np.where(mask, s, -1e9))
            ),
            "blocked scores are set to 0, which is a score like any other": (
                lambda s, mask: softmax(s * mask)
            ),
            "exp of a large score overflows: subtract the largest allowed one": (
                _without_maximum
            ),
            "a blocked score is the largest, and the allowed ones vanish beside it": (
                _with_any_maximum
            ),
        },
    ),
    "02.step": Exercise(
        _step_cases,
        _step,
        {
            "it asks with the state after the step; the paper's with the one before": (
                _late_step
            ),
            "the context is computed but does not enter the step": (
                lambda state, memory, W, C: np.tanh(state @ W)
            ),
            "the previous state does not enter the step": (
                lambda state, memory, W, C: np.tanh(
                    _average(softmax(_scores(state, memory)), memory) @ C
                )
            ),
            "state_weight and context_weight are exchanged": (
                lambda state, memory, W, C: _step(state, memory, C, W)
            ),
            "the scores are not turned into weights that sum to 1": _step_of_scores,
            "the weights sum to 1 over the batch, not over the positions": (
                _step_over_batch
            ),
            "every position gets the same weight": (
                lambda state, memory, W, C: np.tanh(state @ W + memory.mean(axis=1) @ C)
            ),
        },
    ),
}
