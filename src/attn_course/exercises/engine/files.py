"""Exercises as files in cells, each read when it is asked for.

``bank/04_dot_product/attention.py`` is 04.attention. What stands before its first
cell is run with the names of `HEAD`, and says what the exercise is:

- its docstring: the statement, then the three hints, ``1. ``, ``2. `` and ``3. ``;
- ``title``, ``level``, ``minutes``, ``before``, what it builds on; ``kind``, where it
  is not "write"; of a prediction ``predict``, in words, and ``ask``; of a test ``of``
  and ``needed``; ``uses``, parts of the project that a solution in a framework calls;
  ``usual``, which mistakes of `USUAL` can be made in the solution; ``above``, the
  functions that its starter begins with, as those that are to be reviewed;
- ``cases(rng)``; of the kind "open" ``measure(results, *arguments)``, which gives what
  is compared; of the kind "read" ``measure(framework, *arguments)``, the call itself.

The cells are texts, which know the names of `SPACE`:

- ``# %% solution``, in NumPy; ``# %% solution: torch`` and ``: tf`` where there are
  such. A line ``...  # comment`` is where the starter ends: what follows it in its
  block is the solution's alone. In a project's starter the function is called ``my_``.
- ``# %% starter``, ``# %% starter: torch``: where it is no cut of the solution (a bug):
  the whole, or the solution's lines that differ.
- ``# %% mistake: what is wrong``: the lines that differ (`sources.changed`), or the
  whole function; one named ``instead`` replaces the solution. ``# %% mistakes``: what
  such functions share.

``chapter.toml`` beside the files has their ``order`` in the strings of `progress`, and
``page``, that of the page, where it is another. An exercise is called after its
chapter's number; a project's ``chapter.toml`` says another ``prefix``, and ``after``,
the number of the chapter that it stands behind. Right answers of people stand in the
repository's tests.
"""

import inspect
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from attn_course.exercises.engine.exercise import (
    Case,
    Exercise,
    additive_behind,
    afterwards,
    behind,
    cleared,
    fixed_cases,
    layer_weights,
    lengths_mask,
    normals,
    of_layer,
    pooled_behind,
    scaled,
    sized,
    softmax,
    steep,
    strong,
    unsafe_softmax,
    weak,
)
from attn_course.exercises.engine.run import Refused, Table, one_of, reviewed
from attn_course.exercises.engine.sources import (
    cells,
    changed,
    starter_of,
    without_marks,
)

BANK = Path(__file__).parents[1] / "bank"
SPACE = {"np": np, "erf": np.vectorize(math.erf, otypes=[float])}
SPACE |= {each.__name__: each for each in (softmax, unsafe_softmax, afterwards)}
HEAD = (Case, additive_behind, behind, cleared, fixed_cases, layer_weights)
HEAD += (lengths_mask, normals, of_layer, pooled_behind, scaled, sized, softmax)
HEAD += (steep, strong, weak, Refused, Table, one_of, reviewed)
HEAD = {"np": np, **{each.__name__: each for each in HEAD}}
_IN = r"((?:[^()]|\([^()]*\))+)"  # what stands within parentheses
_MASK = r"(\w+(?:\[[^\]]*\])?|np\.tri\(\w+, dtype=bool\))"
_BLOCKED, _ROOT = r"(np\.where\(.*), -np\.inf\)", rf" / np\.sqrt\({_IN}\)"
# Mistakes that most softmaxes allow: what is wrong; what it replaces, by what.
USUAL = {
    "overflow": (
        "exp of a large score overflows: subtract each row's largest one first",
        r"\bsoftmax\(",
        "unsafe_softmax(",
    ),
    "afterwards": (
        "the mask comes after the softmax, and the rest is brought to 1 again: "
        "block the scores before",
        rf"softmax\(np\.where\({_MASK}, score, -np\.inf\)\)",
        r"afterwards(score, \1)",
    ),
    "zero": (
        "blocked scores are set to 0, which is a score like any other",
        _BLOCKED,
        r"\1, 0)",
    ),
    "-50": ("-50 is no low score: an allowed one may be lower", _BLOCKED, r"\1, -50)"),
    "-1e4": (
        "-1e4 is no low score: an allowed one may be lower",
        _BLOCKED,
        r"\1, -1e4)",
    ),
    "inverted": (
        "the mask is inverted: True is a token",
        r"np\.where\((?=.*-np\.inf)",
        "np.where(~",
    ),
    "unscaled": ("the scale is missing", _ROOT, ""),
    "rootless": ("the scores are divided by K; it is the root of K", _ROOT, r" / \1"),
    "width": ("the scale is the root of the width, not the width", _ROOT, r" / \1"),
    "keys": (
        "the scores are divided by the root of the number of keys; it is K's",
        _ROOT,
        r" / np.sqrt(key.shape[-2])",
    ),
    "causal": (
        "it is causal: no position sees those behind it, which nobody asked for",
        rf"\bsoftmax\({_IN}\)",
        r"softmax(np.where(np.tri(*(\1).shape[-2:], dtype=bool), \1, -np.inf))",
    ),
    "queries": (
        "the softmax runs over the queries",
        rf"\bsoftmax\({_IN}\)",
        r"softmax(\1, axis=-2)",
    ),
}


