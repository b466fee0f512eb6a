"""The page of the state: made of committed files alone, with a row for every chapter and every record."""

import re

import nbformat
import programs
import pytest
from chapters import sources, tags
from execute import IGNORED
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebooks import read_notebook
from publisher import ROOT
from status import (
    LINES,
    RECORDS,
    SINCE,
    answer,
    demos,
    frameworks_of,
    gpu,
    machine_of,
    measurements,
    note,
    notebooks,
    records,
    with_tables,
)

from attn_course.course.plots.explore.widget import MARK

PAGE = (ROOT / "book" / "status.md").read_text(encoding="utf-8")


def test_every_line_is_on_the_page_once():
    assert all(PAGE.count(line) == 1 for line in LINES) and with_tables("other") == "other"
    assert "{status-" not in with_tables(PAGE)


def test_every_chapter_has_a_row_with_its_cells():
    rows = notebooks().split("\n\n")[0].splitlines()[2:]
    assert len(rows) == len(sources())
    for source, row in zip(sources(), rows, strict=True):
        cells = [cell for cell in read_notebook(source.with_suffix(".ipynb")).cells if cell.cell_type == "code"]
        ignored = sum(IGNORED in tags(cell) for cell in cells)
        assert f"<{source.stem}>" in row and row.strip(" |").split(" | ")[-1] == str(ignored)


def test_a_note_is_of_the_cells_that_ran(tmp_path):
    (tmp_path / "book").mkdir()
    page, record = tmp_path / "book" / "01_x.md", tmp_path / RECORDS / "some.json"
    page.write_text('# X\n\nload_record("some")\n', encoding="utf-8")
    record.parent.mkdir(parents=True)
    record.write_text("1", encoding="utf-8")
    drawn = {"text/html": f'<div data-kind="scale">kept</div>\n<script {MARK}>old</script>'}
    outputs = [new_output("stream", text="two\nlines\n"), new_output("display_data", data=drawn)]
    cell = new_code_cell("x = 1", outputs=outputs, metadata={"tags": ["check"]})
    notebook, figure = new_notebook(cells=[new_markdown_cell("Before."), cell]), cell.outputs[1].data

    def table():
        nbformat.write(notebook, tmp_path / "book" / "01_x.ipynb")
        return notebooks(tmp_path)

    assert "| no note |" in table()
    note(notebook, 12.4, {"torch": "9.9", "numpy": "8.8"}, page)
    made = table()
    assert "| 12 | 1 | 0 |" in made and SINCE not in made and "- 1: PyTorch 9.9, NumPy 8.8 (" in made
    notebook.cells[0].source = "After."
    figure["text/html"] = figure["text/html"].replace("old", "new")
    assert SINCE not in table()
    figure["text/html"] = figure["text/html"].replace("kept", "another")
    assert SINCE in table()
    note(notebook, 12.4, {}, page)
    record.write_text("2", encoding="utf-8")
    assert SINCE in table()
    note(notebook, 12.4, {}, page)
    assert SINCE not in table()
    cell.source = "x = 2"
    assert SINCE in table()


def test_the_answer_in_short_is_that_of_the_tables():
    told, rows = answer(), notebooks().split("\n\n")[0].splitlines()[2:]
    changed = [row for row in rows if SINCE in row or "no note" in row]
    assert f"{len(rows) - len(changed)} of {len(rows)} notebooks" in told
    assert f"{len(records())} stored measurements" in told
    stored = [name for name in records() if name.startswith("gpu_")]
    assert f"Of {len(demos())} chapters with a demo for a GPU, {len(stored) or 'none'} ha" in told


def test_every_record_has_a_row():
    made = measurements()
    rows = [line for line in made.splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == sorted(records()) and len(rows) >= 30
    assert "<02_bahdanau>" in next(row for row in rows if "`dates`" in row)


def test_every_record_names_its_framework_as_its_page_does():
    """One that computed nothing with it is NumPy's; a page that says "Recorded in" names the same."""
    for name, record in records().items():
        assert frameworks_of(record) in {"PyTorch", "TensorFlow", "NumPy", "PyTorch and TensorFlow"}, name
    record = {"command": "python -m x", "machine": "m", "rows": [{"seed": 0}]}
    with pytest.raises(ValueError, match="names no framework"):
        frameworks_of(record)
    assert frameworks_of({**record, "framework": "pytorch tf"}) == "PyTorch and TensorFlow"
    assert machine_of(record).endswith(", m") and machine_of({**record, "processor": "P"}) == "P, m"


@pytest.mark.parametrize("source", sources(), ids=lambda source: source.stem)
def test_a_section_with_one_record_names_its_framework(source):
    for section in re.split(r"(?m)^(?=#{2,3} )", source.read_text(encoding="utf-8")):
        named = set(re.findall(r'load_record\("(\w+)"\)', section))
        said = set(re.findall(r"[Rr]ecorded in ((?:NumPy|PyTorch|TensorFlow)(?:\s+and\s+TensorFlow)?)", section))
        if len(named) == len(said) == 1:
            (name,), (words,) = named, said
            assert frameworks_of(records()[name]) == " ".join(words.split()), (name, section[:60])


def test_what_no_gpu_has_shown():
    made, stored = gpu(), [name for name in records() if name.startswith("gpu_")]
    assert made.count("no GPU yet") == made.count("{doc}") - len(stored)
    assert ("no stored run" in made) == ("no GPU yet" in made)


def test_every_record_has_its_program_and_its_chapter():
    """In experiments/README.md too, which `make derived` writes; the live figures' record is read by no chapter."""
    assert programs.stale() == {}, "run `make derived`"
    made = programs.text()
    listed = re.findall(r"\]\(\.\./src/attn_course/records/(\w+)\.json\)", made)
    assert sorted(listed) == sorted(records())
    rows = [line for line in made.splitlines() if line.startswith("| [")]
    assert all((ROOT / "experiments" / re.match(r"\| \[[\w.]+\]\((.+?)\)", row)[1]).is_file() for row in rows)
    shown = programs.shown_in()
    assert {name for name in records() if name not in shown} == {"live"}
    assert shown["flash"] == ["14_flash"] and shown["uptrain"] == ["13_mqa_gqa"]
