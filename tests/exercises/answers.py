"""Right and wrong answers to every exercise, as people write them: `bank/NN_topic/NAME/right.py` and `wrong.py`.

A cell of right.py is an answer; its title is the framework, and a second one of a framework is called "numpy 2".
A cell of wrong.py is an answer too, or lines that change the first right one in NumPy (of a layer: the page's
solution in PyTorch).
"""

import json
import re
from pathlib import Path

import numpy as np

from attn_course.core.frameworks import keras, tf, torch
from attn_course.exercises import EXERCISES, judge, softmax
from attn_course.exercises.engine.judge import from_text
from attn_course.exercises.engine.sources import cells, changed

BANK = Path(__file__).parent / "bank"
# Answers that aren't compared with a solution: a test, weights set by hand, a call that is read.
OTHERS = [name for name, each in EXERCISES.items() if each.kind in ("test", "open", "read")]
FUNCTIONS = [name for name, each in EXERCISES.items() if each.kind != "module" and name not in OTHERS]
MODULES = [name for name, each in EXERCISES.items() if each.kind == "module"]
# name -> how many of its wrong answers are told what they are, of how many
SHARES = json.loads((BANK / "shares.json").read_text(encoding="utf-8"))
EVERY_LAYER = (("return ", "own = "), ("torch.nn.Parameter", "(lambda x: x)"))


def _cells(name, file):
    place = EXERCISES.places[name]
    path = BANK / place.parent.name / place.name / file
    return cells(path.read_text(encoding="utf-8"))[1]


RIGHT = {name: dict(_cells(name, "right.py")) for name in EXERCISES}


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


def wrong_answers(name):
    """Each wrong answer as it is written -> the function or class."""
    layer = name in MODULES
    base = EXERCISES[name].answers["torch"] if layer else RIGHT[name]["numpy"]
    answers = {}
    for _, code in _cells(name, "wrong.py"):
        whole = re.match(r"(def|class|lambda|\(lambda)\b", code) and not code.endswith("    ...\n")
        text = code if whole else changed(base, code)
        answers[code] = from_text(text) if layer and "class Own" not in text else made(text)
    if layer:
        answers |= {edit[0]: from_text(base.replace(*edit)) for edit in EVERY_LAYER}
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
    named += "gets none", "no trainable parameter", " has the shape ", "it returns a "
    return "case " not in words or any(each in words for each in named)
