"""Exercises of chapter 7."""

import numpy as np

from attn_course.exercises.exercise import Exercise, softmax
from attn_course.reference import alibi_slopes, rotate


def _rotation_cases(rng):
    def draw(T, K, first):
        return rng.normal(size=(T, K)), first + np.arange(T, dtype=float)

    return [draw(5, 8, 0), draw(3, 6, 40), draw(4, 2, 7)]


def _turned(x, positions, *, sign=1, power=2, swap=False, base=10000.0):
    """Rotation in halves, with the faults that people make as options."""
    half = x.shape[1] // 2
    frequency = base ** (-power * np.arange(half) / x.shape[1])
    angle = positions[:, None] * frequency
    cosine, sine = np.cos(angle), sign * np.sin(angle)
    if swap:
        cosine, sine = sine, cosine
    first, second = x[:, :half], x[:, half:]
    turned = first * cosine - second * sine, first * sine + second * cosine
    return np.concatenate(turned, axis=1)


def _overwritten(x, positions):
    """The second column is computed from the first one that has turned already."""
    half, first = x.shape[1] // 2, _turned(x, positions)[:, : x.shape[1] // 2]
    angle = positions[:, None] * 10000.0 ** (-2 * np.arange(half) / x.shape[1])
    second = first * np.sin(angle) + x[:, half:] * np.cos(angle)
    return np.concatenate([first, second], axis=1)


def _distance_cases(rng):
    # The vectors of the distances -k to k in a table of 2 k + 1 rows.
    def draw(T, K, k):
        return rng.normal(size=(T, K)), rng.normal(size=(2 * k + 1, K))

    return [draw(6, 4, 2), draw(5, 3, 1), draw(3, 2, 7)]


def _by_distance(query, table, *, sign=1, wrap=False, shift=True, axis=0):
    T, most = len(query), len(table) // 2
    distance = sign * (np.arange(T) - np.arange(T)[:, None])
    rows = distance if wrap else np.clip(distance, -most, most)
    rows = (rows + most if shift else rows) % len(table)
    score = np.einsum("tk,tsk->ts", query, table[rows])
    return score.T if axis else score


def _linear_cases(rng):
    def draw(H, T, S, K):
        return tuple(rng.normal(size=(H, rows, K)) for rows in (T, S, S))

    return [draw(12, 3, 5, 4), draw(6, 4, 7, 2), draw(4, 3, 3, 2)]


def _power_slopes(heads):
    return 2.0 ** (-8 * np.arange(1, heads + 1) / heads)


def _with_alibi(
    query, key, value, slopes=alibi_slopes, scaled=False, aligned=True, sign=-1
):
    H, T, S = len(query), query.shape[1], key.shape[1]
    here = np.arange(T) + (S - T if aligned else 0)
    distance = np.abs(np.arange(S) - here[:, None])
    bias = sign * slopes(H)[:, None, None] * distance
    root = np.sqrt(query.shape[2])
    score = query @ key.swapaxes(1, 2)
    score = (score + bias) / root if scaled else score / root + bias
    return softmax(score) @ value


EXERCISES = {
    "07.rotate": Exercise(
        _rotation_cases,
        _turned,
        {
            "the layout is mixed up: turn column i with i + K/2, not neighbours": (
                lambda x, t: rotate(x, t, layout="interleaved")
            ),
            "cosine and sine are exchanged": (lambda x, t: _turned(x, t, swap=True)),
            "it turns the other way: the minus stands at the first column": (
                lambda x, t: _turned(x, t, sign=-1)
            ),
            "the frequencies fall too slowly: the exponent is -2 i / K": (
                lambda x, t: _turned(x, t, power=1)
            ),
            "the base is 1000; it is 10000": (lambda x, t: _turned(x, t, base=1000.0)),
            "positions are counted from 1; they are given": (
                lambda x, t: _turned(x, t + 1)
            ),
            "the second column takes the first one after it was turned": _overwritten,
            "every column turns by the angle of the first pair": (
                lambda x, t: _turned(x, t, power=0)
            ),
        },
    ),
    "07.distances": Exercise(
        _distance_cases,
        _by_distance,
        {
            "the sign of the distance is wrong: key minus query, j - i": (
                lambda query, table: _by_distance(query, table, sign=-1)
            ),
            "the distances are not clipped: far ones take a wrong row": (
                lambda query, table: _by_distance(query, table, wrap=True)
            ),
            "distance 0 takes row 0; it is row k, in the middle": (
                lambda query, table: _by_distance(query, table, shift=False)
            ),
            "it is transposed: a row for every query": (
                lambda query, table: _by_distance(query, table, axis=1)
            ),
        },
    ),
    "07.alibi": Exercise(
        _linear_cases,
        _with_alibi,
        {
            "one fault is left: 12 is no power of two, so its slopes are those of 8 "
            "heads and every other of 16": (
                lambda *given: _with_alibi(*given, slopes=_power_slopes)
            ),
            "one fault is left: the bias is divided by the root of K": (
                lambda *given: _with_alibi(*given, scaled=True)
            ),
            "both faults are there: the slopes of 12 heads, and the scaled bias": (
                lambda *given: _with_alibi(*given, slopes=_power_slopes, scaled=True)
            ),
            "queries and keys are aligned at the start; the last query stands on the "
            "last key": (lambda *given: _with_alibi(*given, aligned=False)),
            "the bias rewards distance: its sign is wrong": (
                lambda *given: _with_alibi(*given, sign=1)
            ),
            "there is no bias": lambda *given: _with_alibi(*given, sign=0),
        },
    ),
}
