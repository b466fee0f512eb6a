"""A skeleton for a new chapter, with its line in _toc.yml and in the map of book/intro.md.

    python3 tools/new_chapter.py low_rank

Writes book/NN_NAME.md with the next free number. Nothing that exists is overwritten. `make notebooks` refuses the
chapter while a TODO is left. Needs Python alone.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from new_mechanism import ROOT, check_name, fill, places

LONGEST = 30
# Every place that is written by hand, and what stands there. CONTRIBUTING.md has the same list.
PLACES = (
    ("book/{name}.md", "the text, in place of every TODO, under the headings that the skeleton has"),
    ("book/intro.md", "its row in the map, which the skeleton puts at the end: what it adds, after which chapter"),
    ("_toc.yml", "its line, which the skeleton puts behind the last chapter: move it where it belongs"),
    ("book/teaching.md", "its row: what a student can do afterwards, minutes to read and for the exercises"),
    ("book/glossary.md", "its terms"),
    ("book/references.bib", "its papers"),
)
NEXT = """\
By hand; make notebooks refuses the chapter while a TODO is left:
{places}
Then: make notebooks CH={number} and make book.
"""


def next_number(root: Path) -> str:
    """The number after the last chapter's, two digits."""
    numbers = [int(path.stem[:2]) for path in (root / "book").glob("[0-9][0-9]_*.md")]
    return f"{max(numbers, default=-1) + 1:02}"


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
    """The first page with a row for the new chapter at the end of its map: a branch of the last core chapter."""
    found = re.search(r"(?ms)^(:{3,})\{course-map\}\n(?P<rows>.*?)^\1$", intro)
    core = re.findall(r"(?m)^(\d+) \| \w+ \| core \|", found["rows"]) if found else []
    if not core:
        raise ValueError("book/intro.md has no map of chapters, so the new one has no place: add it by hand")
    row = f"{int(chapter[:2])} | {chapter} | after {core[-1]} | 3 | TODO: what {title} adds\n"
    return intro[: found.end("rows")] + row + intro[found.end("rows") :]


def make(root: Path, name: str) -> list[Path]:
    """Write the skeleton. Raises ValueError, before anything is written, for a name that can't be used."""
    check_name(name, LONGEST)
    if taken := [*root.glob(f"book/[0-9][0-9]_{name}.md")]:
        raise ValueError(f"{taken[0].relative_to(root)} exists: choose another NAME")
    chapter, toc, intro = (
        root / "book" / f"{next_number(root)}_{name}.md",
        root / "_toc.yml",
        root / "book" / "intro.md",
    )
    listed = add_to_toc(toc.read_text(encoding="utf-8"), f"book/{chapter.name}")
    first = add_to_map(intro.read_text(encoding="utf-8"), chapter.stem, name.replace("_", " "))
    for path, text in {chapter: fill("chapter.md.txt", name), toc: listed, intro: first}.items():
        path.write_text(text, encoding="utf-8")
    return [chapter, toc, intro]


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
    print(NEXT.format(number=made[0].name[:2], places=places(made[0].stem, PLACES)), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
