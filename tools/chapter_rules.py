"""The rules that a chapter keeps, as functions that return complaints; tests/book runs them over the book."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from chapters import code_cells, read_source, tags
from execute import IGNORED
from nbformat import NotebookNode

MOST_IGNORED = 0.20
MAGIC = re.compile(r"(?m)^(\s*)[%!].*$")


def text_of(path: Path) -> str:
    """The chapter's text without its front matter."""
    return re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def tree(cell: NotebookNode) -> ast.Module:
    """The cell's code; lines that only IPython understands count as `pass`."""
    return ast.parse(MAGIC.sub(r"\1pass", cell.source))


def leftover_faults(text: str) -> list[str]:
    """Sentences of the skeleton that nobody has replaced."""
    return [f"still to be written: {line.strip()!r}" for line in text.splitlines() if "TODO" in line]


def ignored_share(chapters: list[Path]) -> tuple[int, int]:
    """How many of the code cells nbval does not compare, and how many there are."""
    cells = [cell for path in chapters for cell in code_cells(read_source(path))]
    return sum(IGNORED in tags(cell) for cell in cells), len(cells)


def imported_names(notebook: NotebookNode) -> set[str]:
    """Names that the chapter takes from the course."""
    names: set[str] = set()
    for cell in code_cells(notebook):
        for node in ast.walk(tree(cell)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "attn_course":
                names.update(alias.asname or alias.name for alias in node.names)
            elif isinstance(node, ast.Import):
                course = [alias for alias in node.names if alias.name.split(".")[0] == "attn_course"]
                names.update(alias.asname or "attn_course" for alias in course)
    return names


def run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Everything that runs when the cell runs: not the bodies of functions and classes."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield child
            yield from run_nodes(child)


def can_fail(node: ast.AST, imported: set[str]) -> bool:
    """An assert of something computed, or a call of one of the course's own checks."""
    if isinstance(node, ast.Assert):
        if isinstance(node.test, ast.Tuple | ast.List | ast.Dict | ast.JoinedStr):
            return False  # `assert (x, "message")` is always true
        return any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(node.test))
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    root = node.func
    while isinstance(root, ast.Attribute):
        root = root.value
    return name.startswith(("check", "assert_")) and getattr(root, "id", "") in imported
