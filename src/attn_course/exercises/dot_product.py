"""Exercises of chapter 4."""

import numpy as np

from attn_course.dot_product.reference import scaled_dot_product_attention
from attn_course.exercises.exercise import Exercise, softmax


def _attention_cases(rng):
    # As many queries as keys, and values as wide: a wrong axis still runs.
    square = rng.normal(size=(3, 5, 5))
    mask = rng.random((5, 5)) < 0.6
    mask[:, 0], mask[3] = True, False  # the fourth query may see nothing
    other = tuple(rng.normal(size=size) for size in ((4, 3), (7, 3), (7, 2)))
    return [(*square, mask), (*other, rng.random((4, 7)) < 0.7)]


def _attention(query, key, value, mask):
    return scaled_dot_product_attention(query, key, value, mask)[0]


def _scaled(scale):
    def attend(query, key, value, mask):
        factor = scale(key.shape[1])
        return scaled_dot_product_attention(query, key, value, mask, scale=factor)[0]

    return attend


def _score(query, key):
    return query @ key.T / np.sqrt(key.shape[1])


def _wrong_axis(query, key, value, mask):
    score = np.where(mask, _score(query, key), -np.inf)
    return np.nan_to_num(softmax(score, axis=0)) @ value


def _wrong_sum(query, key, value, mask):
    return scaled_dot_product_attention(query, key, value, mask)[1].T @ value


def _after(query, key, value, mask):
    return softmax(_score(query, key)) * mask @ value


def _nothing_is(answer):
    """Attention whose queries that may see nothing get something else than 0."""

    def attend(query, key, value, mask):
        output = _attention(query, key, value, mask)
        return np.where(mask.any(axis=1)[:, None], output, answer(value))

    return attend


def _cache_cases(rng):
    def draw(T, S, K, V):
        return tuple(rng.normal(size=size) for size in ((T, K), (S, K), (S, V)))

    return [draw(3, 5, 2, 4), draw(4, 4, 3, 2), draw(1, 7, 2, 3)]


def _with_cache(query, key, value, shift=0):
    T, S = len(query), len(key)
    mask = np.tri(T, S, S - T + shift, dtype=bool)
    return scaled_dot_product_attention(query, key, value, mask)[0]


EXERCISES = {
    "04.attention": Exercise(
        _attention_cases,
        _attention,
        {
            "the scale is missing: divide the scores by the root of K": (
                _scaled(lambda width: 1.0)
            ),
            "the scores are divided by K; it is the root of K": (
                _scaled(lambda width: 1 / width)
            ),
            "the scores are divided by the square of K; it is the root": (
                _scaled(lambda width: 1 / width**2)
            ),
            "the softmax runs over the queries; every query has its own": _wrong_axis,
            "the average runs over the queries: the weights are transposed": _wrong_sum,
            "the mask is inverted; True may attend": (
                lambda query, key, value, mask: _attention(query, key, value, ~mask)
            ),
            "the mask comes after the softmax; the rest no longer sums to 1": _after,
            "the mask is ignored": (
                lambda query, key, value, mask: _attention(query, key, value, None)
            ),
            "a query that may see nothing gets NaN; it should get 0": (
                _nothing_is(lambda value: np.nan)
            ),
            "a query that may see nothing gets the mean of all; it should get 0": (
                _nothing_is(lambda value: value.mean(axis=0))
            ),
        },
    ),
    "04.with_cache": Exercise(
        _cache_cases,
        _with_cache,
        {
            "queries and keys are aligned at the start; the last query stands on "
            "the last key": (
                lambda query, key, value: scaled_dot_product_attention(
                    query, key, value, np.tri(len(query), len(key), dtype=bool)
                )[0]
            ),
            "a query sees the key after its own position": (
                lambda query, key, value: _with_cache(query, key, value, shift=1)
            ),
            "a query does not see its own position": (
                lambda query, key, value: _with_cache(query, key, value, shift=-1)
            ),
            "every query sees every key: nothing is causal": (
                lambda query, key, value: _with_cache(query, key, value, len(key))
            ),
        },
    ),
}
