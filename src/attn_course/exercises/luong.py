"""Exercises of chapter 3."""

import numpy as np

from attn_course.exercises.exercise import Exercise, softmax


def _local_cases(rng):
    # Whole centers, so that positions stand exactly on the window's edge.
    whole = rng.normal(size=(4, 9)), np.array([0.0, 3.0, 5.0, 8.0]), np.array(2.0)
    real = rng.normal(size=(3, 11)), rng.uniform(0, 11, 3), np.array(3.0)
    return [whole, real]


def _distance(score, center):
    return np.arange(score.shape[1]) - center[:, None]


def _gauss(distance, sigma):
    return np.exp(-(distance**2) / (2 * sigma**2))


def _in_window(score, inside):
    exponential = np.exp(score - score.max(axis=1, keepdims=True)) * inside
    return exponential / exponential.sum(axis=1, keepdims=True)


def _local_weights(score, center, half_width):
    distance = _distance(score, center)
    inside = np.abs(distance) <= half_width
    return _in_window(score, inside) * _gauss(distance, half_width / 2)


def _normalized_again(score, center, half_width):
    weights = _local_weights(score, center, half_width)
    return weights / weights.sum(axis=1, keepdims=True)


def _step_cases(rng):
    # Every width is 3, so that exchanged states pass every shape check.
    same = (2, 3), (2, 3), (2, 3), (2, 5, 3), (6, 3), (3, 3), (6, 3)
    other = (4, 2), (4, 3), (4, 3), (4, 7, 3), (5, 3), (3, 3), (6, 3)
    return [tuple(rng.normal(size=size) for size in sizes) for sizes in (same, other)]


def _hidden(x, state, fed, input_weight, state_weight):
    seen = np.concatenate([x, fed], axis=1)
    return np.tanh(seen @ input_weight + state @ state_weight)


def _look(query, memory):
    weights = softmax((memory @ query[:, :, None])[:, :, 0])
    return (weights[:, None] @ memory)[:, 0]


def _combine(context, hidden, combine):
    return np.tanh(np.concatenate([context, hidden], axis=1) @ combine)


def _step(x, state, attentional, memory, input_weight, state_weight, combine):
    hidden = _hidden(x, state, attentional, input_weight, state_weight)
    return _combine(_look(hidden, memory), hidden, combine)


EXERCISES = {
    "03.local_weights": Exercise(
        _local_cases,
        _local_weights,
        {
            "sigma is the half width; it should be half of it": (
                lambda s, c, w: (
                    _in_window(s, np.abs(_distance(s, c)) <= w)
                    * _gauss(_distance(s, c), w)
                )
            ),
            "the Gaussian is missing: these are the weights before it": (
                lambda s, c, w: _in_window(s, np.abs(_distance(s, c)) <= w)
            ),
            "they are normalized again after the Gaussian; the paper's are not": (
                _normalized_again
            ),
            "there is no window: the softmax runs over the whole sentence": (
                lambda s, c, w: softmax(s) * _gauss(_distance(s, c), w / 2)
            ),
            "the softmax runs over the whole sentence, the window is cut after it": (
                lambda s, c, w: (
                    softmax(s)
                    * (np.abs(_distance(s, c)) <= w)
                    * _gauss(_distance(s, c), w / 2)
                )
            ),
            "a position at exactly half_width is left out; the edge counts": (
                lambda s, c, w: (
                    _in_window(s, np.abs(_distance(s, c)) < w)
                    * _gauss(_distance(s, c), w / 2)
                )
            ),
            "the exponent has no 2: it is d^2 / (2 sigma^2)": (
                lambda s, c, w: (
                    _in_window(s, np.abs(_distance(s, c)) <= w)
                    * np.exp(-(_distance(s, c) ** 2) / (w / 2) ** 2)
                )
            ),
        },
    ),
    "03.step": Exercise(
        _step_cases,
        _step,
        {
            "it asks with the state before the step: that is Bahdanau's query": (
                lambda x, s, a, m, W, U, C: _combine(
                    _look(s, m), _hidden(x, s, a, W, U), C
                )
            ),
            "it feeds the recurrent state, not the attentional state": (
                lambda x, s, a, m, W, U, C: _step(x, s, s, m, W, U, C)
            ),
            "context and hidden state are joined in the other order": (
                lambda x, s, a, m, W, U, C: _combine(
                    _hidden(x, s, a, W, U), _look(_hidden(x, s, a, W, U), m), C
                )
            ),
            "the tanh of the attentional state is missing": (
                lambda x, s, a, m, W, U, C: np.arctanh(_step(x, s, a, m, W, U, C))
            ),
        },
    ),
}
