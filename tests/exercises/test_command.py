"""The command line: list, check a file, progress, grade a folder, export."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import attn_course
from attn_course.__main__ import main
from attn_course.exercises import EXERCISES
from attn_course.exercises.engine.sources import source_of

HEAD = "import numpy as np\nfrom attn_course.exercises import check, softmax\n"
RIGHT = HEAD + source_of(EXERCISES["00.weights"].solution) + 'check("00.weights", weights)\n'
WRONG = RIGHT.replace(".sum(axis=1", ".sum(axis=0")


def command(*arguments):
    return main(["exercises", *map(str, arguments)])


def test_list(capsys):
    assert command("list", "--json") == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(EXERCISES)
    assert command() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("   find the bugs in a softmax (level 1, 5 min; before: exp, sums over an axis)")
    for line, (name, each) in zip(lines, EXERCISES.items(), strict=True):
        assert line.startswith(f"[ ] {name} ") and f" {each.title} (level {each.level}, {each.minutes} min; " in line


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


def test_a_file_is_watched_until_all_is_right(tmp_path, capsys, monkeypatch):
    """Checked when it is saved, not each time one looks; away for a moment, as some editors save, it is waited for."""
    script, steps = tmp_path / "own.py", iter((None, WRONG.replace("axis=0", "axis=-2"), "", RIGHT))
    script.write_text(WRONG)

    def sleep(_):
        text = next(steps)
        if text == "":
            script.unlink()
        elif text:
            script.write_text(text)
            os.utime(script, ns=(len(text), len(text)))

    monkeypatch.setattr("attn_course.exercises.engine.command.time.sleep", sleep)
    assert command("watch", script, "--seed", 1) == 0
    said = capsys.readouterr().out.splitlines()
    assert ["over the queries" in line for line in said] == [True, True, False] and said[2] == "00.weights: correct"
    assert command("watch", tmp_path / "none.py") == 2


def test_solutions_of_a_page_mark_nothing(tmp_path, capsys):
    """A notebook as it is published: its solutions are no answers, whether they call check or shown."""
    cells = [
        {"cell_type": "code", "metadata": {"tags": ["exercise"]}, "source": WRONG},
        {"cell_type": "code", "metadata": {"tags": ["solution"]}, "source": RIGHT},
        {"cell_type": "code", "metadata": {}, "source": RIGHT.replace("check", "shown")},
    ]
    (tmp_path / "own.ipynb").write_text(json.dumps({"cells": cells}))
    assert command("check", tmp_path / "own.ipynb") == 1
    capsys.readouterr()
    assert command("progress", "--json") == 0
    assert json.loads(capsys.readouterr().out)["solved"] == []


@pytest.mark.parametrize(("text", "code"), [("x = 1\n", 2), (RIGHT + "raise SystemExit(0)\n", 1)])
def test_check_a_file_that_fails(tmp_path, capsys, text, code):
    (tmp_path / "own.py").write_text(text)
    assert command("check", tmp_path / "own.py") == code
    assert command("check", tmp_path / "none.py") == 2
    assert capsys.readouterr().err


# Notebooks' code cells, each run whatever the one before it did; it prints which ended, and as a cell of which sort.
RUNS = """
import contextlib, io, json, sys
for path in sys.argv[1:]:
    space = {}
    for cell in json.load(open(path))["cells"]:
        if cell["cell_type"] == "code":
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(cell["source"], space)
                print("right", cell["id"])
            except AssertionError:
                print("wrong", cell["id"])
"""


def run_cells(*paths):
    """What became of the cells of notebooks, in a process that has imported nothing yet."""
    done = subprocess.run([sys.executable, "-c", RUNS, *paths], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_export_for_nbgrader(tmp_path, capsys):
    """Every solution passes its own tests; what is released keeps the page's starter."""
    assert command("export", "nbgrader", tmp_path / "source", "--json") == 0
    paths = [Path(line) for line in json.loads(capsys.readouterr().out)]
    assert len(paths) == len({name.split(".")[0] for name in EXERCISES})
    names = {name for name, each in EXERCISES.items() if "numpy" in each.starters}
    keys, graded, run = set(), [], []
    for path in paths:
        cells = json.loads(path.read_text())["cells"]
        code = {cell["id"]: cell["source"] for cell in cells if cell["cell_type"] == "code"}
        keys |= {cell["metadata"]["nbgrader"]["grade_id"] for cell in cells}
        graded += [cell["id"] for cell in cells if cell["metadata"]["nbgrader"]["grade"]]
        run += [f"right {key}" for key in code]
        released = {key: text.partition("### BEGIN SOLUTION")[0] for key, text in code.items()}
        for name in names:
            if (key := f"{name.replace('.', '-')}-answer") in released:
                assert released[key] == EXERCISES[name].starters["numpy"] + "\n"
    assert run_cells(*paths) == run
    assert set(graded) == {f"{name.replace('.', '-')}-test" for name in names} and len(graded) == len(names)
    assert len(keys) >= 3 * len(names)


