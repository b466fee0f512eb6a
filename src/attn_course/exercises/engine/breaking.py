"""Exercises whose answer is a test: it is run on a right function and on wrong ones."""

import warnings
from itertools import islice

from attn_course.exercises.engine.exercise import known_mistakes
from attn_course.exercises.engine.run import limited

SECONDS = 5.0  # for the test of one function


def _refusal(test, function):
    """Why the test refuses the function, in words; "" where it lets it pass."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            limited(lambda: test(function), SECONDS)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too
        return f"{type(error).__name__}: {error}"[:200].strip(": \n")
    return ""


def judge_test(exercise, tested, test):
    """(what is wrong, or None; what to add to "correct") of a test that was written.

    tested: the exercise whose known mistakes the test has to find.
    """
    words = _refusal(test, tested.solution)
    if words:
        return f"not yet: it refuses a right function ({words})", ""
    wrong = islice(known_mistakes(tested), len(tested.mistakes))
    missed = [words for words, function in wrong if not _refusal(test, function)]
    count = len(tested.mistakes)
    score = f"it finds {count - len(missed)} of {count} wrong functions"
    if count - len(missed) < exercise.needed:
        return f"not yet: {score}, {exercise.needed} are needed", ""
    return None, f"; {score}" + (f"; not this one: {missed[0]}" if missed else "")
