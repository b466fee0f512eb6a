"""Each chapter's .ipynb is its .md, executed top to bottom, without errors or traces of a machine."""

import ast
import os
import re
import subprocess
from functools import cache
from pathlib import Path

import nbformat
import pytest
from chapters import mismatch, read_notebook, read_source, sources, tags
from execute import outdated_sources
from IPython.core.inputtransformer2 import TransformerManager
from mystmd import Book
from publisher import ROOT
from render import keep_outputs, render

from attn_course.course.plots.explore import MARK, code

CHAPTERS = sources()
EACH = pytest.mark.parametrize("source", CHAPTERS, ids=lambda path: path.stem)
SCRIPT = re.compile(rf'data-kind="(\w+)".*?<script {MARK}>(.*?)</script>', re.DOTALL)
MACHINE = re.compile(r"(?<![\w.])/(work|tmp|home|root|Users|content)/|[A-Z]:\\\\")


@cache
def book():
    return Book.read(ROOT)


def test_a_chapter_is_found_with_one_digit_too():
    assert sources(selected=["2"]) == sources(selected=["02"]) == [ROOT / "book" / "02_bahdanau.md"]


def test_no_notebook_without_source():
    wanted = {path.with_suffix(".ipynb") for path in CHAPTERS}
    assert {*(ROOT / "book").glob("*.ipynb")} == wanted


def test_what_a_notebook_writes_when_it_runs_is_not_kept():
    """Chapter 9 saves a model: beside the pages, in the repository, stand pages and what they are made from alone."""
    kept = subprocess.check_output(["git", "ls-files", "book"], cwd=ROOT, text=True).split()
    kept = [Path(name).relative_to("book") for name in kept]
    folders = {"_ext", "_static", "_templates", "api"}
    assert {path.parts[0] for path in kept if len(path.parts) > 1} == folders
    assert {path.suffix for path in kept if len(path.parts) == 1} == {".md", ".ipynb", ".bib", ".json"}


MOST_BYTES = 820_000


@EACH
def test_a_notebook_is_not_too_heavy(source):
    assert source.with_suffix(".ipynb").stat().st_size <= MOST_BYTES


def output_faults(notebook):
    """What must not stand in committed outputs."""
    faults = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                faults.append(f"error: {output.ename}")
            if output.get("name") == "stderr":
                faults.append(f"stderr: {output.text[:80]!r}")
            data = output.get("data", {})
            texts = [output.get("text", "")] + [str(data[kind]) for kind in data if kind.startswith("text/")]
            faults += [f"a path of a machine: {text[:80]!r}" for text in texts if MACHINE.search(text)]
            figures = SCRIPT.findall(data.get("text/html", ""))
            faults += [f"older code of a figure to drag: {kind}" for kind, script in figures if script != code(kind)]
        if "install" in tags(cell) and cell.outputs:
            faults.append("the install cell has an output")
    return faults


@EACH
def test_pair(source):
    path = source.with_suffix(".ipynb")
    assert path.exists(), f"run make notebooks CH={source.stem[:2]}"
    notebook = read_notebook(path)
    assert mismatch(read_source(source), notebook) is None, f"run make notebooks CH={source.stem[:2]}"
    assert output_faults(notebook) == []


@EACH
def test_the_source_that_a_page_prints_is_the_packages(source):
    notebook = read_notebook(source.with_suffix(".ipynb"))
    assert outdated_sources(notebook) == [], f"run make notebooks CH={source.stem[:2]}"


@EACH
def test_a_notebook_is_a_script_too(source):
    """`jupyter nbconvert --to script` asks for the exporter and the ending; a console shows the text of an output."""
    notebook = read_notebook(source.with_suffix(".ipynb"))
    info = notebook.metadata.language_info
    assert (info.nbconvert_exporter, info.file_extension) == ("python", ".py")
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    ast.parse("\n".join(TransformerManager().transform_cell(cell.source) for cell in cells))
    shown = [output.data for cell in cells for output in cell.outputs if "data" in output]
    assert shown and [data.keys() for data in shown if not data.get("text/plain")] == []