def test_a_test_of_nbgrader_checks_by_a_fresh_import(tmp_path):
    """Nothing is gained by another meaning of `check`, or of what it calls."""
    command("export", "nbgrader", tmp_path, "--json")
    path = tmp_path / "chapter_00.ipynb"
    notebook = json.loads(path.read_text())
    cheats = "check = lambda *given, **more: True\nfrom attn_course.exercises.engine import checking\n"
    cheats += "checking.judge = lambda *given: (None, '')\nweights = lambda score: score\n"
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] in ("setup-00", "00-weights-test")]
    notebook["cells"].insert(1, {"cell_type": "code", "id": "cheats", "source": cheats})
    path.write_text(json.dumps(notebook))
    assert run_cells(path) == ["right setup-00", "right cheats", "wrong 00-weights-test"]


def test_nobody_else_knows_the_seeds_of_hidden_tests(tmp_path):
    """They are drawn at each export; what is released without its hidden tests names none."""
    found = []
    for name in ("one", "two"):
        command("export", "nbgrader", tmp_path / name, "--json")
        text = "".join(path.read_text() for path in sorted((tmp_path / name).iterdir()))
        found.append(set(re.findall(r"seed=(\d+)", text)))
        assert "seed=" not in re.sub(r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS", "", text)
    assert len(found[0]) == len(found[1]) == 3 and not found[0] & found[1]


def test_one_line_for_what_cannot_be_done(sandbox, tmp_path, capsys):
    (tmp_path / "broken.py").write_text("CASES = {'99.none': list}\n")
    (tmp_path / "typo.py").write_text("CASES = {\n")
    (tmp_path / "below.txt").write_text("-3\n")
    for arguments, words in (
        (("check", tmp_path / "none.py"), "error: no such file: "),
        (("check", tmp_path), "error: a folder, where a file is needed: "),
        (("grade", tmp_path, "--csv", tmp_path / "none" / "x.csv"), "error: [Errno 2]"),
        (("grade", tmp_path, "--seed-file", tmp_path / "below.txt"), "error: must be 0 or above, got -3"),
        (("export", "nbgrader", tmp_path / "typo.py" / "x"), "error: [Errno 20]"),
        (("grade", tmp_path / "none"), "error: no such folder: "),
        (("grade", tmp_path, "--cases", tmp_path / "none.py"), "error: [Errno 2]"),
        (("grade", tmp_path, "--cases", tmp_path / "broken.py"), "error: CASES names '99.none', which is no exercise"),
        (("grade", tmp_path, "--cases", tmp_path / "typo.py"), "error: the file of cases: SyntaxError: "),
        (("grade", tmp_path, "--seed", 1, "--seed-file", tmp_path / "x"), "error: give --seed or --seed-file"),
        (("progress", "x"), "error: code must be a string that progress() gave"),
    ):
        for json_too in ([], ["--json"]):
            assert command(*arguments, *json_too) == 2
            out, err = capsys.readouterr()
            assert err.splitlines()[-1].startswith(words) and "Traceback" not in err
            assert not json_too or out == ""
    for arguments in (("--seconds", -1), ("--total", "nan"), ("--jobs", 0), ("--memory", -5), ("--seed", -1)):
        with pytest.raises(SystemExit):
            command("grade", tmp_path, *arguments)
        said = capsys.readouterr().err
        assert "must be " in said and said.count("\n") == 1
    for arguments in (("grade", tmp_path, "--seed", "x"), ("mark", tmp_path), ("check",)):
        with pytest.raises(SystemExit, match="2"):
            command(*arguments)
        said = capsys.readouterr().err
        assert said.startswith("attn-course exercises") and said.count("\n") == 1 and "_seed" not in said


@pytest.mark.parametrize("arguments", [[], ["exercises"]])
def test_version(capsys, arguments):
    with pytest.raises(SystemExit, match="0"):
        main([*arguments, "--version"])
    assert capsys.readouterr().out == f"attn-course {attn_course.__version__}\n"


@pytest.mark.parametrize("arguments", [["--json"], ["--json", "list"], ["list", "--json"]])
def test_json_before_a_command_or_after_it(capsys, arguments):
    assert command(*arguments) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(EXERCISES)


def test_ctrl_c_ends_in_one_line(capsys, monkeypatch):
    def stopped():
        raise KeyboardInterrupt

    monkeypatch.setattr("attn_course.exercises.engine.command.load", stopped)
    with pytest.raises(SystemExit, match="130"):
        command("list")
    assert capsys.readouterr().err == "\nstopped: what was solved is kept\n"
