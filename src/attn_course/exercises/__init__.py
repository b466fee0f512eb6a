"""Exercises with feedback: ``check(name, answer)`` says what is right, or what is not.

An answer is called on a fixed list of kinds of cases (`exercise.WORDS` and
`exercise.fixed_cases`), whose numbers and sizes are drawn anew in every run. If it
differs, it is compared with the mistakes that people make, and with pairs of them; one
is named only when it explains every case. Otherwise the first case and the first number
that differ are shown, with the seed that repeats them.

Public exercises are for practice. Their solutions stand in this package, so they can't
serve as an exam, whatever the grader does.

Each chapter has a module here, whose ``EXERCISES`` is a tuple of `Exercise`.
"""

import os

from attn_course.exercises import (
    bahdanau,
    bottleneck,
    dot_product,
    encoder,
    flash,
    grouped_query,
    linearized,
    longer,
    low_rank_and_hashing,
    luong,
    multi_head,
    positional,
    self_attention,
    sparse,
    ten_minutes,
    transformer,
)
from attn_course.exercises.exercise import softmax
from attn_course.exercises.judge import draw_cases, first_fault, run_cases
from attn_course.exercises.progress import progress, solved
from attn_course.exercises.run import FRAMEWORKS, to_numpy

__all__ = ["EXERCISES", "check", "hint", "progress", "softmax"]

CHAPTERS = (
    ten_minutes,
    bottleneck,
    bahdanau,
    luong,
    dot_product,
    self_attention,
    multi_head,
    positional,
    encoder,
    transformer,
    sparse,
    linearized,
    low_rank_and_hashing,
    grouped_query,
    flash,
    longer,
)
EXERCISES = {each.name: each for chapter in CHAPTERS for each in chapter.EXERCISES}
# A grader puts a function here, which gets (name, answer, framework) in place of check.
_record = None


def _find(name):
    if name not in EXERCISES:
        raise ValueError(f"no exercise {name!r}; there are: {', '.join(EXERCISES)}")
    return EXERCISES[name]


def check(name, answer, framework="numpy", seed=None):
    """Print whether ``answer`` solves the exercise, and return that as a bool.

    The answer takes arrays of ``framework`` ("numpy", "torch" or "tf") and numbers; it
    may return arrays of any of the three, float64 or float32. In an exercise on a
    module, the answer is the class. In one that predicts, it is (prediction, function).

    seed: repeats the cases of a run that failed; drawn anew where it is None.

    Raises:
        ValueError: there is no exercise or framework of that name.
    """
    exercise = _find(name)
    if framework not in FRAMEWORKS:
        raise ValueError(f"framework must be numpy, torch or tf, got {framework!r}")
    if _record is not None:
        return _record(name, answer, framework)
    if seed is None:
        seed = int.from_bytes(os.urandom(3), "big")
    fault, note = judge(exercise, answer, framework, seed)
    if fault:
        print(f"{name}: {fault}")
        return False
    solved(name)
    print(f"{name}: correct{note}")
    return True


def judge(exercise, answer, framework, seed, seconds=None):
    """(what is wrong, or None; what to add to "correct")."""
    prediction = None
    if exercise.kind == "predict":
        answer, prediction, fault = _parts(answer)
        if fault:
            return fault, ""
    if not callable(answer):
        return f"hand over the function itself; this is a {type(answer).__name__}", ""
    if exercise.kind == "module" and framework == "numpy":
        return 'say which framework it is: framework="torch" or framework="tf"', ""
    cases = draw_cases(exercise, seed, framework)
    found = run_cases(exercise, cases, answer, framework, seconds)
    fault = first_fault(exercise, cases, found)
    if fault is None:
        return None, _verdict(exercise, prediction)
    words, case = fault
    if words.startswith("not done yet"):
        return words, ""
    if case is None:
        return f"not yet: {words} (seed={seed})", ""
    return f'not yet: {words} (case "{case.name}"{_sizes(case)}; seed={seed})', ""


def _sizes(case):
    shapes = [str(each.shape) for each in case.arguments if hasattr(each, "shape")]
    return ", inputs " + ", ".join(shapes) if shapes else ""


def _parts(answer):
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        return None, None, "hand over two things: (your prediction, the function)"
    prediction, function = answer
    try:
        value = to_numpy(prediction)
        number = float(value.item()) if value.dtype.kind in "iuf" else None
    except Exception:
        number = None
    if number is None:
        return None, None, "not done yet: enter your prediction, a number, first"
    return function, number, ""


def _verdict(exercise, prediction):
    if prediction is None:
        return ""
    measured = float(exercise.solution(*exercise.ask))
    close = abs(prediction - measured) <= 0.1 * abs(measured)
    verdict = "close" if close else "off: why?"
    return f"; you predicted {prediction:.4g}, it is {measured:.4g} ({verdict})"


def hint(name, number=1):
    """Print one of three hints: 1 the concept, 2 the line, 3 nearly the code.

    Raises:
        ValueError: there is no exercise of that name, or the number is not 1, 2 or 3.
    """
    exercise = _find(name)
    if number not in (1, 2, 3):
        raise ValueError(f"number must be 1, 2 or 3, got {number!r}")
    print(f"{name}, hint {number} of 3: {exercise.hints[number - 1]}")
