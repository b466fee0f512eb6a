"""Exercises as folders of plain files, each read when it is asked for.

``bank/04_dot_product/attention/``:

- ``exercise.toml``: title, level, minutes, kind, before, statement, hints.
- ``solution.py``: the function; of a layer ``# %% numpy``, ``# %% torch``, ``# %% tf``.
  A line ``...  # comment`` is where the starter ends: what follows it in its block is
  the solution's alone. Where the starter is no cut (a bug), there is ``starter.py``.
- ``cases.py``: ``cases(rng)``; of a prediction ``ASK``; of the kind "open"
  ``measure(results, *arguments)``, which gives what is compared; of the kind "read"
  ``measure(framework, *arguments)``, the library's call.
- ``mistakes.py``: cells ``# %% what is wrong``, each with the lines that differ
  (`sources.changed`); a function named ``instead`` replaces the solution.

``chapter.toml`` beside the folders has their order. An exercise is called after its
chapter's number, ``04.attention``; a project's ``chapter.toml`` says another
``prefix``, and ``after``, the number of the chapter that it stands behind. Right and
wrong answers of people stand in the repository's tests.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from attn_course.exercises.engine.exercise import (
    Exercise,
    afterwards,
    softmax,
    unsafe_softmax,
)
from attn_course.exercises.engine.sources import (
    cells,
    changed,
    starter_of,
    without_marks,
)

BANK = Path(__file__).parents[1] / "bank"
SPACE = {
    "np": np,
    "softmax": softmax,
    "unsafe_softmax": unsafe_softmax,
    "afterwards": afterwards,
}


def _run(text, path, space):
    exec(compile(text, str(path), "exec"), space)
    return space


def _from_first_def(text):
    return text[text.index("def ") :]


@cache
def load(folder):
    """The `Exercise` of a folder."""
    data = tomllib.loads((folder / "exercise.toml").read_text(encoding="utf-8"))
    path = folder / "solution.py"
    first, parts = cells(path.read_text(encoding="utf-8"))
    texts = dict(parts) or {"numpy": _from_first_def(first)}
    own = without_marks(texts["numpy"])
    name = re.findall(r"^def (\w+)", own, re.MULTILINE)[-1]
    solution = _run(own, path, dict(SPACE))[name]
    solution.source = own
    space = {"__name__": f"cases of {folder.name}", "cases": None}
    if (folder / "cases.py").exists():  # an exercise that asks for a test has none
        text = (folder / "cases.py").read_text(encoding="utf-8")
        _run(text, folder / "cases.py", space)
    others = {key: text for key, text in texts.items() if key != "numpy"}
    return Exercise(
        name=f"{prefix_of(folder.parent)}.{folder.name}",
        title=data.get("title", ""),
        level=data["level"],
        minutes=data["minutes"],
        kind=data.get("kind", "write"),
        before=data["before"],
        statement=" ".join(data["statement"].split()),
        hints=tuple(" ".join(each.split()) for each in data["hints"]),
        cases=space["cases"],
        ask=space.get("ASK", ()),
        solution=solution,
        mistakes=Mistakes(folder / "mistakes.py", solution),
        starters=_starters(folder, data, others or texts),
        measure=space.get("measure"),
        of=data.get("of", ""),
        needed=data.get("needed", 0),
        answers={key: without_marks(text) for key, text in others.items()},
    )


def _starters(folder, data, texts):
    starters = {key: starter_of(text) for key, text in texts.items()}
    path = folder / "starter.py"
    if path.exists():
        first, parts = cells(path.read_text(encoding="utf-8"))
        starters = dict(parts) or {"numpy": _from_first_def(first)}
    if "predict" in data:
        head = f"prediction = ...  # {data['predict']}\n\n"
        starters = {key: head + text for key, text in starters.items()}
    return starters


class Mistakes(Mapping):
    """Words -> source or function, in the order of the file, which is read at first."""

    def __init__(self, path, solution):
        self.path, self.solution = path, solution

    @cached_property
    def found(self):
        """All of them."""
        if not self.path.exists():
            return {}
        first, parts = cells(self.path.read_text(encoding="utf-8"))
        space = {**SPACE, self.solution.__name__: self.solution}
        _run(first, self.path, space)
        return {words: self._one(code, space) for words, code in parts}

    def _one(self, code, space):
        if code.startswith("def instead("):
            return _run(code, self.path, dict(space))["instead"]
        whole = code.startswith(f"def {self.solution.__name__}(")
        if whole and "    ...\n" not in code:
            return code
        return changed(self.solution.source, code)

    def __getitem__(self, words):
        return self.found[words]

    def __iter__(self):
        return iter(self.found)

    def __len__(self):
        return len(self.found)


class Bank(Mapping):
    """name -> `Exercise`, in the order of each chapter's ``chapter.toml``."""

    def __init__(self, root=BANK):
        self.places, known = {}, set()
        folders = [path.parent for path in root.glob("*/chapter.toml")]
        for folder in sorted(folders, key=_place):
            prefix = prefix_of(folder)
            if prefix in known:
                raise ValueError(f"{folder}: another chapter has the prefix {prefix!r}")
            known.add(prefix)
            for name in _chapter(folder)["order"]:
                self.places[f"{prefix}.{name}"] = folder / name

    def __getitem__(self, name):
        return load(self.places[name])

    def __iter__(self):
        return iter(self.places)

    def __len__(self):
        return len(self.places)


def _chapter(folder):
    return tomllib.loads((folder / "chapter.toml").read_text(encoding="utf-8"))


def prefix_of(folder):
    """What the names of a chapter's exercises begin with."""
    return _chapter(folder).get("prefix", folder.name.split("_")[0])


def _place(folder):
    """A project stands behind the chapter that it builds on."""
    return _chapter(folder).get("after", folder.name.split("_")[0]), folder.name


EXERCISES = Bank()
