"""Exercises of chapter 0."""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Case,
    Exercise,
    fixed_cases,
    softmax,
    strong,
)


def _score_cases(rng):
    def draw(T, S):
        return (rng.normal(size=(T, S)),)

    def large(score):
        return (score + 900 * (-1.0) ** np.arange(len(score))[:, None],)

    def low(score):
        return (score - 12000,)

    return fixed_cases(rng, draw, 2, long=(0, 1), large=large, low=low)


def weights(score):
    exponential = np.exp(score - score.max(axis=1, keepdims=True))
    return exponential / exponential.sum(axis=1, keepdims=True)


def _average_cases(rng):
    def draw(T, S, V):
        return softmax(rng.normal(size=(T, S))), rng.normal(size=(S, V))

    def empty(given, value):
        given[0] = 0
        return given, value

    return fixed_cases(rng, draw, 3, long=(1,), empty=empty)


def average(weights, value):
    return weights @ value


def _lookup_cases(rng):
    def draw(T, S, K, V):
        return tuple(rng.normal(size=size) for size in ((T, K), (S, K), (S, V)))

    def large(query, key, value):
        return *strong(query, key), value

    return fixed_cases(rng, draw, 4, long=(0, 1), large=large)


def soft_lookup(query, key, value):
    score = query @ key.T / np.sqrt(key.shape[1])
    return softmax(score) @ value


def _counts(rng):
    cases = [
        Case(
            "sizes of different primes", tuple(map(int, rng.permutation([2, 3, 5, 7])))
        )
    ]
    cases += [
        Case(
            "an axis of size 1",
            tuple(1 if axis == one else 5 + axis for axis in range(4)),
        )
        for one in range(4)
    ]
    return [*cases, Case("length 100", (100, 100, 8, 16))]


def multiplications(T, S, K, V):
    return T * S * K + T * S * V


def _gap_cases(rng):
    cases = [Case("an axis of size 1", (float(rng.normal()), 1))]
    for count in (2, 3, 7):
        cases.append(Case("another number of keys", (float(rng.uniform(-3, 3)), count)))
    cases.append(Case("length 100", (float(rng.uniform(1, 5)), 100)))
    return [
        *cases,
        Case("scores of several hundred", (900.0, 5)),
        Case("scores of several hundred", (-900.0, 5)),
    ]


def largest_weight(gap, count):
    score = np.zeros((1, count))
    score[0, 0] = gap
    return softmax(score).max()


