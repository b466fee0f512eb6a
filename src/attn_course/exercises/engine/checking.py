"""Check an answer, say what is wrong with it, give hints, hand a project its parts."""

import contextlib
import os
from difflib import get_close_matches
from typing import NamedTuple

from attn_course.core import frameworks
from attn_course.exercises.engine.breaking import failing_function, score_of_test
from attn_course.exercises.engine.files import EXERCISES
from attn_course.exercises.engine.judge import (
    caller,
    draw_cases,
    first_fault,
    from_text,
    run_cases,
)
from attn_course.exercises.engine.progress import solved
from attn_course.exercises.engine.run import FRAMEWORKS, expected, into, to_numpy

# Whoever collects answers puts a function here: (name, answer, framework) -> bool.
_record = None
# (name, framework) -> the answers that passed in this session, the last one last.
_passed = {}
# name -> (answer, framework, seed) of the last check, where it failed.
_failed = {}
# Whoever has tried an exercise gets more than its first hint.
_tried = set()


@contextlib.contextmanager
def recording(record):
    """Every call of `check` goes to ``record(name, answer, framework)`` instead."""
    global _record
    _record = record
    try:
        yield
    finally:
        _record = None


def find(name):
    """The exercise of that name; ValueError for any other."""
    if name not in EXERCISES:
        near = ", ".join(get_close_matches(str(name), EXERCISES))
        told = f"near it: {near}" if near else "see `attn-course exercises list`"
        raise ValueError(f"no exercise {name!r}; {told}")
    return EXERCISES[name]


def check(name, answer, framework="numpy", seed=None):
    """Print whether ``answer`` solves the exercise, and return that as a bool.

    The answer takes arrays of ``framework`` ("numpy", "torch" or "tf") and numbers; it
    may return arrays of any of the three, float64 or float32. In an exercise on a
    module, the answer is the class; one of TensorFlow is called once with a batch of
    unknown size, as `fit` may do. In one that predicts, it is (prediction, function).
    What the answer prints is shown by case, its first 2,000 characters.

    seed: repeats the cases of a run that failed; drawn anew where it is None.

    Raises:
        ValueError: there is no exercise or framework of that name.
    """
    exercise = find(name)
    if framework not in FRAMEWORKS:
        raise ValueError(f"framework must be numpy, torch or tf, got {framework!r}")
    _tried.add(name)
    if _record is not None:
        return _record(name, answer, framework)
    if seed is None:
        seed = int.from_bytes(os.urandom(3), "big")
    fault, note = judge(exercise, answer, framework, seed)
    if fault:
        _failed[name] = answer, framework, seed
        print(f"{name}: {fault}")
        return False
    solved(name)
    _failed.pop(name, None)
    _passed.setdefault((name, framework), []).append(answer)
    print(f"{name}: correct{note}")
    return True


def yours(name, instead=None, framework="numpy"):
    """The last answer of this session that passed ``check``, or ``instead``.

    A project is put together with it. ``instead`` is the page's solution; an answer
    that is called like it doesn't count as yours. Without it the course lends its own
    solution; what that calls of the project is yours where it passed.

    Raises:
        ValueError: there is no exercise of that name.
    """
    exercise = find(name)
    own = [
        answer
        for answer in _passed.get((name, framework), ())
        if instead is None or answer.__name__ != instead.__name__
    ]
    if own or instead:
        return own[-1] if own else instead
    if framework not in exercise.answers:
        return exercise.solution
    lent, project = from_text(exercise.answers[framework]), name.partition(".")[0]
    for (other, its), answers in _passed.items():
        part = f"{other.removeprefix(project + '.')}_{its}"
        if its == framework and part in lent.__globals__:
            lent.__globals__[part] = answers[-1]
    if framework == "tf":  # it has no file, which AutoGraph would read
        return frameworks.tf.autograph.experimental.do_not_convert(lent)
    return lent


def shown(name, answer, framework="numpy"):
    """What a page's solution cell calls: it checks like `check`, and marks nothing.

    It prints the same as `check`, but counts neither in `progress` nor in `yours` nor
    for a teacher. Its cases are those of one seed: a page prints the same again.

    Raises:
        ValueError: there is no exercise of that name.
    """
    exercise = find(name)
    if _record is None:
        fault, note = judge(exercise, answer, framework, seed=0)
        print(f"{name}: {fault or 'correct' + note}")


class Failing(NamedTuple):
    """A case that an answer failed: ``answer(*case.arguments)`` repeats it."""

    name: str
    arguments: tuple
    expected: object
    seed: int


