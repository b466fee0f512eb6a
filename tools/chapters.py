"""The chapters of the book as files: where they are, their cells, and whether a pair belongs together."""

import copy
import re
from functools import lru_cache
from pathlib import Path

import nbformat
from marks import FRAMEWORKS, NOT_RUN, colab_source, colab_tags, tags
from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig
from mystmd.blocks import EXTENSIONS
from nbformat import NotebookNode
from publisher import ROOT

INSTALL_TAG = "install"
ALONE = Path("_build", "notebooks")
_CHAPTER = re.compile(r"\d\d_\w+")


def sources(root: Path = ROOT, selected: list[str] | None = None) -> list[Path]:
    """The chapters' .md files, or those whose names begin with one of `selected`, such as "02".

    In the order of their numbers; of one number, in that of the table of contents.
    """
    listed = {name: place for place, name in enumerate(toc(root))}
    found = [path for path in (root / "book").glob("*.md") if _CHAPTER.fullmatch(path.stem)]
    found.sort(key=lambda path: (path.stem[:2], listed.get(f"book/{path.name}", len(listed)), path.stem))
    selected = [prefix.zfill(2) if prefix.isdigit() else prefix for prefix in selected or []]
    for prefix in selected:
        if not any(path.stem.startswith(prefix) for path in found):
            raise ValueError(f"no chapter book/{prefix}*.md")
    return [path for path in found if not selected or path.stem.startswith(tuple(selected))]


def toc(root: Path = ROOT) -> list[str]:
    """The files that _toc.yml lists, in its order; none while there is no _toc.yml."""
    path = root / "_toc.yml"
    return re.findall(r"(?m)^[ -]*(?:file|root): (\S+)", path.read_text(encoding="utf-8")) if path.exists() else []


def read_source(path: Path) -> NotebookNode:
    """A chapter's .md as a notebook without outputs, read as the book's builder reads it."""
    return copy.deepcopy(_parsed(path, path.read_text(encoding="utf-8")))


@lru_cache(maxsize=32)
def _parsed(path: Path, text: str) -> NotebookNode:
    config = MdParserConfig(enable_extensions=set(EXTENSIONS))
    return read_myst_markdown_notebook(text, config, path=path)


def read_notebook(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def alone_paths(source: Path) -> dict[str, Path]:
    """Where a chapter's notebooks of one framework are made."""
    return {key: source.parents[1] / ALONE / f"{source.stem}_{key}.ipynb" for key in FRAMEWORKS}


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells that the chapter's author wrote: all but the install cell."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and INSTALL_TAG not in tags(cell)]


def mismatch(source: NotebookNode, notebook: NotebookNode) -> str | None:
    """Why a notebook's outputs can't stand for its source, or None when they can."""
    wanted, present = code_cells(source), code_cells(notebook)
    if len(wanted) != len(present):
        return f"the .md has {len(wanted)} code cells, the .ipynb {len(present)}"
    for number, (one, other) in enumerate(zip(wanted, present, strict=True), start=1):
        if colab_source(one) != other.source:
            return f"code cell {number} differs: {one.source.splitlines()[:1]} in the .md"
        if colab_tags(one) != tags(other):
            return f"the tags of code cell {number} differ: {tags(one)} in the .md, {tags(other)} in the .ipynb"
    run = [cell for cell in notebook.cells if cell.cell_type == "code" and NOT_RUN[0] not in tags(cell)]
    counts = [cell.execution_count for cell in run]
    if counts != list(range(1, len(counts) + 1)):
        return f"the .ipynb was not executed top to bottom (execution counts {counts[:5]} ...)"
    return None
