"""Exercises of chapter 0."""

import numpy as np


def _inputs(rng):
    # As many queries as keys and values as wide as keys, so that a softmax over the
    # wrong axis and exchanged arguments pass every shape check.
    return rng.normal(size=(4, 4)), rng.normal(size=(4, 4)), rng.normal(size=(4, 4))


def _softmax(score, axis=-1):
    exponential = np.exp(score - score.max(axis=axis, keepdims=True))
    return exponential / exponential.sum(axis=axis, keepdims=True)


def _soft_lookup(query, key, value):
    return _softmax(query @ key.T / np.sqrt(key.shape[1])) @ value


EXERCISES = {
    "00.soft_lookup": (
        _inputs,
        _soft_lookup,
        {
            "the scores are not divided by the root of the key's width": (
                lambda q, k, v: _softmax(q @ k.T) @ v
            ),
            "the scores are divided by the key's width, not by its root": (
                lambda q, k, v: _softmax(q @ k.T / k.shape[1]) @ v
            ),
            "there is no softmax: scores are not weights": (
                lambda q, k, v: q @ k.T / np.sqrt(k.shape[1]) @ v
            ),
            "the weights sum to 1 over the queries, not over the keys": (
                lambda q, k, v: _softmax(q @ k.T / np.sqrt(k.shape[1]), axis=0) @ v
            ),
            "it takes the best key's value alone, as a dictionary does": (
                lambda q, k, v: v[(q @ k.T).argmax(axis=-1)]
            ),
            "keys and values are exchanged": lambda q, k, v: _soft_lookup(q, v, k),
            "it averages the keys, not the values": lambda q, k, v: _soft_lookup(
                q, k, k
            ),
            "it returns the weights, not the average of the values": (
                lambda q, k, v: _softmax(q @ k.T / np.sqrt(k.shape[1]))
            ),
        },
    )
}
