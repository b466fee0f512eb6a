"""What an exercise is, and how an answer to it is judged."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Exercise(NamedTuple):
    """A solution, the calls that it is compared on, and the mistakes that people make.

    cases: takes a NumPy generator; gives a list of tuples, the arguments of one call
        each. The sizes of the first are so that a wrong answer still runs and can be
        named; those of another all differ, so that none passes by chance.
    solution: takes and returns NumPy arrays.
    mistakes: what is wrong, in words -> a function that does it, like the solution.
    """

    cases: Callable
    solution: Callable
    mistakes: dict


def softmax(score, axis=-1):
    """Softmax without a mask over any axis, for mistakes that choose a wrong one."""
    exponential = np.exp(score - score.max(axis=axis, keepdims=True))
    return exponential / exponential.sum(axis=axis, keepdims=True)


def first_fault(exercise, answer, framework):
    """What is wrong with the answer, or None."""
    if not callable(answer):
        return f"hand over the function itself; this is a {type(answer).__name__}"
    for inputs in exercise.cases(np.random.default_rng(0)):
        if fault := _fault(exercise, inputs, answer, framework):
            return fault
    return None


def _fault(exercise, inputs, answer, framework):
    given = [into(framework, array.copy()) for array in inputs]
    shapes = ", ".join(str(array.shape) for array in inputs)
    try:
        result = answer(*given)
        if result is None or result is ...:
            return "not done yet: it returns nothing"
        if isinstance(result, tuple):
            return f"it returns {len(result)} things, expected one array"
        result = np.asarray(result)
    # Whatever the learner's code raises is feedback, not a fault of ours.
    except Exception as error:
        return f"it raised {type(error).__name__}: {error} (inputs {shapes})"
    for number, (before, after) in enumerate(zip(inputs, given, strict=True), start=1):
        if not np.array_equal(before, np.asarray(after)):
            return f"it changes its argument {number} in place: work on a copy"
    return _difference(exercise, inputs, result, shapes)


def into(framework, array):
    """A NumPy array as one of the framework."""
    if framework == "torch":
        from attn_course.frameworks import torch

        return torch.from_numpy(array)
    if framework == "tf":
        from attn_course.frameworks import tf

        return tf.constant(array)
    return array


def _difference(exercise, inputs, result, shapes):
    expected = exercise.solution(*inputs)
    # Tokens may be integers of any size; numbers are compared in the inputs' float64.
    integers = expected.dtype.kind == "i" and result.dtype.kind in "iu"
    if result.dtype != expected.dtype and not integers:
        return f"the dtype is {result.dtype}, expected {expected.dtype}"
    if _same(result, expected):
        return None
    for words, mistake in exercise.mistakes.items():
        if _gives(mistake, inputs, result):
            return f"not yet: {words}"
    if result.shape != expected.shape:
        return f"the shape is {result.shape}, expected {expected.shape} ({shapes} in)"
    if np.isnan(result).any():
        return f"not yet: there are NaNs (inputs {shapes})"
    at = np.unravel_index(np.abs(result - expected).argmax(), result.shape)
    at = tuple(map(int, at))
    return (
        f"not yet: at {at} it gives {result[at]:.4g}, expected {expected[at]:.4g} "
        f"(inputs {shapes})"
    )


def _same(result, expected):
    # The shapes first: allclose would broadcast.
    return result.shape == expected.shape and np.allclose(
        result, expected, rtol=1e-6, atol=1e-9, equal_nan=True
    )


def _gives(mistake, inputs, result):
    try:
        with np.errstate(all="ignore"):
            return _same(result, mistake(*inputs))
    except ValueError:  # exchanged arguments don't fit where the sizes all differ
        return False
