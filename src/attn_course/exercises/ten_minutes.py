"""Exercises of chapter 0."""

import numpy as np

from attn_course.exercises.exercise import Exercise, softmax


def _cases(rng):
    # As many queries as keys and values as wide as keys, so that a softmax over the
    # wrong axis and exchanged arguments pass every shape check.
    square = [rng.normal(size=(4, 4)) for _ in range(3)]
    query, key, value = (rng.normal(size=size) for size in ((2, 3), (7, 3), (7, 5)))
    # Scores in the thousands, which exp alone cannot take.
    return [square, (query, key, value), (1000 * query, key, value)]


def _score(query, key):
    return query @ key.T / np.sqrt(key.shape[1])


def _soft_lookup(query, key, value):
    return softmax(_score(query, key)) @ value


def _without_maximum(query, key, value):
    exponential = np.exp(_score(query, key))
    return exponential / exponential.sum(axis=1, keepdims=True) @ value


def _one_sum(query, key, value):
    exponential = np.exp(_score(query, key))
    return exponential / exponential.sum() @ value


EXERCISES = {
    "00.soft_lookup": Exercise(
        _cases,
        _soft_lookup,
        {
            "the scores are not divided by the root of the key's width": (
                lambda q, k, v: softmax(q @ k.T) @ v
            ),
            "the scores are divided by the key's width, not by its root": (
                lambda q, k, v: softmax(q @ k.T / k.shape[1]) @ v
            ),
            "the root is that of the number of keys, not of the key's width": (
                lambda q, k, v: softmax(q @ k.T / np.sqrt(len(k))) @ v
            ),
            "there is no softmax: scores are not weights": (
                lambda q, k, v: _score(q, k) @ v
            ),
            "the weights are not divided by their sum": (
                lambda q, k, v: np.exp(_score(q, k)) @ v
            ),
            # Before the next one, which overflows in the same way.
            "exp of a large score overflows: subtract the largest one first": (
                _without_maximum
            ),
            "all weights together sum to 1; each query's should": _one_sum,
            "the weights sum to 1 over the queries, not over the keys": (
                lambda q, k, v: softmax(_score(q, k), axis=0) @ v
            ),
            "it takes the best key's value alone, as a dictionary does": (
                lambda q, k, v: v[_score(q, k).argmax(axis=1)]
            ),
            "queries and keys are exchanged": lambda q, k, v: _soft_lookup(k, q, v),
            "keys and values are exchanged": lambda q, k, v: _soft_lookup(q, v, k),
            "it averages the keys, not the values": (
                lambda q, k, v: _soft_lookup(q, k, k)
            ),
            "it returns the weights, not the average of the values": (
                lambda q, k, v: softmax(_score(q, k))
            ),
        },
    )
}