def _run(code, path, space, text=""):
    """``space`` with what the code defines; its lines are counted as in ``text``."""
    above = "\n" * text[: max(text.find(code), 0)].count("\n")
    exec(compile(above + code, str(path), "exec"), space)
    return space


def _by_kind(parts, path):
    """kind of cell -> {what its title says after the colon: its code}."""
    kinds = {"solution": {}, "starter": {}, "mistake": {}, "mistakes": {}}
    for title, code in parts:
        kind, _, rest = title.partition(": ")
        if kind not in kinds:
            raise ValueError(f"{path}: a cell is one of {', '.join(kinds)}: {title!r}")
        kinds[kind][rest or "numpy"] = code
    return kinds


@cache
def load(path):
    """The `Exercise` of a file."""
    text = path.read_text(encoding="utf-8")
    first, parts = cells(text)
    about = _run(first, path, {**HEAD, "__name__": f"cases of {path.stem}"})
    prose = re.split(r"^[123]\. ", about["__doc__"], flags=re.MULTILINE)
    statement, *hints = (" ".join(each.split()) for each in prose)
    facts = {each.name for each in fields(Exercise)} & about.keys()
    kinds = _by_kind(parts, path)
    texts, own = kinds["solution"], without_marks(kinds["solution"]["numpy"])
    name = re.findall(r"^def (\w+)", own, re.MULTILINE)[-1]
    solution = _run(own, f"{path}: the solution", dict(SPACE))[name]
    solution.source = own
    others = {key: each for key, each in texts.items() if key != "numpy"}
    for name in reversed(about.get("uses", ())):
        shared = cells(path.with_stem(name).read_text(encoding="utf-8"))[1]
        for key in others:
            one = dict(shared)[f"solution: {key}"]
            others[key] = f"{one}\n\n{others[key]}"
    return Exercise(
        name=f"{prefix_of(path.parent)}.{path.stem}",
        **{fact: about[fact] for fact in facts},
        statement=statement,
        hints=tuple(hints),
        solution=solution,
        mistakes=Mistakes(path, text, kinds, solution, about.get("usual", "").split()),
        starters=_starters(kinds["starter"], others or texts, about),
        answers={key: without_marks(each) for key, each in others.items()},
    )


def _starters(own, texts, about):
    starters = {key: starter_of(text) for key, text in texts.items()}
    for key, text in own.items():
        whole = text.startswith(("def ", "class "))
        starters[key] = text if whole else changed(without_marks(texts[key]), text)
    if about.get("kind") == "part":
        for key, text in starters.items():
            last = text[text.rindex("def ") :]
            starters[key] = re.sub(r"^def (\w+)_\w+\(", r"def my_\1(", last)
    if "above" in about:
        head = "".join(map(inspect.getsource, about["above"]))
        starters = {key: f"{head}\n{text}" for key, text in starters.items()}
    if "predict" in about:
        head = f"prediction = ...  # {about['predict']}\n\n"
        starters = {key: head + text for key, text in starters.items()}
    return starters


class Mistakes(Mapping):
    """Words -> source or function, in the order of the file; made when first asked."""

    def __init__(self, path, text, kinds, solution, usual):
        self.path, self.text, self.kinds = path, text, kinds
        self.solution, self.usual = solution, usual

    @cached_property
    def found(self):
        """All of them."""
        space = {**SPACE, self.solution.__name__: self.solution}
        for shared in self.kinds["mistakes"].values():
            _run(shared, self.path, space, self.text)
        codes = self.kinds["mistake"].items()
        found = {words: self._one(code, space) for words, code in codes}
        for words, place, instead in (USUAL[key] for key in self.usual):
            found[words] = re.sub(place, instead, self.solution.source, count=1)
        return found

    def _one(self, code, space):
        if code.startswith(("def instead(", "instead = ")):
            return _run(code, self.path, dict(space), self.text)["instead"]
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
    """name -> `Exercise`, in the order of the pages.

    bits: prefix -> its names, in the order in which `progress` counts them.
    """

    def __init__(self, root=BANK):
        self.places, self.bits = {}, {}
        folders = [path.parent for path in root.glob("*/chapter.toml")]
        for folder in sorted(folders, key=_place):
            prefix = prefix_of(folder)
            if prefix in self.bits:
                raise ValueError(f"{folder}: another chapter has the prefix {prefix!r}")
            chapter = _chapter(folder)
            self.bits[prefix] = [f"{prefix}.{name}" for name in chapter["order"]]
            for name in dict.fromkeys([*chapter.get("page", ()), *chapter["order"]]):
                self.places[f"{prefix}.{name}"] = folder / f"{name}.py"

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