EXERCISES = (
    Exercise(
        name="00.weights",
        level=1,
        minutes=5,
        before="exp, sums over an axis",
        statement=(
            "Write `weights(score)`: turn scores (T, S) into weights (T, S). "
            "Each row is "
            "positive and sums to 1. Scores may be as large as several hundred."
        ),
        cases=_score_cases,
        solution=weights,
        mistakes={
            "exp of a large score overflows: subtract the row's largest one first": (
                " - score.max(axis=1, keepdims=True)",
                "",
            ),
            "the weights sum to 1 over the queries: the axis should be the keys'": (
                ".sum(axis=1",
                ".sum(axis=0",
            ),
            "the weights are not divided by their sum": (
                " / exponential.sum(axis=1, keepdims=True)",
                "",
            ),
            "all weights together sum to 1; each row should": (
                ".sum(axis=1, keepdims=True)",
                ".sum()",
            ),
            "the largest score of all is subtracted: rows far below it become 0 / 0": (
                "score.max(axis=1, keepdims=True)",
                "score.max()",
            ),
            "scores are divided by their sum: there is no exp": (
                "np.exp(score - score.max(axis=1, keepdims=True))",
                "score",
            ),
            "the maximum runs over the queries; each row needs its own": (
                "score.max(axis=1",
                "score.max(axis=0",
            ),
            "this is the best key alone: the others' weights are missing": (
                lambda s: (s == s.max(axis=1, keepdims=True)).astype(float)
            ),
            "these are the logarithms of the weights": (
                "return exponential / exponential.sum(axis=1, keepdims=True)",
                "return np.log(exponential / exponential.sum(axis=1, keepdims=True))",
            ),
            "the scores are clipped: subtract each row's largest one instead": (
                "score - score.max(axis=1, keepdims=True)",
                "np.clip(score, -50, 50)",
            ),
            "the scores are divided by the root of their number; here they are not": (
                "np.exp(score - score.max(axis=1, keepdims=True))",
                "np.exp((score - score.max(axis=1, keepdims=True)) / "
                "np.sqrt(score.shape[1]))",
            ),
            "they are divided by their number, not by their sum": (
                "exponential.sum(axis=1, keepdims=True)",
                "score.shape[1]",
            ),
        },
        hints=(
            "exp makes every score positive; a division makes a row sum to 1.",
            "Subtract each row's maximum before exp: the weights stay the same, and "
            "nothing overflows. Keep the axis (keepdims=True), or the shapes "
            "don't fit.",
            "e = np.exp(score - score.max(axis=1, keepdims=True)); then divide "
            "e by its "
            "own sum over axis 1.",
        ),
        starters={
            "numpy": "def weights(score):\n    ...  # (T, S); return (T, S)\n",
        },
    ),
    Exercise(
        name="00.average",
        level=1,
        minutes=5,
        kind="bug",
        before="matrix products",
        statement=(
            "Find the bug. `average(weights, value)` should give each query's weighted "
            "average of the values: weights (T, S), value (S, V), output (T, V). A row "
            "of weights that is all zeros gives zeros."
        ),
        cases=_average_cases,
        solution=average,
        mistakes={
            "it is the mean of the weighted values; their sum is the average": (
                "weights @ value",
                "(weights[:, :, None] * value).mean(axis=1)",
            ),
            "the weights are transposed": ("weights @", "weights.T @"),
            "it takes the best key's value alone": (lambda w, v: v[w.argmax(axis=1)]),
            "it sums over the width, not over the keys": (
                "weights @ value",
                "(weights[:, :, None] * value).sum(axis=2)",
            ),
            "it sums over the queries, not over the keys": (
                "weights @ value",
                "(weights[:, :, None] * value).sum(axis=0)",
            ),
            "the weights are not used: every value counts the same": (
                lambda w, v: np.repeat(v.mean(axis=0, keepdims=True), len(w), axis=0)
            ),
            "the weights are not used: the values are added": (
                lambda w, v: np.repeat(v.sum(axis=0, keepdims=True), len(w), axis=0)
            ),
            "the weights are normalized again; a row of zeros becomes 0 / 0": (
                "weights @ value",
                "weights / weights.sum(axis=1, keepdims=True) @ value",
            ),
            "the output is transposed": ("weights @ value", "(weights @ value).T"),
            "the weights pass a softmax again": ("weights @", "softmax(weights) @"),
            "every query gets the first one's weights": (
                lambda weights, value: np.repeat([weights[0] @ value], len(weights), 0)
            ),
        },
        hints=(
            "The weights of a row sum to 1 already: nothing is left to be divided.",
            "Look at the last operation: which of sum and mean does the formula have?",
            "`(weights[:, :, None] * value).sum(axis=1)`, or simply a matrix product.",
        ),
        starters={
            "numpy": (
                "def average(weights, value):\n"
                "    weighted = weights[:, :, None] * value  # (T, S, V)\n"
                "    return weighted.mean(axis=1)\n"
            ),
        },
    ),
    Exercise(
        name="00.soft_lookup",
        level=1,
        minutes=10,
        before="00.weights",
        statement=(
            "Write `soft_lookup(query, key, value)`, one output for every query: query "
            "(T, K), key (S, K), value (S, V), output (T, V). Scores may be as "
            "large as "
            "several hundred."
        ),
        cases=_lookup_cases,
        solution=soft_lookup,
        mistakes={
            **OVERFLOW,
            "the scores are not divided by the root of the key's width": (
                " / np.sqrt(key.shape[1])",
                "",
            ),
            "the scores are divided by the key's width, not by its root": (
                "np.sqrt(key.shape[1])",
                "key.shape[1]",
            ),
            "the root is that of the number of keys, not of the key's width": (
                "key.shape[1]",
                "key.shape[0]",
            ),
            "the root is that of the value's width, not of the key's": (
                "key.shape[1]",
                "value.shape[1]",
            ),
            "the scores are multiplied by the root; they should be divided": (
                "/ np.sqrt",
                "* np.sqrt",
            ),
            "there is no softmax: scores are not weights": ("softmax(score)", "score"),
            "the weights are not divided by their sum": (
                "softmax(score)",
                "np.exp(score)",
            ),
            "all weights together sum to 1; each query's should": (
                "softmax(score)",
                "(np.exp(score - score.max()) / np.exp(score - score.max()).sum())",
            ),
            "the weights sum to 1 over the queries, not over the keys": (
                "softmax(score)",
                "softmax(score, axis=0)",
            ),
            "it takes the best key's value alone, as a dictionary does": (
                "softmax(score) @ value",
                "value[score.argmax(axis=1)]",
            ),
            "queries and keys are exchanged": (
                "query @ key.T / np.sqrt(key.shape[1])",
                "key @ query.T / np.sqrt(key.shape[1])",
            ),
            "keys and values are exchanged": (lambda q, k, v: soft_lookup(q, v, k)),
            "it averages the keys, not the values": ("@ value", "@ key"),
            "it returns the weights, not the average of the values": (" @ value", ""),
        },
        hints=(
            "Compare each query with each key, turn scores into weights, "
            "average values.",
            "The scores are query @ key.T, divided by the root of K, the key's width.",
            "score = query @ key.T / np.sqrt(key.shape[1]); softmax over axis 1; then "
            "@ value.",
        ),
        starters={
            "numpy": (
                "def soft_lookup(query, key, value):\n"
                "    ...  # (T, K), (S, K), (S, V); return (T, V)\n"
            ),
        },
    ),
    Exercise(
        name="00.multiplications",
        level=1,
        minutes=5,
        before="matrix products",
        statement=(
            "Write `multiplications(T, S, K, V)`: how many multiplications the "
            "two matrix "
            "products of one attention need, as a whole number. T queries, S keys of "
            "width K, S values of width V."
        ),
        cases=_counts,
        solution=multiplications,
        mistakes={
            "the second product, weights with values, is missing": (" + T * S * V", ""),
            "the first product, queries with keys, is missing": ("T * S * K + ", ""),
            "additions are counted too: this is twice as many": (
                "T * S * K + T * S * V",
                "2 * (T * S * K + T * S * V)",
            ),
            "the widths are multiplied; the two products follow each other": (
                "T * S * K + T * S * V",
                "T * S * K * V",
            ),
            "both products are counted with the key's width": ("S * V", "S * K"),
            "there is one score for each pair, so T times S, not S times S": (
                "T * S",
                "S * S",
            ),
            "there is one score for each pair, so T times S, not T times T": (
                "T * S",
                "T * T",
            ),
            "the weights are T times S: V of them are averaged for each query": (
                "T * S * V",
                "T * K * V",
            ),
            "the second product has one row per query": ("T * S * V", "S * K * V"),
            "queries and keys are added; there is one score for each pair": (
                "T * S",
                "(T + S)",
            ),
            "additions are one less per product; multiplications were asked for": (
                "T * S * K + T * S * V",
                "T * S * (K - 1 + V)",
            ),
            "the softmax is no part of the two products": (
                "T * S * K + T * S * V",
                "T * S * (K + 1 + V)",
            ),
        },
        hints=(
            "A product of (a, b) with (b, c) needs a * b * c multiplications.",
            "query @ key.T is (T, K) with (K, S); weights @ value is (T, S) "
            "with (S, V).",
            "The first needs T * K * S; write the second in the same way, and add.",
        ),
        starters={
            "numpy": (
                "def multiplications(T, S, K, V):\n    ...  # four numbers; "
                "return one\n"
            ),
        },
    ),
    Exercise(
        name="00.largest_weight",
        level=2,
        minutes=10,
        kind="predict",
        before="00.weights",
        statement=(
            "Predict, then measure. One of 100 keys has a score of 5, the "
            "others 0: what "
            "is the largest weight? Enter your guess, then write "
            "`largest_weight(gap, count)`: the largest of `count` weights when "
            "one score "
            "is `gap` and the others are 0. The gap may be negative, and as large as "
            "several hundred; the result is a number."
        ),
        cases=_gap_cases,
        solution=largest_weight,
        ask=(5.0, 100),
        mistakes={
            **OVERFLOW,
            "this is the weight of the key with the gap; below 0 it is not the "
            "largest": (
                ".max()",
                "[0, 0]",
            ),
            "this is the smallest weight": (".max()", ".min()"),
            "there is one key too many": ("(1, count)", "(1, count + 1)"),
            "every key has the gap, so all weights are equal": (
                "score[0, 0] = gap",
                "score[0] = gap",
            ),
            "this is the largest score; the softmax is missing": (
                "softmax(score).max()",
                "score.max()",
            ),
            "it returns all weights, not the largest": (".max()", "[0]"),
            "the sign of the gap is lost": ("= gap", "= abs(gap)"),
            "the weight is compared with one other key, not with count - 1 of them": (
                "(1, count)",
                "(1, min(count, 2))",
            ),
            "the others' scores are 0, not 1": ("np.zeros", "np.ones"),
            "the gap is a constant; it is handed over": ("= gap", "= 5"),
            "the number of keys is a constant; it is handed over": (
                "(1, count)",
                "(1, 100)",
            ),
        },
        hints=(
            "The softmax compares exp(5) = 148 with the sum of all: 148 and 99 ones.",
            "Build the scores: zeros, and one gap. Then softmax, then the maximum.",
            "score = np.zeros((1, count)); score[0, 0] = gap; softmax(score).max()",
        ),
        starters={
            "numpy": (
                "prediction = ...  # the largest weight for a gap of 5 and 100 keys\n\n"
                "def largest_weight(gap, count):\n    ...  # two numbers; return one\n"
            ),
        },
    ),
)
