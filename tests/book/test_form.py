"""What becomes of a chapter: its notebook, those of one framework, and their runs."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import bundles
import pytest
from chapters import ALONE, read_notebook, tags
from execute import CellFailed, execute_alone
from marks import NOT_RUN
from nbformat.v4 import new_code_cell, new_notebook
from notebooks import main, write_alone
from publisher import ROOT


def place(root, name):
    """Where a notebook stands: that of both frameworks beside its source, those of one where they are made."""
    return root / ("book" if name == "02_average" else ALONE) / f"{name}.ipynb"


def code(root, name="02_average"):
    return [cell for cell in read_notebook(place(root, name)).cells if cell.cell_type == "code"]


def with_tags(root, *wanted, name="02_average"):
    return [cell for cell in code(root, name) if {*wanted} <= set(tags(cell))]


def test_first_lines_and_forms(form_built):
    (check, *_) = with_tags(form_built, "tab-torch", "check")
    assert check.source.startswith("#@title Checked in PyTorch: Equal to `F.scaled_dot_product_attention`\ngiven")
    assert check.metadata["cellView"] == "form" and check.metadata["jupyter"] == {"source_hidden": True}
    (package,) = with_tags(form_built, "tab-tf", "package")
    assert package.source.startswith("#@title TensorFlow: The package's version: what it adds")
    assert package.outputs[0].data["text/html"].startswith("<details><summary>Source</summary>")
    (solution,) = with_tags(form_built, "solution")
    assert solution.source.startswith("#@title Solution\ndef mean")
    (both,) = with_tags(form_built, "both")
    assert both.source.startswith("#@title Checked: PyTorch and TensorFlow agree")
    for name, framework in (("PyTorch", "tab-torch"), ("TensorFlow", "tab-tf")):
        assert all(name in cell.source.partition("\n")[0] for cell in with_tags(form_built, framework))


def test_an_exercise_is_not_executed(form_built):
    (exercise,) = with_tags(form_built, "exercise")
    assert set(NOT_RUN) < set(tags(exercise)) and exercise.execution_count is None and exercise.outputs == []
    assert exercise.source.startswith("# Your turn: edit this cell and run it\n")


def test_tables_and_figures(form_built):
    outputs = [output for cell in code(form_built) for output in cell.outputs if "data" in output]
    kinds = [set(output.data) for output in outputs]
    assert {"image/svg+xml", "text/plain"} in kinds and {"text/markdown", "text/plain"} in kinds
    assert not any("image/png" in kind for kind in kinds)


@pytest.mark.parametrize(("framework", "other"), [("torch", "tf"), ("tf", "torch")])
def test_a_notebook_of_one_framework(form_built, framework, other):
    name = f"02_average_{framework}"
    assert with_tags(form_built, f"tab-{other}", name=name) == with_tags(form_built, "both", name=name) == []
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code(form_built, name))
    text = place(form_built, name).read_text(encoding="utf-8")
    assert f"/blob/notebooks/main/{name}.ipynb)" in text and "/book/02_average.ipynb" not in text
    assert "course@main" in code(form_built, name)[0].source, "it installs what it belongs to"
    foreign = {"torch": r"keras|TensorFlow|\btf\.", "tf": r"PyTorch|\btorch\.|(?<!tf\.)\bnn\."}[framework]
    cells = [cell["source"] for cell in json.loads(text)["cells"]]
    assert [found for cell in cells for found in re.findall(foreign, "".join(cell))] == []


def test_notebooks_of_one_framework_run_without_the_other(form_built, capsys):
    assert main(["--root", str(form_built), "alone"]) == 0
    shown = capsys.readouterr().out
    assert "02_average_torch.ipynb" in shown and "02_average_tf.ipynb" in shown


def unknown_names(folder):
    """What notebooks name and never define."""
    options = ["--isolated", "--quiet", "--output-format=concise", "--select=F821"]
    command = [Path(sys.executable).with_name("ruff"), "check", *options, folder]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


def test_no_notebook_of_one_framework_names_what_the_other_s_cells_define(tmp_path):
    for path in write_alone(ROOT):
        shutil.copy(path, tmp_path)
    assert len([*tmp_path.iterdir()]) > 30 and unknown_names(tmp_path) == []
    for path in tmp_path.iterdir():
        texts = [cell.source for cell in read_notebook(path).cells if cell.cell_type == "markdown"]
        captions = [text for text in texts if text.startswith("**Fig. ")]
        assert len(captions) == len({*captions}), path.name  # the other's figure went with its caption
    broken = next(tmp_path.glob("04_*_torch.ipynb"))
    broken.write_text(broken.read_text(encoding="utf-8").replace("import torch", "import math"), encoding="utf-8")
    assert any("`torch`" in line for line in unknown_names(tmp_path))


def test_notebooks_of_one_framework_are_made_wherever_they_are_used(form):
    made = [place(form, f"02_average_{key}") for key in ("torch", "tf")]
    assert [*write_alone(form)] == made and all(path.exists() for path in made)
    assert not [*(form / "book").glob("*.ipynb")], "they need no notebook of both"
    assert bundles.notebooks(form)["notebooks-tf"] == [made[1]]


def short(source, *, framework="torch", tags=()):
    cell = new_code_cell(source, metadata={"tags": [*tags]})
    execute_alone(new_notebook(cells=[cell]), "it", framework)


def test_the_other_framework_is_missing():
    asked = "import importlib.util as u\nassert u.find_spec('tensorflow') is u.find_spec('keras') is None\n"
    short(asked + "assert u.find_spec('torch')\nimport os\nassert os.environ['ATTN_COURSE_STEPS'] == '20'")
    with pytest.raises(CellFailed, match="ModuleNotFoundError"):
        short("import torch", framework="tf")


def test_checks_of_training_are_left_out():
    short("assert False", tags=["check", "trained"])
    with pytest.raises(CellFailed):
        short("assert False", tags=["check"])


def test_the_first_cell_compares_versions(form_built, monkeypatch, capsys):
    first = code(form_built)[0]
    assert first.outputs and "This notebook is of version 7.8.9" in first.outputs[0].text
    runnable = first.source.replace('%pip install -q "{spec}"', "pass")
    for installed, said in (("7.8.9", False), ("7.8.10", True)):
        monkeypatch.setattr("importlib.metadata.version", lambda name, found=installed: found)
        exec(runnable, {})
        assert ("version 7.8.9" in capsys.readouterr().out) is said


def test_nbval_compares_it(form_built, capfd):
    """Exercises are skipped; tables, printed lines and the rest agree with the notebook."""
    assert main(["--root", str(form_built), "check", "--jobs", "1"]) == 0
    shown = capfd.readouterr().out
    assert "compared: 18, ignored: 2" in shown and "1 skipped" in shown and "failed" not in shown
