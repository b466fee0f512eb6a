"""A skeleton for a new exercise: its file in the bank, and cells for right answers in the tests.

    python tools/new_exercise.py 04.total

Writes src/attn_course/exercises/bank/04_TOPIC/total.py, puts the name at the end of the chapter's order, and cells at
the end of tests/exercises/bank/04_TOPIC.py. Nothing that exists is overwritten. The tests refuse a TODO that is left.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path

from new import ROOT, TEMPLATES

BANK = Path("src/attn_course/exercises/bank")
ANSWERS = Path("tests/exercises/bank")
# Every place that is written by hand, and what stands there. docs/exercises.md has the same list.
PLACES = (
    (
        f"{BANK}/{{topic}}/{{name}}.py",
        "statement, three hints, level and minutes; cases; solution, with a mark `...  # shapes` where the starter "
        "ends; cells `# %% mistake: what is wrong`, each with the wrong line as a learner types it",
    ),
    (
        f"{BANK}/{{topic}}/chapter.toml",
        "its name, which the skeleton puts at the end, where the strings of `progress()` count on it",
    ),
    (f"{ANSWERS}/{{topic}}.py", "right answers as people write them, at least one a framework; wrong ones of a layer"),
    ("book", "on the chapter's page, before its summary: the cells that the skeleton prints"),
)
NEXT = """\
By hand; the tests refuse the files while a TODO is left:
{places}
Then: .venv/bin/python -m pytest tests/exercises -k {full}
The cells of the page:

{page}"""


def fill(template: str, full: str) -> str:
    """A template's text for ``04.total``."""
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    return text.replace("@FULL@", full).replace("@NAME@", full.partition(".")[2])


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
    orders = [path for path in (root / BANK).glob("*/chapter.toml") if prefix_of(path) == number]
    if len(orders) != 1:
        raise ValueError(f"no chapter {number} has exercises: make {BANK}/{number}_TOPIC/chapter.toml, order = []")
    (order,) = orders
    path, answers = order.parent / f"{name}.py", root / ANSWERS / f"{order.parent.name}.py"
    if path.exists():
        raise ValueError(f"there is {path.relative_to(root)} already")
    text = order.read_text(encoding="utf-8")
    longer = re.sub(r"(,?)\s*\](\s*)\Z", lambda end: f', "{name}"]{end[2]}', text).replace("[, ", "[")
    order.write_text(longer, encoding="utf-8")
    path.write_text(fill("exercise.py.txt", full), encoding="utf-8")
    answers.touch()
    text = answers.read_text(encoding="utf-8") or "import numpy as np\nimport tensorflow as tf\n"
    answers.write_text(text + fill("exercise_answers.py.txt", full), encoding="utf-8")
    return [path, order, answers]


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
    listed = places(made[0].stem, made[0].parent.name)
    print(NEXT.format(places=listed, full=full, page=fill("exercise.md.txt", full)), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
