"""Exercises of chapter 6."""

import numpy as np

from attn_course.exercises.exercise import Exercise, softmax
from attn_course.multi_head.reference import multi_head_attention, split_heads


def _split_cases(rng):
    sizes = ((2, 5, 6), 3), ((2, 3, 20), 4)
    return [(rng.normal(size=shape), np.array(heads)) for shape, heads in sizes]


def _cut(x, num_heads, order, axes):
    """x in pieces of (B, T, *order), the axes then in that order."""
    B, T, width = x.shape
    sizes = {"H": int(num_heads), "K": width // int(num_heads)}
    return x.reshape(B, T, *(sizes[letter] for letter in order)).transpose(axes)


def _whole_reshape(x, num_heads):
    B, T, width = x.shape
    return x.reshape(B, int(num_heads), T, width // int(num_heads))


def _layer_cases(rng):
    def draw(T, D):
        return rng.normal(size=(T, D)), *rng.normal(size=(4, D, D))

    return [draw(4, 4), draw(3, 8)]


NAMES = ("query_weight", "key_weight", "value_weight", "output_weight")


def _two_heads(x, *weights):
    parameters = dict(zip(NAMES, weights, strict=True))
    return multi_head_attention(*[x[None]] * 3, parameters, num_heads=2)[0][0]


def _with(fault):
    """Two heads with one fault, or with several whose words stand in ``fault``."""

    def attend(x, query_weight, key_weight, value_weight, output_weight):
        query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
        width, answers = query.shape[1] // 2, []
        for head in (0, 1):
            own = slice(head * width, (head + 1) * width)
            if "interleaved" in fault:
                own = slice(head, None, 2)
            scale = np.sqrt(x.shape[1] if "scale" in fault else width)
            score = query[:, own] @ key[:, own].T / scale
            weights = softmax(score, axis=0 if "axis" in fault else -1)
            answers.append(weights @ value[:, own])
        if "sum" in fault:
            return sum(answers) @ output_weight[:width]
        joined = np.concatenate(answers, axis=1)
        return joined if "output" in fault else joined @ output_weight

    return attend


def _additive_cases(rng):
    same = (3, 3, 3), (3, 3, 3), (3, 3, 3), (3, 3)
    other = (2, 4, 3), (2, 5, 3), (2, 5, 7), (2, 3)
    return [tuple(rng.normal(size=size) for size in sizes) for sizes in (same, other)]


def _additive(query, key, value, score_weight, *, squash=np.tanh, axis=-1):
    hidden = squash(query[:, :, None] + key[:, None])
    score = np.einsum("htsk,hk->hts", hidden, score_weight)
    return softmax(score, axis=axis) @ value


EXERCISES = {
    "06.split_heads": Exercise(
        _split_cases,
        split_heads,
        {
            "the heads are interleaved: head h should get the h-th block of columns": (
                lambda x, heads: _cut(x, heads, "KH", (0, 3, 1, 2))
            ),
            "positions and heads are mixed: reshape first, then move the axes": (
                _whole_reshape
            ),
            "the heads stand behind the positions; they should come before": (
                lambda x, heads: _cut(x, heads, "HK", (0, 1, 2, 3))
            ),
            "each head is transposed: positions come before its columns": (
                lambda x, heads: _cut(x, heads, "HK", (0, 2, 3, 1))
            ),
        },
    ),
    "06.two_heads": Exercise(
        _layer_cases,
        _two_heads,
        {
            "both faults are there: the scale, and how the answers are joined": (
                _with("scale sum")
            ),
            "one fault is left: the scale is the root of a head's own width": (
                _with("scale")
            ),
            "one fault is left: answers are joined side by side, not added": (
                _with("sum")
            ),
            "the output matrix is missing": _with("output"),
            "the heads are interleaved; they are blocks of columns": (
                _with("interleaved")
            ),
            "the softmax runs over the queries": _with("axis"),
        },
    ),
    "06.additive_heads": Exercise(
        _additive_cases,
        _additive,
        {
            "the tanh is missing": (
                lambda q, k, v, w: _additive(q, k, v, w, squash=lambda x: x)
            ),
            "the softmax runs over the queries": (
                lambda q, k, v, w: _additive(q, k, v, w, axis=1)
            ),
            "the scores are divided by the root of K; additive scores are not": (
                lambda q, k, v, w: _additive(q, k, v, w / np.sqrt(q.shape[-1]))
            ),
            "query and key are multiplied; they should be added": (
                lambda q, k, v, w: (
                    softmax(
                        np.einsum(
                            "htsk,hk->hts", np.tanh(q[:, :, None] * k[:, None]), w
                        )
                    )
                    @ v
                )
            ),
        },
    ),
}
