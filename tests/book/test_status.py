"""The page of the state: made of committed files alone, with a row for every chapter and every record."""

import json
import re

import pytest
from chapters import sources, tags
from execute import IGNORED
from notebooks import read_notebook
from publisher import ROOT
from status import (
    LINES,
    NOTES,
    SINCE,
    answer,
    demos,
    digest,
    frameworks_of,
    gpu,
    machine_of,
    measurements,
    note,
    notebooks,
    noted,
    records,
    with_tables,
)

PAGE = (ROOT / "book" / "status.md").read_text(encoding="utf-8")


def test_every_line_is_on_the_page_once():
    assert all(PAGE.count(line) == 1 for line in LINES) and with_tables("other") == "other"
    assert "{status-" not in with_tables(PAGE)


def test_every_chapter_has_a_row_and_a_note_that_is_no_strangers():
    rows = notebooks().split("\n\n")[0].splitlines()[2:]
    assert len(rows) == len(sources())
    for source, row in zip(sources(), rows, strict=True):
        cells = [cell for cell in read_notebook(source.with_suffix(".ipynb")).cells if cell.cell_type == "code"]
        ignored = sum(IGNORED in tags(cell) for cell in cells)
        assert f"<{source.stem}>" in row and row.strip(" |").split(" | ")[-1] == str(ignored)
    notes = {path.stem for path in (ROOT / NOTES).glob("*.json")}
    assert notes <= {source.stem for source in sources()}, "a note of a chapter that is gone"


def test_a_note_is_of_the_cells_that_ran(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "01_x.md").write_text("# X\n", encoding="utf-8")
    path = tmp_path / "book" / "01_x.ipynb"

    def write(source, prose):
        cells = [{"cell_type": "markdown", "source": prose}]
        cells += [{"cell_type": "code", "source": source, "outputs": [], "metadata": {"tags": ["check"]}}]
        path.write_text(json.dumps({"cells": cells}), encoding="utf-8")

    write("x = 1", "Before.")
    assert "| no note |" in notebooks(tmp_path) and noted(tmp_path, path.with_suffix(".md")) == {}
    note(tmp_path, path, 12.4, {"torch": "9.9", "numpy": "8.8"})
    made = notebooks(tmp_path)
    assert "| 12 | 1 | 0 |" in made and SINCE not in made and "- 1: PyTorch 9.9, NumPy 8.8 (" in made
    before = digest(path)
    write("x = 1", "After.")
    assert digest(path) == before and SINCE not in notebooks(tmp_path)
    write("x = 2", "After.")
    assert SINCE in notebooks(tmp_path)


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
