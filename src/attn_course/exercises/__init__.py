"""Exercises with feedback: ``check(name, answer)`` says what is right, or what is not.

An answer is compared with the solution on inputs of several sizes. If it differs, it is
compared with the mistakes that people make, and the one that gives the same numbers is
named. Each chapter has a module here, whose ``EXERCISES`` maps names to `Exercise`.
"""

from attn_course.exercises import (
    bahdanau,
    bottleneck,
    dot_product,
    luong,
    multi_head,
    positional,
    self_attention,
    ten_minutes,
)
from attn_course.exercises.exercise import first_fault

CHAPTERS = (
    ten_minutes,
    bottleneck,
    bahdanau,
    luong,
    dot_product,
    self_attention,
    multi_head,
    positional,
)
EXERCISES = {
    name: exercise
    for chapter in CHAPTERS
    for name, exercise in chapter.EXERCISES.items()
}


def check(name, answer, framework="numpy"):
    """Print whether ``answer`` solves the exercise, and return that as a bool.

    The answer takes and returns arrays of ``framework``: "numpy", "torch" or "tf".
    Numbers are float64.

    Raises:
        ValueError: there is no exercise or framework of that name.
    """
    if name not in EXERCISES:
        raise ValueError(f"no exercise {name!r}; there are: {', '.join(EXERCISES)}")
    if framework not in ("numpy", "torch", "tf"):
        raise ValueError(f"framework must be numpy, torch or tf, got {framework!r}")
    fault = first_fault(EXERCISES[name], answer, framework)
    print(f"{name}: {fault or 'correct'}")
    return fault is None
