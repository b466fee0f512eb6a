"""Exercises of chapter 5."""

import numpy as np

from attn_course.exercises.exercise import Exercise, softmax


def _word_cases(rng):
    # Every width is 5, so that exchanged matrices pass every shape check.
    same = (5, 5), (5, 5), (5, 5), (5, 5)
    other = (4, 3), (3, 2), (3, 2), (3, 6)
    return [tuple(rng.normal(size=size) for size in sizes) for sizes in (same, other)]


def _scaled(power):
    """Self-attention whose scores are divided by a power of K; 1/2 is right."""

    def attend(x, query_weight, key_weight, value_weight):
        score = (x @ query_weight) @ (x @ key_weight).T
        return softmax(score / key_weight.shape[1] ** power) @ (x @ value_weight)

    return attend


def _scores(x, query_weight, key_weight):
    return (x @ query_weight) @ (x @ key_weight).T / np.sqrt(key_weight.shape[1])


def _by_model_dim(x, query_weight, key_weight, value_weight):
    score = (x @ query_weight) @ (x @ key_weight).T
    return softmax(score / np.sqrt(x.shape[1])) @ (x @ value_weight)


def _image_cases(rng):
    # As many channels as pixels, so that a wrong reshape still runs.
    def draw(channels, height, width, key_dim):
        sizes = (channels, height, width), *[(channels, key_dim)] * 2, (channels,) * 2
        return *(rng.normal(size=size) for size in sizes), np.array(0.7)

    return [draw(6, 2, 3, 4), draw(3, 4, 5, 2)]


def _over_image(image, query_weight, key_weight, value_weight, gate, fault=""):
    tokens = image.reshape(len(image), -1).T
    if "reshape" in fault:
        tokens = image.reshape(-1, len(image))
    query, key = tokens @ query_weight, tokens @ key_weight
    if "relu" in fault:
        query, key = np.maximum(query, 0), np.maximum(key, 0)
    weights = softmax(query @ key.T / np.sqrt(key.shape[1]))
    if "transposed" in fault:
        weights = weights.T
    attended = weights @ (tokens @ value_weight)
    back = attended if "back" in fault else attended.T
    attended = back.reshape(image.shape)
    return attended if "gate" in fault else image + gate * attended


def _with(fault):
    return lambda *inputs: _over_image(*inputs, fault=fault)


EXERCISES = {
    "05.self_attention": Exercise(
        _word_cases,
        _scaled(0.5),
        {
            "the scale is missing: divide the scores by the root of K": _scaled(0),
            "the scores are divided by K; it is the root of K": _scaled(1),
            "the scores are divided by the root of D; it is the root of K": (
                _by_model_dim
            ),
            "queries and keys are exchanged": (
                lambda x, q, k, v: softmax(_scores(x, k, q)) @ (x @ v)
            ),
            "the softmax runs over the queries; every query has its own": (
                lambda x, q, k, v: softmax(_scores(x, q, k), axis=0) @ (x @ v)
            ),
            "the average runs over the queries: the weights are transposed": (
                lambda x, q, k, v: softmax(_scores(x, q, k)).T @ (x @ v)
            ),
            "the words themselves are averaged; it should be their values": (
                lambda x, q, k, v: softmax(_scores(x, q, k)) @ x
            ),
            "there is no softmax: the scores themselves are the weights": (
                lambda x, q, k, v: _scores(x, q, k) @ (x @ v)
            ),
        },
    ),
    "05.over_image": Exercise(
        _image_cases,
        _over_image,
        {
            "one fault is left: the average runs over the queries": (
                _with("transposed")
            ),
            "one fault is left: reshape mixes pixels and channels, which are first": (
                _with("reshape")
            ),
            "both faults are there: the reshape on the way in, and the sum over the "
            "queries": _with("reshape transposed"),
            "the way back mixes pixels and channels: transpose before the reshape": (
                _with("back")
            ),
            "query and key pass a ReLU; the scores should have both signs": (
                _with("relu")
            ),
            "the image itself is not added": _with("gate"),
        },
    ),
}
