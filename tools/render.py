"""A chapter's notebook from its .md: plain Markdown prose, Colab badge, install cell, stable metadata."""

import copy
import difflib
import re
from pathlib import Path

import nbformat
from chapters import INSTALL_TAG, code_cells, read_source, tags
from marks import FRAMEWORKS, alone, colab_source, colab_tags, framework_of, is_form
from mystmd import Book, Page, caption, close, convert, split_sections
from nbformat import NotebookNode
from publisher import UNSET, Publisher

from attn_course.course.plots.explore import MARK, code

BADGE = "https://colab.research.google.com/assets/colab-badge.svg"
# IPython puts the value of `spec` into the last line. Tests set ATTN_COURSE_SPEC to a wheel.
INSTALL_CELL = """\
# Installs the course where it is missing (as in Colab); elsewhere this cell does nothing.
import importlib.util
import os

if importlib.util.find_spec("attn_course") is None:
    spec = os.environ.get("ATTN_COURSE_SPEC", "{spec}")
    if "/{unset}/" in spec:
        raise RuntimeError('No address yet: in the folder of your copy, pip install ".[torch]" (or ".[tf]", ".[all]")')
    %pip install -q "{{spec}}"
    importlib.invalidate_caches()
    if importlib.util.find_spec("attn_course") is None:
        raise RuntimeError("The course is not installed: pip says why above. No network?")
"""
# What a chapter adds: a package of another version may answer otherwise.
VERSION_CELL = """\
elif importlib.metadata.version("attn-course") != "{version}":
    print("This notebook is of version {version}, the installed attn-course is not.")
"""
# Without versions; with what makes a .py of it where somebody exports a script.
LANGUAGE = {"file_extension": ".py", "name": "python", "nbconvert_exporter": "python", "pygments_lexer": "ipython3"}
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": LANGUAGE,
}


def install_cell(publisher: Publisher, version: str = "") -> NotebookNode:
    """The first code cell; with a version it also compares that with the installed package's."""
    source = INSTALL_CELL.format(spec=publisher.install_spec, unset=UNSET).rstrip("\n")
    if version:
        source = source.replace("import importlib.util", "import importlib.metadata\nimport importlib.util")
        source += "\n" + VERSION_CELL.format(version=version).rstrip("\n")
    return nbformat.v4.new_code_cell(source, metadata={"tags": [INSTALL_TAG]})


def badge(colab: str) -> str:
    return f"[![Open in Colab]({BADGE})]({colab})"


def render(path: Path, book: Book) -> NotebookNode:
    """The chapter's notebook, not yet executed. Raises ValueError for what has no plain Markdown."""
    page = Page(f"book/{path.name}", path.stem, book)
    cells = _prose_and_code(read_source(path).cells, page)
    if not cells or not cells[0].source.startswith("# "):
        raise ValueError(f"book/{path.name}: a chapter begins with its title, '# ...'")
    title, _, rest = cells[0].source.partition("\n")
    button = badge(book.publisher.colab_url(f"book/{path.stem}.ipynb"))
    cells[0].source = f"{title}\n\n{button}\n\n{rest.lstrip()}".rstrip("\n")
    cells.insert(1, install_cell(book.publisher, book.version))
    return _notebook(cells)


def _notebook(cells: list[NotebookNode]) -> NotebookNode:
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number:03d}"  # by position: random ones would change with each build
    return nbformat.v4.new_notebook(cells=cells, metadata=copy.deepcopy(_METADATA))


def render_alone(path: Path, book: Book) -> dict[str, NotebookNode]:
    """The chapter's notebooks for those who use one framework: without outputs, and each with a badge of its own."""
    whole, found = render(path, book), {}
    button = badge(book.publisher.colab_url(f"book/{path.stem}.ipynb"))
    for framework in FRAMEWORKS:
        cells = alone(copy.deepcopy(whole), framework)
        own = badge(book.publisher.alone_url(f"{path.stem}_{framework}.ipynb"))
        cells[0].source = cells[0].source.replace(button, own)
        found[framework] = _notebook(cells)
    return found


