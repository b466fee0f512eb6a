"""The command line: list, check a file, progress, grade a folder, export."""

import csv
import json
import sys
from pathlib import Path

import pytest

from attn_course.__main__ import main
from attn_course.exercises import EXERCISES, grading
from attn_course.exercises.exercise import source_of
from attn_course.exercises.grading import all_cases, grade

HEAD = "import numpy as np\nfrom attn_course.exercises import check, softmax\n"
RIGHT = HEAD + source_of(EXERCISES["00.weights"].solution) + 'check("00.weights", weights)\n'
WRONG = RIGHT.replace(".sum(axis=1", ".sum(axis=0")


def command(*arguments):
    return main(["exercises", *map(str, arguments)])


def test_list(capsys):
    assert command("list", "--json") == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(EXERCISES)
    assert command() == 0
    assert len(capsys.readouterr().out.splitlines()) == len(EXERCISES)


def test_check_a_script_and_a_notebook(tmp_path, capsys):
    script, notebook = tmp_path / "own.py", tmp_path / "own.ipynb"
    script.write_text(RIGHT)
    cells = [{"cell_type": "markdown", "source": ["x"]}, {"cell_type": "code", "source": ["%pip list\n", WRONG]}]
    notebook.write_text(json.dumps({"cells": cells}))
    assert command("check", script) == 0
    assert capsys.readouterr().out == "00.weights: correct\n"
    assert command("check", notebook, "--json", "--seed", 1) == 1
    shown = json.loads(capsys.readouterr().out)
    assert "over the queries" in shown["results"]["00.weights"] and shown["errors"] == []
    assert command("progress", "--json") == 0
    assert json.loads(capsys.readouterr().out)["solved"] == ["00.weights"]


@pytest.mark.parametrize(("text", "code"), [("x = 1\n", 2), (RIGHT + "raise SystemExit(0)\n", 1)])
def test_check_a_file_that_fails(tmp_path, capsys, text, code):
    (tmp_path / "own.py").write_text(text)
    assert command("check", tmp_path / "own.py") == code
    assert command("check", tmp_path / "none.py") == 2
    assert capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of memory there")
def test_grade_a_folder(tmp_path, capsys):
    folder = tmp_path / "class"
    folder.mkdir()
    submissions = {
        "a_right.py": RIGHT,
        "b_wrong.py": WRONG,
        "c_endless.py": RIGHT + "while True:\n    pass\n",
        "d_leaves.py": RIGHT + "import os\nos._exit(0)\n",
        "e_large.py": "x = bytearray(2**36)\n" + RIGHT,
    }
    for name, text in submissions.items():
        (folder / name).write_text(text)
    hidden = tmp_path / "hidden.py"
    hidden.write_text(
        "import numpy as np\nfrom attn_course.exercises.exercise import Case\n"
        "CASES = {'00.weights': lambda rng: [Case('hidden', (rng.normal(size=(2, 17)),))]}\n"
    )
    out = tmp_path / "marks.csv"
    limits = ("--seconds", 4, "--seed", 5, "--cases", hidden)
    assert command("grade", folder, "--csv", out, *limits) == 0
    rows = {row["submission"]: row for row in csv.DictReader(out.read_text().splitlines())}
    assert list(rows) == sorted(submissions)
    assert rows["a_right.py"]["00.weights"] == "1" and rows["a_right.py"]["solved"] == "1"
    assert rows["b_wrong.py"]["00.weights"] == "0" and rows["b_wrong.py"]["note"] == ""
    assert "stopped after 4 s" in rows["c_endless.py"]["note"]
    assert rows["d_leaves.py"]["note"] == "it ended without a result"
    assert "MemoryError" in rows["e_large.py"]["note"]
    assert "5 submissions, seed 5" in capsys.readouterr().err


def test_hidden_cases_count(tmp_path):
    """An answer that is right for the known cases alone fails with the teacher's."""
    hidden = tmp_path / "hidden.py"
    hidden.write_text(
        "import numpy as np\nfrom attn_course.exercises.exercise import Case\n"
        "CASES = {'00.weights': lambda rng: [Case('hidden', (rng.normal(size=(2, 17)),))]}\n"
    )
    own = tmp_path / "own.py"
    own.write_text(RIGHT.replace("np.exp(score", "(score.shape[1] != 17) * np.exp(score"))
    assert grade(own, all_cases(1), seconds=30)[0] == {"00.weights": None}
    assert grade(own, all_cases(1, hidden), seconds=30)[0]["00.weights"] is not None


def test_export_for_nbgrader(tmp_path, capsys):
    assert command("export", "nbgrader", tmp_path / "source") == 0
    paths = [Path(line) for line in capsys.readouterr().out.split()]
    assert len(paths) == len({name.split(".")[0] for name in EXERCISES})
    graded = 0
    for path in paths:
        cells = json.loads(path.read_text())["cells"]
        names = [cell["metadata"]["nbgrader"]["grade_id"] for cell in cells]
        assert len(set(names)) == len(names)
        space = {}
        for cell in cells:
            marks = cell["metadata"]["nbgrader"]
            graded += marks["grade"]
            if cell["cell_type"] == "code":
                exec(cell["source"], space)  # a solution passes its own tests
    assert graded == sum("numpy" in each.starters for each in EXERCISES.values())


def test_a_system_without_limits_says_so(tmp_path, capsys, monkeypatch):
    assert grading.missing_limits() == [] or sys.platform != "linux"
    monkeypatch.setattr(grading.sys, "platform", "win32")
    monkeypatch.delattr(grading.os, "killpg", raising=False)
    assert command("grade", tmp_path, "--seed", "1") == 0
    said = capsys.readouterr().err
    assert "note: no limit of memory is kept on this system (win32)" in said
    assert "note: processes that a submission starts are not ended with it" in said
