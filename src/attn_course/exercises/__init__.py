"""Exercises with feedback: ``check(name, answer)`` says what is right, or what is not.

An answer is compared with the solution on inputs of several sizes. If it differs, it is
compared with the mistakes that people make, and the one that gives the same numbers is
named.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attn_course.exercises import bahdanau, bottleneck, ten_minutes


class Exercise(NamedTuple):
    """How inputs are drawn, the solution, and the known mistakes with their names."""

    inputs: Callable
    solution: Callable
    mistakes: dict


EXERCISES = {
    name: Exercise(*parts)
    for topic in (ten_minutes, bottleneck, bahdanau)
    for name, parts in topic.EXERCISES.items()
}


def check(name, answer, framework="numpy"):
    """Print whether ``answer`` solves the exercise, and return that as a bool.

    The answer takes and returns arrays of ``framework``: "numpy", "torch" or "tf", in
    float64.

    Raises:
        ValueError: there is no exercise or framework of that name.
    """
    if name not in EXERCISES:
        raise ValueError(f"no exercise {name!r}; there are: {', '.join(EXERCISES)}")
    if framework not in ("numpy", "torch", "tf"):
        raise ValueError(f"framework must be numpy, torch or tf, got {framework!r}")
    fault = _first_fault(EXERCISES[name], answer, framework)
    print(f"{name}: {fault or 'correct'}")
    return fault is None


def _first_fault(exercise, answer, framework):
    rng = np.random.default_rng(0)
    for _ in range(3):
        inputs = exercise.inputs(rng)
        try:
            result = answer(*(_into(framework, array.copy()) for array in inputs))
        # whatever the learner's code raises is feedback, not a fault of ours
        except Exception as error:
            return f"it raised {type(error).__name__}: {error}"
        if result is None or result is ...:
            return "not done yet: it returns nothing"
        fault = _compare(exercise, inputs, np.asarray(result))
        if fault:
            return fault
    return None


def _into(framework, array):
    if framework == "torch":
        from attn_course.frameworks import torch

        return torch.from_numpy(array)
    if framework == "tf":
        from attn_course.frameworks import tf

        return tf.constant(array)
    return array


def _compare(exercise, inputs, result):
    expected = exercise.solution(*inputs)
    if result.shape != expected.shape:
        return f"the shape is {result.shape}, expected {expected.shape}"
    if np.allclose(result, expected, rtol=1e-6, atol=1e-9):
        return None
    for diagnosis, mistake in exercise.mistakes.items():
        with np.errstate(all="ignore"):
            same = np.allclose(
                result, mistake(*inputs), rtol=1e-6, atol=1e-9, equal_nan=True
            )
        if same:
            return f"not yet: {diagnosis}"
    if np.isnan(result).any():
        return "not yet: there are NaNs"
    farthest = np.abs(result - expected).max()
    return f"not yet: the largest difference from the solution is {farthest:.3g}"