def _prose_and_code(source: list[NotebookNode], page: Page) -> list[NotebookNode]:
    cells: list[NotebookNode] = []
    for cell in source:
        if INSTALL_TAG in tags(cell):  # it would be left out of every comparison
            raise ValueError(f"{page.file}: the tag {INSTALL_TAG} belongs to the cell that is put in here")
        if cell.cell_type == "code":
            cells.append(_code(cell))
            text = cell.metadata.get("mystnb", {}).get("figure", {}).get("caption")
            prose = [caption(text.strip(), page, framework_of(cell))] if text else []
            own = {"tags": [f"tab-{framework_of(cell)}"]} if framework_of(cell) else {}
        else:
            prose, own = [convert(part, page) for part in split_sections(cell.source)], {}
        cells += [nbformat.v4.new_markdown_cell(part, metadata=dict(own)) for part in prose if part.strip()]
    places = [i for i, cell in enumerate(cells) if cell.cell_type == "markdown"]
    closed = close([cells[i].source for i in places], page)
    for i, text in zip(places, closed, strict=False):
        cells[i].source = text
    return cells + [nbformat.v4.new_markdown_cell(text) for text in closed[len(places) :]]


def _code(cell: NotebookNode) -> NotebookNode:
    """A code cell of a chapter: its tags show in its first line."""
    metadata = {key: value for key, value in cell.metadata.items() if key != "mystnb"}  # the page's alone
    new = nbformat.v4.new_code_cell(colab_source(cell), metadata=copy.deepcopy(metadata))
    if found := colab_tags(cell):
        new.metadata["tags"] = found
    if is_form(cell):  # folded in JupyterLab and in Colab
        new.metadata |= {"jupyter": {"source_hidden": True}, "cellView": "form"}
    return new


FIGURE = re.compile(rf'(data-kind="(\w+)".*?<script {MARK}>).*?(?=</script>)', re.DOTALL)


def keep_outputs(notebook: NotebookNode, old: NotebookNode) -> None:
    """Take over the outputs of the code cells that did not change, and the note of their run.

    A figure to drag gets its present code.
    """
    notebook.metadata |= {key: old.metadata[key] for key in old.metadata.keys() & {"executed"}}
    new_cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    old_cells = [cell for cell in old.cells if cell.cell_type == "code"]
    matcher = difflib.SequenceMatcher(a=_keys(old_cells), b=_keys(new_cells), autojunk=False)
    for a, b, size in matcher.get_matching_blocks():
        for old_cell, new_cell in zip(old_cells[a : a + size], new_cells[b : b + size], strict=True):
            new_cell.outputs = old_cell.outputs
            new_cell.execution_count = old_cell.execution_count
            for data in (output.get("data", {}) for output in new_cell.outputs):
                if "text/html" in data:
                    data["text/html"] = FIGURE.sub(lambda found: found[1] + code(found[2]), data["text/html"])


def _keys(cells: list[NotebookNode]) -> list[str]:
    """What makes two cells the same one. The install cell is, whatever address stands in it."""
    return [INSTALL_TAG if INSTALL_TAG in tags(cell) else f"code:{cell.source}" for cell in cells]


def cached_copy(source: NotebookNode, notebook: NotebookNode) -> NotebookNode:
    """The source with the notebook's outputs: what the book's builder finds in the cache.

    Cells and their metadata are the source's, because the builder shows the cached cell in place of its own.
    """
    merged = copy.deepcopy(source)
    merged.metadata["language_info"] = dict(LANGUAGE)
    pairs = zip(code_cells(merged), code_cells(notebook), strict=True)
    for number, (cell, executed) in enumerate(pairs, start=1):
        cell.outputs = copy.deepcopy(executed.outputs)
        cell.execution_count = number
    return merged
