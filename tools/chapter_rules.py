"""The rules that a chapter keeps, as functions that return complaints; tests/book runs them over the book."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from chapters import code_cells, read_source, tags
from execute import IGNORED
from mystmd.blocks import parse
from nbformat import NotebookNode

REQUIRED = ("The problem", "The idea", "By hand", "The formula", "The code", "Where it breaks", "Exercises")
REQUIRED += ("Summary and sources",)
HEADINGS = ("The problem", "The idea", "By hand", "The formula", "The code", "Checks", "What it looks at")
HEADINGS += (
    "Put to work",
    "What it costs",
    "Where it breaks",
    "On a GPU",
    "Exercises",
    "Summary and sources",
)
MOST_LINES = 15
MOST_COLUMNS = 88  # what a page shows without scrolling
MOST_IGNORED = 0.20
_OLD_MARKS = re.compile(r"#\s*(NBVAL_|PYTEST_VALIDATE_)\w+")
_MAGIC = re.compile(r"(?m)^(\s*)[%!].*$")


def text_of(path: Path) -> str:
    """The chapter's text without its front matter."""
    return re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def tree(cell: NotebookNode) -> ast.Module:
    """The cell's code; lines that only IPython understands count as `pass`."""
    return ast.parse(_MAGIC.sub(r"\1pass", cell.source))


def heading_faults(text: str) -> list[str]:
    """Missing, unknown or misplaced headings of the second level."""
    tokens = parse(text)
    found = [tokens[i + 1].content for i, token in enumerate(tokens) if token.tag == "h2" and token.nesting > 0]
    faults = [f"no heading '## {name}'" for name in REQUIRED if name not in found]
    faults += [f"the heading '## {name}' is none of a chapter's" for name in found if name not in HEADINGS]
    known = [HEADINGS.index(name) for name in found if name in HEADINGS]
    if known != sorted(set(known)):
        faults.append(f"the headings stand in another order: {found}")
    return faults


def leftover_faults(text: str) -> list[str]:
    """Sentences of the skeleton that nobody has replaced."""
    return [f"still to be written: {line.strip()!r}" for line in text.splitlines() if "TODO" in line]


def head_faults(text: str) -> list[str]:
    """The part before the first heading: three objectives, what to know before, minutes to read and run."""
    head = re.split(r"(?m)^## ", text, maxsplit=1)[0]
    lists: list[int] = []
    for token in parse(head):
        if token.type in ("bullet_list_open", "ordered_list_open") and token.level == 0:
            lists.append(0)
        elif token.type == "list_item_open" and token.level == 1:
            lists[-1] += 1
    faults = [] if lists[:1] == [3] else [f"the head's first list holds the three objectives, found {lists}"]
    wanted = {
        r"(?i)\b(know|known|read) before\b|\bprior knowledge\b|\bbefore you start\b": "what to know before",
        r"(?i)\d+\s+min(ute)?s?\s+to\s+read\b": "'N minutes to read'",
        r"(?i)\d+\s+(min(ute)?s?|s|seconds?)\s+to\s+run\b": "'N minutes to run' (or seconds)",
    }
    return faults + [f"the head does not say {what}" for form, what in wanted.items() if not re.search(form, head)]


def cell_faults(notebook: NotebookNode) -> list[str]:
    """Cells that are too long or too wide, or define classes."""
    faults = []
    for number, cell in enumerate(code_cells(notebook), start=1):
        lines = len(cell.source.splitlines())
        if lines > MOST_LINES and "hide-input" not in tags(cell):
            faults.append(f"code cell {number} has {lines} lines, at most {MOST_LINES}")
        longest = max(map(len, cell.source.splitlines()), default=0)
        if longest > MOST_COLUMNS:
            faults.append(f"code cell {number} has a line of {longest} characters, at most {MOST_COLUMNS}")
        if not {"solution", "exercise"} & set(tags(cell)):
            names = [node.name for node in ast.walk(tree(cell)) if isinstance(node, ast.ClassDef)]
            faults += [f"code cell {number} defines the class {name}: import it" for name in names]
    return faults


def tab_faults(notebook: NotebookNode) -> list[str]:
    """Each cell tagged tab-torch must be followed at once by its twin, and by nothing else."""
    faults, cells = [], [*notebook.cells]
    for here, cell in enumerate(cells):
        following = tags(cells[here + 1]) if here + 1 < len(cells) else []
        before = tags(cells[here - 1]) if here else []
        start = cell.source.splitlines()[:1]
        if "tab-torch" in tags(cell) and "tab-tf" not in following:
            faults.append(f"the tab-torch cell {start} is not followed by a tab-tf cell")
        if "tab-tf" in tags(cell) and "tab-torch" not in before:
            faults.append(f"the tab-tf cell {start} does not follow a tab-torch cell")
        if {"tab-torch", "tab-tf"} <= set(tags(cell)):
            faults.append(f"the cell {start} is tagged tab-torch and tab-tf")
    return faults


def nbval_faults(notebook: NotebookNode) -> list[str]:
    """Marks that keep nbval from comparing, other than the one tag that is allowed and paid for."""
    imported = _imported(notebook)
    faults = []
    for number, cell in enumerate(code_cells(notebook), start=1):
        others = [tag for tag in tags(cell) if "nbval" in tag.lower() and tag != IGNORED]
        faults += [f"code cell {number}: the tag {tag} is not allowed" for tag in [*others]]
        if match := _OLD_MARKS.search(cell.source):
            faults.append(f"code cell {number}: use the tag {IGNORED}, not the comment {match[0]}")
        if IGNORED in tags(cell) and not any(_can_fail(node, imported) for node in _run_nodes(tree(cell))):
            faults.append(f"code cell {number} is tagged {IGNORED} and asserts nothing that can fail")
    return faults


def ignored_share(chapters: list[Path]) -> tuple[int, int]:
    """How many of the code cells nbval does not compare, and how many there are."""
    cells = [cell for path in chapters for cell in code_cells(read_source(path))]
    return sum(IGNORED in tags(cell) for cell in cells), len(cells)


def _imported(notebook: NotebookNode) -> set[str]:
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


def _run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Everything that runs when the cell runs: not the bodies of functions and classes."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield child
            yield from _run_nodes(child)


def _can_fail(node: ast.AST, imported: set[str]) -> bool:
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
