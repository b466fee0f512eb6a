"""What only the solutions of a chapter say, and where a folder or an archive of files says it too.

After make book, make slides and make epub, each with SOLUTIONS=no, this lists where they hold a line of a solution:

    python tests/solution_lines.py _build/html _build/slides _build/epub
"""

import html
import json
import re
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "book" / "_ext"))

from solutions import CELL, source_without, tags_of

ROOT = Path(__file__).resolve().parents[1]


def only_in_solutions(text):
    """Lines of 20 signs or more that stand in cells tagged `solution` of a chapter's .md, and nowhere else in it."""
    cells = [found["body"] for found in CELL.finditer(text) if "solution" in tags_of(found["body"])]
    others = squeezed(source_without(text))
    lines = {squeezed(line) for cell in cells for line in cell.splitlines() if not line.startswith((":", "---"))}
    return {line for line in lines if len(line) >= 20 and line not in others}


def squeezed(text):
    return re.sub(r"\s+", "", text)


def texts(root):
    """Name and text of all files of a folder, of those in archives (an e-book is one) too."""
    for path in sorted(root.rglob("*")):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    yield f"{path.name}/{name}", archive.read(name).decode("utf-8", "ignore")
        elif path.is_file():
            yield str(path.relative_to(root)), path.read_text(encoding="utf-8", errors="ignore")


def plain(name, text):
    """A file's text as it is read: highlighted code without its spans, a notebook's cells alone."""
    if name.endswith((".html", ".xhtml")):
        text = html.unescape(re.sub(r"<[^>]*>", "", text))
    elif name.endswith(".ipynb"):
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return squeezed(text)


def leaks(root, lines):
    """Where a file of the folder holds one of the lines."""
    found = []
    for name, text in texts(root):
        kept = plain(name, text)
        found += [f"{name}: {line}" for line in sorted(lines) if line in kept]
    return found


def only_in_the_book_s_solutions():
    """The lines of all chapters' solutions that neither another chapter's text nor the package's own code has."""
    chapters = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "book").glob("[0-9][0-9]_*.md"))]
    package = [path for path in sorted((ROOT / "src").rglob("*.py")) if "bank" not in path.parts]
    others = [source_without(text) for text in chapters] + [path.read_text(encoding="utf-8") for path in package]
    elsewhere = "\n".join(map(squeezed, others))
    return {line for text in chapters for line in only_in_solutions(text) if line not in elsewhere}


if __name__ == "__main__":
    wanted = only_in_the_book_s_solutions()
    leaked = [f"{folder}/{found}" for folder in sys.argv[1:] for found in leaks(Path(folder), wanted)]
    count = sum(1 for folder in sys.argv[1:] for _ in texts(Path(folder)))
    print(*leaked, f"{len(wanted)} lines that only solutions have, {count} files, {len(leaked)} found", sep="\n")
    sys.exit(bool(leaked))
