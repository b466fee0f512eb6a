"""What only the solutions of a chapter say, and where a folder or an archive of files says it too."""

import html
import json
import re
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "book" / "_ext"))

from solutions import CELL, source_without, tags_of


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
