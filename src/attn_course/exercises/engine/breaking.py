"""Exercises whose answer is a test: it is run on right functions and on wrong ones.

Each of them is a case of its own, in an order drawn anew: a test that counts its calls
or looks at a function's name finds nothing.
"""

from itertools import islice

import numpy as np

from attn_course.exercises.engine.exercise import Case, known_mistakes
from attn_course.exercises.engine.files import EXERCISES
from attn_course.exercises.engine.run import limited
from attn_course.exercises.engine.sources import compiled, source_of

RIGHT = ("a right function", "a right function that adds in another order")
TIMES = 3  # that each of them comes


def _functions(tested):
    """The right ones, compiled like the others; then one for each mistake."""
    solution = compiled(tested.solution, source_of(tested.solution))
    yield solution
    yield lambda *given: solution(*given) * (1 + 1e-12)
    for _, function in islice(known_mistakes(tested), len(tested.mistakes)):
        yield function


def cases_of_test(exercise, seed):
    """A case per function, (the exercise, its place there), in an order of the seed."""
    names = [*RIGHT, *EXERCISES[exercise.of].mistakes]
    places = [*range(len(names)), *[0, 1] * (TIMES - 1)]
    places = np.random.default_rng(seed).permutation(places)
    return [Case(names[place], (exercise.of, int(place))) for place in places]


def call_test(test, case, framework):
    """(whether the test refuses the case's function, in which words)."""
    own = _function(case)
    tried = _tried(test, own)
    try:
        # In a thread of its own: no frame above the test's holds the case.
        limited(tried, float("inf"))
    except (Exception, SystemExit) as error:
        words = f"{type(error).__name__}: {error}"[:200].strip(": \n")
        return np.array(True), np.array(words)
    return np.array(False), np.array("")


def _function(case):
    name, place = case.arguments
    return next(islice(_functions(EXERCISES[name]), place, None))


def _tried(test, own):
    # Without the name and the source of its own.
    return lambda: test(lambda *given: own(*given))


def failing_function(cases, found):
    """(its name, the function, whether to refuse it) of the first that goes wrong."""
    for case, result in zip(cases, found, strict=False):
        wrong = case.name not in RIGHT
        if result.error or bool(result.arrays[0]) != wrong:
            return case.name, (_function(case),), np.array(wrong)
    raise AssertionError("no function goes wrong")


def fault_of_test(exercise, cases, found):
    """(what is wrong with a test that was written, None); None where nothing is."""
    if found[-1].error:
        return found[-1].error, None
    for case, result in zip(cases, found, strict=True):
        if case.name in RIGHT and result.arrays[0]:
            return f"it refuses {case.name} ({result.arrays[1]})", None
    missed, count = _missed(cases, found)
    if count - len(missed) >= exercise.needed:
        return None
    words = f"it finds {count - len(missed)} of {count} wrong functions"
    begun = "" if len(missed) < count else "not done yet: "
    return f"{begun}{words}, {exercise.needed} are needed", None


def score_of_test(cases, found):
    """What to add to "correct": how many it finds, and one that it doesn't."""
    missed, count = _missed(cases, found)
    words = f"; it finds {count - len(missed)} of {count} wrong functions"
    return words + (f"; not this one: {missed[0]}" if missed else "")


def _missed(cases, found):
    wrong = [
        (case.name, bool(result.arrays[0]))
        for case, result in zip(cases, found, strict=True)
        if case.name not in RIGHT
    ]
    return [name for name, refused in wrong if not refused], len(wrong)
