"""What a chapter's tags mean in its notebooks: first lines, folded forms, cells that a framework's notebook leaves out.

A chapter is in the second edition's form when it has a heading "## At a glance". Older ones are left as they are.
"""

from __future__ import annotations

import re

from nbformat import NotebookNode

FRAMEWORKS = {"torch": "PyTorch", "tf": "TensorFlow"}
GLANCE = re.compile(r"(?m)^## At a glance\b")
NOT_RUN = ("skip-execution", "nbval-skip")  # tags that nbclient and nbval know
TURN = "edit this cell and run it"


def tags(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))


def second_edition(notebook: NotebookNode) -> bool:
    """Whether a chapter's source, or the notebook made from it, is in the new form."""
    return any(cell.cell_type == "markdown" and GLANCE.search(cell.source) for cell in notebook.cells)


def framework_of(cell: NotebookNode) -> str | None:
    return next((key for key in FRAMEWORKS if f"tab-{key}" in tags(cell)), None)


def _title(source: str) -> tuple[str, str]:
    """The comment in the first line, without its mark, and the other lines."""
    first, _, rest = source.partition("\n")
    return (first.lstrip("#").strip(), rest) if first.startswith("#") else ("", source)


def colab_source(cell: NotebookNode) -> str:
    """The cell's code in a notebook: what its tags say stands in the first line, where Colab shows it."""
    kinds, name = set(tags(cell)), FRAMEWORKS.get(framework_of(cell) or "")
    within = f" in {name}" if name else ""
    title, rest = _title(cell.source)
    if "check" in kinds:
        return f"#@title Checked{within}: {title}\n{rest}"
    if "package" in kinds:
        return f"#@title {name}: {title}\n{rest}" if name else f"#@title {title}\n{rest}"
    if "solution" in kinds:
        return f"#@title Solution{within}\n{cell.source}"
    if "exercise" in kinds:
        return f"# {name or 'Your turn'}: {TURN}\n{cell.source}"
    return f"# {name}\n{cell.source}" if name else cell.source


def colab_tags(cell: NotebookNode) -> list[str]:
    """The cell's tags in a notebook: an exercise waits for its reader and is not executed."""
    return [*tags(cell), *(NOT_RUN if "exercise" in tags(cell) else ())]


def is_form(cell: NotebookNode) -> bool:
    """Whether the cell's code is folded in a notebook."""
    return bool({"check", "package", "solution", "hide-input"} & set(tags(cell)))


def alone(notebook: NotebookNode, framework: str) -> list[NotebookNode]:
    """The cells of the notebook of one framework: without the other's cells, prose and comparisons."""
    (other,) = set(FRAMEWORKS) - {framework}
    foreign = re.compile(rf"<!-- {other} -->.*?<!-- end -->\n*", re.DOTALL)
    kept = []
    for cell in notebook.cells:
        if f"tab-{other}" in tags(cell) or "both" in tags(cell):
            continue
        if cell.cell_type == "markdown":
            cell.source = foreign.sub("", cell.source).strip("\n")
            if not cell.source:
                continue
        else:
            cell.outputs, cell.execution_count = [], None
        kept.append(cell)
    return kept