def case(name, seed=None):
    """The case that the last answer to an exercise failed, to print and to debug.

    Gives a `Failing`: ``arguments`` are of the framework of that check, ``expected`` is
    a NumPy array or a tuple of them. Of a layer, the arguments are (sizes, inputs,
    parameters), and what is expected is its output; of a call that is read, they are
    NumPy arrays, and what the call returns is expected. Of a test, the argument is the
    function, and whether the test should refuse it is expected.

    seed: of the cases to look through; None for that of the check.

    Raises:
        ValueError: there is no exercise of that name, or no failed check of it in this
            session, or the answer passes every case of that seed.
    """
    exercise = find(name)
    if name not in _failed:
        raise ValueError(f"no check of {name!r} has failed in this session")
    answer, framework, own = _failed[name]
    seed = own if seed is None else seed
    answer, _, fault = callable_of(exercise, answer, framework)
    if fault:
        raise ValueError(f"no case of {name!r} was reached; run check again")
    cases = draw_cases(exercise, seed, framework)
    found = run_cases(exercise, cases, answer, framework)
    fault = first_fault(exercise, cases, found, named=False)
    if fault is None:
        raise ValueError(f"the answer passes every case of seed {seed}")
    if exercise.kind == "test":
        return Failing(*failing_function(cases, found), seed)
    given = fault[1].arguments
    if exercise.kind == "read":
        right = to_numpy(exercise.measure(framework, *into(framework, given)))
        return Failing(fault[1].name, into("numpy", given), right, seed)
    right = expected(caller(exercise), exercise.solution, fault[1])
    right = right[:-1] if exercise.kind in ("module", "part") else right  # gradients
    right = right[0] if len(right) == 1 else right
    return Failing(fault[1].name, into(framework, given), right, seed)


def callable_of(exercise, answer, framework):
    """(the function or class, the prediction or None, what is wrong with either)."""
    prediction = None
    if exercise.kind == "predict":
        answer, prediction, fault = _parts_of(answer)
        if fault:
            return None, None, fault
    if not callable(answer):
        kind = type(answer).__name__
        return None, None, f"hand over the function itself, not: {kind}"
    if exercise.kind in ("module", "read") and framework == "numpy":
        fault = 'say which framework it is: framework="torch" or framework="tf"'
        return None, None, fault
    return answer, prediction, None


def judge(exercise, answer, framework, seed, seconds=None):
    """(what is wrong, or None; what to add to "correct")."""
    answer, prediction, fault = callable_of(exercise, answer, framework)
    if fault:
        return fault, ""
    cases = draw_cases(exercise, seed, framework)
    found = run_cases(exercise, cases, answer, framework, seconds)
    fault = first_fault(exercise, cases, found)
    if fault is None and exercise.kind == "test":
        return None, score_of_test(cases, found)
    if fault is None:
        return None, verdict(exercise, prediction)
    words, case = fault
    if words.startswith("not done yet"):
        return words, ""
    if case is None:
        first, *each = words.split("\n")  # a line for each of several mistakes
        said = f"not yet{',' if each else ':'} {first} (seed={seed})"
        return "\n".join([said, *each]), ""
    sizes = _sizes(exercise, case)
    return f'not yet: {words} (case "{case.name}"{sizes}; seed={seed})', ""


def _sizes(exercise, case):
    arguments, made = case.arguments, ""
    if exercise.kind == "module":
        made, arguments = f", made of {arguments[0]}", arguments[1]
    shapes = [str(each.shape) for each in arguments if hasattr(each, "shape")]
    return made + (", inputs " + ", ".join(shapes) if shapes else "")


def _parts_of(answer):
    """(function, prediction, what is wrong) of an answer that predicts."""
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


def verdict(exercise, prediction):
    """What to add to "correct": how far off a prediction was; nothing without one."""
    if prediction is None:
        return ""
    measured = float(exercise.solution(*exercise.ask))
    close = abs(prediction - measured) <= 0.1 * abs(measured)
    verdict = "close: why?" if close else "off: why?"
    pair = prediction, measured
    told = (f"{x:,.0f}" if x.is_integer() else f"{x:.4g}" for x in pair)
    return "; you predicted {}, it is {} ({})".format(*told, verdict)


def hint(name, number=1):
    """Print one of three hints: 1 the concept, 2 the line, 3 nearly the code.

    The second and the third come after a try: a call of `check`, whatever it said.

    Raises:
        ValueError: there is no exercise of that name, or the number is not 1, 2 or 3.
    """
    exercise = find(name)
    if number not in (1, 2, 3):
        raise ValueError(f"number must be 1, 2 or 3, got {number!r}")
    if number > 1 and name not in _tried:
        print(
            f"{name}: try first; after a check of any answer hint {number} is printed"
        )
    else:
        print(f"{name}, hint {number} of 3: {exercise.hints[number - 1]}")
