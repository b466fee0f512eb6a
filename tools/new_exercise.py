"""A skeleton for a new exercise: its folder in the bank and the one of its answers in the tests.

    python tools/new_exercise.py 04.total

Writes src/attn_course/exercises/bank/04_TOPIC/total/{exercise.toml,solution.py,cases.py,mistakes.py} and
tests/exercises/bank/04_TOPIC/total/{right,wrong}.py, and puts the name at the end of the chapter's order. Nothing that
exists is overwritten. The tests refuse the skeleton while a TODO is left in it.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path

from new import ROOT

BANK = Path("src/attn_course/exercises/bank")
ANSWERS = Path("tests/exercises/bank")
# Every place that is written by hand, and what stands there. docs/exercises.md has the same list.
PLACES = (
    (f"{BANK}/{{topic}}/{{name}}/exercise.toml", "level, minutes, what it builds on, statement, three hints"),
    (f"{BANK}/{{topic}}/{{name}}/solution.py", "the solution, with a mark `...  # shapes` where the starter ends"),
    (f"{BANK}/{{topic}}/{{name}}/cases.py", "the arguments of its calls"),
    (
        f"{BANK}/{{topic}}/{{name}}/mistakes.py",
        "cells `# %% what is wrong`, each with the wrong line as a learner types it",
    ),
    (
        f"{BANK}/{{topic}}/chapter.toml",
        "its name, which the skeleton puts at the end, where the strings of `progress()` count on it",
    ),
    (f"{ANSWERS}/{{topic}}/{{name}}/right.py", "right answers as people write them, at least one per framework"),
    (f"{ANSWERS}/{{topic}}/{{name}}/wrong.py", "wrong ones, at least twelve"),
    (f"{ANSWERS}/shares.json", "how many of the wrong ones are told what is wrong, of how many: the test says it"),
    ("book", "on the chapter's page, before its summary: the cells that the skeleton prints"),
)
EXERCISE = '''\
title = "TODO: what it is about"
level = 1
minutes = 10
before = "TODO: what it builds on, as 04.attention"
statement = """
TODO: what to write, `{name}(x)`, with the shape of every argument and of the result.
"""
hints = [
"TODO: the concept, as a question.",
"TODO: the line where it is decided.",
"TODO: nearly the code.",
]
'''
SOLUTION = """\
import numpy as np


def {name}(x):
    ...  # TODO: (T, K); return (T)
    return x.sum(axis=1)
"""
CASES = """\
from attn_course.exercises.engine.exercise import fixed_cases


def cases(rng):
    def draw(T, K):  # TODO: the arguments of a call of these sizes
        return (rng.normal(size=(T, K)),)

    return fixed_cases(rng, draw, 2, long=(0,))
"""
MISTAKES = """\
# %% TODO: what is wrong, in the learner's words: the line as they type it
return x.sum(axis=0)
"""
RIGHT = """\
# %% numpy
def f(x):
    return x @ np.ones(x.shape[1])  # TODO


# %% torch
lambda x: x.sum(1)  # TODO


# %% tf
lambda x: tf.reduce_sum(x, 1)  # TODO
"""
WRONG = """\
# %% TODO: at least twelve, each as somebody would write it
lambda x: x.sum(0)
"""
TEXTS = {
    BANK: {"exercise.toml": EXERCISE, "solution.py": SOLUTION, "cases.py": CASES, "mistakes.py": MISTAKES},
    ANSWERS: {"right.py": RIGHT, "wrong.py": WRONG},
}
BLOCK = """\
By hand; the tests refuse the files while a TODO is left:
{places}
Then: .venv/bin/python -m pytest tests/exercises -k {full}
The cells of the page:

### Exercise N: TITLE

Level 1, 10 minutes. STATEMENT

```{{code-cell}} ipython3
:tags: [exercise]
import numpy as np
from attn_course.exercises import check

STARTER

check("{full}", {name})
```

:::{{dropdown}} Hint
FIRST HINT More: `hint("{full}", 2)`, and 3, from `attn_course.exercises`.
:::

```{{code-cell}} ipython3
:tags: [solution]
import numpy as np
from attn_course.exercises import shown

SOLUTION

shown("{full}", {name})
```
"""


def places(name: str, topic: str) -> str:
    """The places as a numbered list."""
    named = [(path.format(name=name, topic=topic), what) for path, what in PLACES]
    return "\n".join(f"{number}. `{path}`: {what}" for number, (path, what) in enumerate(named, 1))


def prefix_of(chapter: Path) -> str:
    """The number of a chapter, or what a project's ``chapter.toml`` says."""
    own = tomllib.loads(chapter.read_text(encoding="utf-8"))
    return own.get("prefix", chapter.parent.name.split("_")[0])


def make(root: Path, full: str) -> list[Path]:
    """Write the skeleton of ``04.total``; returns the files. ValueError where that can't be."""
    match = re.fullmatch(r"(\d\d|[a-z]+)\.([a-z][a-z_]*)", full)
    if not match:
        raise ValueError(f"NAME must be a chapter and a word, as 04.total, got {full!r}")
    number, name = match.groups()
    chapters = [path.parent for path in (root / BANK).glob("*/chapter.toml") if prefix_of(path) == number]
    if len(chapters) != 1:
        raise ValueError(f"no chapter {number} has exercises: make {BANK}/{number}_TOPIC/chapter.toml, order = []")
    (chapter,) = chapters
    paths = {
        root / part / chapter.name / name / file: text.replace("{name}", name)
        for part, texts in TEXTS.items()
        for file, text in texts.items()
    }
    if taken := [path for path in paths if path.exists()]:
        raise ValueError(f"there is {taken[0].relative_to(root)} already")
    order = chapter / "chapter.toml"
    text = order.read_text(encoding="utf-8")
    longer = re.sub(r"(,?)\s*\](\s*)\Z", lambda end: f', "{name}"]{end[2]}', text).replace("[, ", "[")
    order.write_text(longer, encoding="utf-8")
    for path, content in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return [*paths, order]


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="a chapter and a word, as 04.total")
    full = parser.parse_args(arguments).name
    try:
        made = make(root, full)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for path in made:
        print(path.relative_to(root))
    name, topic = full.partition(".")[2], made[-1].parent.name
    print(BLOCK.format(full=full, name=name, places=places(name, topic)), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
