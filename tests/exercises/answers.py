"""Right answers as people write them, and wrong ones where no machine makes any.

`bank/NN_topic.txt` has those of a chapter in cells: texts that are judged, with the habits of their authors. A cell's
title says of what it is an answer, `# %% layer, right: tf`; the second one of a framework is `tf 2`. None differs from
the page's solution, or from another, by names alone. A cell `# %% layer, wrong` may hold lines that change the page's
solution in PyTorch: what no named mistake, in NumPy, can do.
The cells know the names that `made` gives them. `unseen.txt` has answers by somebody who knew the tasks and the
solutions, but none of the named mistakes.
Of functions, the wrong answers are those that a machine makes (`mutants.py`), and the named mistakes.
"""

import re
import textwrap
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from attn_course.core.frameworks import keras, tf, torch
from attn_course.exercises import EXERCISES, judge, softmax
from attn_course.exercises.engine import checking, judge as judging
from attn_course.exercises.engine.judge import from_text
from attn_course.exercises.engine.sources import cells, changed, source_of

BANK = Path(__file__).parent / "bank"
# Answers that aren't compared with a solution: a test, weights set by hand, a call that is read.
OTHERS = [name for name, each in EXERCISES.items() if each.kind in ("test", "open", "read")]
FUNCTIONS = [name for name, each in EXERCISES.items() if each.kind != "module" and name not in OTHERS]
MODULES = [name for name, each in EXERCISES.items() if each.kind == "module"]
EVERY_LAYER = (("return ", "own = "), ("torch.nn.Parameter", "(lambda x: x)"))


def _read():
    """(name, "right" or "wrong") -> [(the rest of the title, code)]."""
    found = {}
    folders = {place.parent.name: name.partition(".")[0] for name, place in EXERCISES.places.items()}
    for folder, prefix in folders.items():
        for title, code in cells((BANK / f"{folder}.txt").read_text(encoding="utf-8"))[1]:
            head, _, rest = title.partition(": ")
            name, kind = head.split(", ")
            found.setdefault((f"{prefix}.{name}", kind), []).append((rest, code))
    return found


ANSWERS = _read()
RIGHT = {name: dict(ANSWERS.get((name, "right"), ())) for name in EXERCISES}
WRONG = {name: ANSWERS[name, "wrong"] for name in MODULES + OTHERS}


def made(text, more=()):
    """The function or class of a text; ``more`` are names that it uses."""
    space = {"np": np, "softmax": softmax, "torch": torch, "tf": tf, "keras": keras, **dict(more)}
    if text.startswith(("lambda", "(lambda")):
        return eval(text.strip(), space)
    exec(text, space)
    for name in ("f", "Own"):
        if name in space:
            return space[name]
    return space[re.findall(r"^(?:def|class) (\w+)|^(\w+) = ", text, re.MULTILINE)[-1][0]]


def right_answers(name):
    """(framework, answer): the page's solutions, and those of other people."""
    exercise = EXERCISES[name]
    answers = [(framework, from_text(text)) for framework, text in exercise.answers.items()]
    if exercise.kind != "module":
        answers.append(("numpy", exercise.solution))
    return answers + [(key.split()[0], made(text)) for key, text in RIGHT[name].items()]


def wrong_layers(name):
    """Each wrong answer to a layer as it is written -> the class."""
    base, answers = EXERCISES[name].answers["torch"], {}
    for _, code in WRONG[name]:
        text = code if re.match(r"def|class", code) and not code.endswith("    ...\n") else changed(base, code)
        answers[code] = made(text) if "class Own" in text else from_text(text)
    return answers | {edit[0]: from_text(base.replace(*edit)) for edit in EVERY_LAYER}


def unseen():
    """(name, "right" or "wrong", framework, answer) of each: the whole of it, its last method, or lines that differ."""
    for title, code in cells((Path(__file__).parent / "unseen.txt").read_text(encoding="utf-8"))[1]:
        name, kind, framework = re.split(", |: ", title)
        base = EXERCISES[name].answers.get(framework) or source_of(EXERCISES[name].solution)
        if code.startswith(("def forward(", "def call(")):
            code = base[: base.rindex("    def ")] + textwrap.indent(code, "    ")
        elif not code.startswith("def "):
            code = changed(base, code)
        yield name, kind, framework, made(code)


SOLUTIONS = {exercise.solution for exercise in EXERCISES.values()}


@cache
def _drawn(name, seed, single):
    return judging.draw_cases(EXERCISES[name], seed, "torch" if single else "numpy")


def _drawn_once(exercise, seed, framework):
    """The same cases for every answer; both frameworks have those in float32. What an answer gets is a copy."""
    return _drawn(exercise.name, seed, framework != "numpy")


def _once(function):
    """What a solution gives in a drawn case, and how far an answer may be off there: asked for once."""
    found = {}

    def ask(call, solution, case, *more):
        if solution not in SOLUTIONS:
            return function(call, solution, case, *more)
        key = solution, case.name, case.single, id(case.arguments)
        if key not in found:  # with the arguments, which keep their place in memory
            found[key] = function(call, solution, case, *more), case.arguments
        return found[key][0]

    return ask


JUDGED = {
    (checking, "draw_cases"): _drawn_once,
    **{(judging, name): _once(getattr(judging, name)) for name in ("expected", "bounded")},
}


def told(name, answer, seed, framework="numpy"):
    """None for an answer that passes, else what it is told."""
    exercise = EXERCISES[name]
    if exercise.kind == "predict":
        answer = (1.0, answer)
    with pytest.MonkeyPatch.context() as patch:
        for (module, function), once in JUDGED.items():
            patch.setattr(module, function, once)
        return judge(exercise, answer, framework, seed)[0]


def specific(words):
    """Whether it is told what the mistake is, not only the first number that differs."""
    named = "in place", "axis of size 1 is lost", "the dtype is"
    named += "gets none", "no trainable parameter", " has the shape ", "it returns a "
    return "case " not in words or any(each in words for each in named)