@EACH
def test_independent_reader_sees_the_same_cells(source):
    """jupytext, with which an author may open the .md, reads the cells that the book's builder reads."""
    import jupytext

    pairs = [read_source(source), jupytext.read(source)]
    one, other = ([(c.source, tags(c)) for c in nb.cells if c.cell_type == "code"] for nb in pairs)
    assert one == other


PULL_REQUEST = os.environ.get("GITHUB_EVENT_NAME") == "pull_request"


@EACH
def test_prose_badge_and_metadata_are_up_to_date(source):
    """In a pull request the prose alone may be older: a maintainer makes that notebook before the merge."""
    assert in_step(source, book(), PULL_REQUEST), f"run make notebooks CH={source.stem[:2]}"


def in_step(source, book, without_prose=False):
    """Whether building without executing gives the file that is committed, its Markdown cells left out or not."""
    path = source.with_suffix(".ipynb")
    notebook, committed = render(source, book), read_notebook(path)
    keep_outputs(notebook, committed)
    if not without_prose:
        return nbformat.writes(notebook) + "\n" == path.read_text(encoding="utf-8")
    for one in (notebook, committed):  # names of cells count the Markdown cells too
        one.cells = [{**cell, "id": ""} for cell in one.cells if cell.cell_type == "code"]
    return notebook == committed


@pytest.mark.parametrize(
    ("old", "new", "waits"),
    [
        ("One picture.", "One good picture.", True),
        ("## The idea\n", "## The idea\n\nA paragraph.\n\n### And a heading\n", True),
        ("print(x.sum())", "print(x.max())", False),
        (":tags: [nbval-ignore-output]\n", "", False),
    ],
)
def test_in_a_pull_request_prose_alone_may_be_older(built, change, old, new, waits):
    source = built / "book" / "01_fixture.md"
    assert in_step(source, Book.read(built))
    change(source, old, new)
    assert (in_step(source, Book.read(built)), in_step(source, Book.read(built), True)) == (False, waits)


def test_a_kept_figure_gets_its_present_code():
    def one(script):
        data = {"text/html": f'<div data-kind="scale">kept</div>\n<script {MARK}>{script}</script>'}
        cell = nbformat.v4.new_code_cell("draw()", outputs=[nbformat.v4.new_output("execute_result", data=data)])
        return nbformat.v4.new_notebook(cells=[cell])

    new = one("")
    keep_outputs(new, one("old"))
    assert new.cells[0].outputs == one(code("scale")).cells[0].outputs


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('print("one")', 'print("two")', "code cell 4 differs"),
        ("[solution, hide-cell]", "[solution]", "tags of code cell 6 differ"),
        ('```{code-cell} ipython3\n:tags: [tab-torch]\n\nprint("one")\n```', "", "the .md has 5 code cells"),
    ],
)
def test_a_changed_source_is_found(built, change, old, new, reason):
    source = built / "book" / "01_fixture.md"
    change(source, old, new)
    assert reason in mismatch(read_source(source), read_notebook(source.with_suffix(".ipynb")))


@pytest.mark.parametrize("count", [None, 1, 9])
def test_another_order_is_found(built, count):
    source = built / "book" / "01_fixture.md"
    notebook = read_notebook(source.with_suffix(".ipynb"))
    notebook.cells[3].execution_count = count
    assert "not executed top to bottom" in mismatch(read_source(source), notebook)


@pytest.mark.parametrize(
    "output",
    [
        nbformat.v4.new_output("error", ename="ValueError", evalue="", traceback=[]),
        nbformat.v4.new_output("stream", name="stderr", text="W0000 noise"),
        nbformat.v4.new_output("stream", name="stdout", text="saved in /tmp/x\n"),
        nbformat.v4.new_output("execute_result", data={"text/plain": "PosixPath('/home/me/x')"}),
        nbformat.v4.new_output("execute_result", data={"text/html": f'data-kind="scale"><script {MARK}>old</script>'}),
    ],
)
def test_bad_outputs_are_found(built, output):
    notebook = read_notebook(built / "book" / "01_fixture.ipynb")
    notebook.cells[3].outputs = [output]
    assert len(output_faults(notebook)) == 1
