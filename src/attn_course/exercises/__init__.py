"""Exercises with feedback: ``check(name, answer)`` says what is right, or what is not.

An answer is called on a fixed list of kinds of cases (`engine.exercise.WORDS` and
`fixed_cases` there), whose numbers and sizes are drawn anew in every run. If it
differs, it is compared with the mistakes that people make, and with pairs of them; one
is named only when it explains every case. Otherwise the case that says most and the
first number that differs are shown, with the seed that repeats them; ``case(name)``
hands it over. PyTorch and TensorFlow get float32, as is usual there.

Public exercises are for practice. Their solutions stand in this package, so they can't
serve as an exam, whatever the grader does.

Each exercise is a file in cells in `bank`; `engine.files` says what they hold.
"""

from attn_course.exercises.engine.checking import case, check, hint, judge, shown, yours
from attn_course.exercises.engine.exercise import Case, softmax
from attn_course.exercises.engine.files import EXERCISES
from attn_course.exercises.engine.progress import progress

__all__ = [
    "EXERCISES",
    "Case",
    "case",
    "check",
    "hint",
    "judge",
    "progress",
    "shown",
    "softmax",
    "yours",
]
