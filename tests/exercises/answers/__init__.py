"""Right and wrong answers to every exercise, as people write them; one file per chapter or project.

RIGHT: name of the exercise -> framework -> text; a second one of a framework is called "numpy 2" and so on.
WRONG: name of the exercise -> wrong answers: edits (old, new), and whole ones. An edit changes the first right
    answer in NumPy, and of a layer the page's solution in PyTorch.
A text is a lambda, or it defines ``f``, or ``Own`` where it is a layer.
"""

import importlib
import pkgutil
import textwrap

import numpy as np

from attn_course.exercises import EXERCISES, judge, softmax
from attn_course.exercises.judge import from_text
from attn_course.frameworks import keras, tf, torch

RIGHT, WRONG = {}, {}
for _, module, _ in pkgutil.iter_modules(__path__):
    chapter = importlib.import_module(f"{__name__}.{module}")
    RIGHT |= chapter.RIGHT
    WRONG |= chapter.WRONG

FUNCTIONS = [name for name, each in EXERCISES.items() if each.kind != "module"]
MODULES = [name for name, each in EXERCISES.items() if each.kind == "module"]
EVERY_LAYER = (("return ", "own = "), ("torch.nn.Parameter", "(lambda x: x)"))


def made(text):
    """The function or class of a text."""
    text = textwrap.dedent(text).strip()
    space = {"np": np, "softmax": softmax, "torch": torch, "tf": tf, "keras": keras}
    if text.startswith("lambda"):
        return eval(text, space)
    exec(text, space)
    return space["Own" if "class Own" in text else "f"]


def right_answers(name):
    """(framework, answer): the page's solutions, and those of other people."""
    exercise = EXERCISES[name]
    answers = [(framework, from_text(text)) for framework, text in exercise.answers.items()]
    if exercise.kind != "module":
        answers.append(("numpy", exercise.solution))
    return answers + [(key.split()[0], made(text)) for key, text in RIGHT[name].items()]


def wrong_answers(name):
    """Each wrong answer as it is written -> the function or class."""
    if name in FUNCTIONS:
        base, make, edits = textwrap.dedent(RIGHT[name]["numpy"]), made, WRONG[name]
    else:
        base, make, edits = EXERCISES[name].answers["torch"], from_text, [*WRONG[name], *EVERY_LAYER]
    answers = {}
    for edit in edits:
        if isinstance(edit, str):
            answers[edit] = made(edit)
        else:
            assert edit[0] in base, f"{name}: no such text in the right answer: {edit[0]}"
            answers[edit] = make(base.replace(*edit))
    return answers


def told(name, answer, seed, framework="numpy"):
    """None for an answer that passes, else what it is told."""
    exercise = EXERCISES[name]
    if exercise.kind == "predict":
        answer = (1.0, answer)
    return judge(exercise, answer, framework, seed)[0]


def specific(words):
    """Whether it is told what the mistake is, not only the first number that differs."""
    named = "in place", "axis of size 1 is lost", "the dtype is"
    return "case " not in words or any(each in words for each in named)
