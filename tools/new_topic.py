"""A skeleton for a new mechanism: its folder in the package, its chapter and its test.

    python tools/new_topic.py rotary_memory

Writes src/attn_course/NAME/{__init__,reference,pytorch,tf}.py, book/NN_NAME.md with the next free number
(with its line in _toc.yml and in the map of book/intro.md) and tests/topics/test_NAME.py. Nothing that exists is
overwritten.
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = ROOT / "tools" / "templates"
LONGEST = 30  # a longer name leaves no room on a line of code
NEXT = """\
Next, and the test fails until it is done:
  1. the paper's formula in src/attn_course/{name}/reference.py, and an example by hand in
     tests/topics/test_{name}.py
  2. the same in pytorch.py and tf.py, names and order alike
  3. .venv/bin/python -m pytest tests/topics/test_{name}.py
  4. a line in src/attn_course/{{reference,pytorch,tf}}.py, the names in book/api.md, a row in
     src/attn_course/catalog.py and a Case in tests/contract/cases.py
  5. the text of {chapter}, its row in the maps of book/intro.md and book/teaching.md, its terms in
     book/glossary.md, its papers in book/references.bib; then make notebooks CH={number} and make book
"""


def next_number(root: Path) -> str:
    """The number after the last chapter's, two digits."""
    numbers = [int(path.stem[:2]) for path in (root / "book").glob("[0-9][0-9]_*.md")]
    return f"{max(numbers, default=-1) + 1:02}"


def files(root: Path, name: str) -> dict[Path, str]:
    """Each template and the file that is made from it."""
    package = root / "src" / "attn_course" / name
    parts = ("__init__", "reference", "pytorch", "tf")
    made = {package / f"{part}.py": f"{part}.py.txt" for part in parts}
    made[root / "book" / f"{next_number(root)}_{name}.md"] = "chapter.md.txt"
    made[root / "tests" / "topics" / f"test_{name}.py"] = "test.py.txt"
    return made


def fill(template: str, name: str) -> str:
    """The template's text for one topic."""
    words = name.split("_")
    marks = {
        "@NAME@": name,
        "@CLASS@": "".join(word.capitalize() for word in words) + "Layer",
        "@TITLE@": " ".join(words).capitalize(),
        "@LABEL@": "-".join(words),
    }
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    for mark, word in marks.items():
        text = text.replace(mark, word)
    return text


def add_to_toc(toc: str, chapter: str) -> str:
    """The table of contents with a new chapter behind the last one."""
    lines = toc.splitlines()
    places = [i for i, line in enumerate(lines) if re.match(r"\s*- file: book/\d\d_", line)]
    if not places:
        raise ValueError("_toc.yml lists no chapter, so the new one has no place: add it by hand")
    indent = lines[places[-1]].partition("-")[0]
    lines.insert(places[-1] + 1, f"{indent}- file: {chapter}")
    return "\n".join(lines) + "\n"


def add_to_map(intro: str, chapter: str, title: str) -> str:
    """The first page with a row for the new chapter in its map, behind the last one before it."""
    number, lines = int(chapter[:2]), intro.splitlines()
    rows = [(i, re.match(r"\| (\d+) \| ", line)) for i, line in enumerate(lines)]
    places = [i for i, row in rows if row and int(row[1]) <= number]
    if not places:
        raise ValueError("book/intro.md has no map of chapters, so the new one has no place: add it by hand")
    lines.insert(places[-1] + 1, f"| {number} | {{doc}}`{chapter}` | branch | TODO: what {title} adds |")
    return "\n".join(lines) + "\n"


def make(root: Path, name: str) -> list[Path]:
    """Write the skeleton. Raises ValueError, before anything is written, for a name that can't be used."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise ValueError(f"NAME must be lower-case words joined by _, such as rotary_memory; got {name!r}")
    if len(name) > LONGEST:
        raise ValueError(f"NAME must have at most {LONGEST} characters, {name!r} has {len(name)}")
    package = root / "src" / "attn_course" / name
    if package.exists() or package.with_suffix(".py").exists():
        raise ValueError(f"attn_course.{name} exists: choose another NAME")
    made = files(root, name)
    if taken := [path for path in [*made, *root.glob(f"book/[0-9][0-9]_{name}.md")] if path.exists()]:
        raise ValueError(f"{taken[0].relative_to(root)} exists: choose another NAME")
    chapter = next(path for path in made if path.suffix == ".md")
    toc = add_to_toc((root / "_toc.yml").read_text(encoding="utf-8"), f"book/{chapter.name}")
    intro = root / "book" / "intro.md"
    first = add_to_map(intro.read_text(encoding="utf-8"), chapter.stem, name.replace("_", " "))
    for path, template in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fill(template, name), encoding="utf-8")
    (root / "_toc.yml").write_text(toc, encoding="utf-8")
    intro.write_text(first, encoding="utf-8")
    return [*made, root / "_toc.yml", intro]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="lower-case words joined by _")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        made = make(options.root, options.name)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for path in made:
        print(path.relative_to(options.root))
    chapter = next(path for path in made if path.suffix == ".md")
    print(NEXT.format(name=options.name, chapter=f"book/{chapter.name}", number=chapter.name[:2]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
