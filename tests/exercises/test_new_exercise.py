"""`make new-exercise`: a skeleton that loads, is judged, and is refused until it is filled."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from attn_course.exercises import judge
from attn_course.exercises.engine import files
from attn_course.exercises.engine.run import FRAMEWORKS
from attn_course.exercises.engine.sources import cells

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import new  # noqa: E402


@pytest.fixture
def root(tmp_path):
    shutil.copytree(ROOT / new.BANK / "04_dot_product", tmp_path / new.BANK / "04_dot_product")
    (tmp_path / new.ANSWERS).mkdir(parents=True)
    shutil.copy(ROOT / new.ANSWERS / "04_dot_product.txt", tmp_path / new.ANSWERS)
    return tmp_path


def test_a_skeleton(root, capsys):
    order = root / new.BANK / "04_dot_product" / "chapter.toml"
    before = tomllib.loads(order.read_text())["order"]
    assert new.main(["exercise", "04.total", "--root", str(root)]) == 0
    assert tomllib.loads(order.read_text())["order"] == [*before, "total"]
    said = capsys.readouterr().out
    assert "bank/04_dot_product/total.py" in said and 'shown("04.total", total)' in said
    exercise = files.Bank(root / new.BANK)["04.total"]
    assert judge(exercise, exercise.solution, "numpy", 1) == (None, "")
    (words,) = exercise.mistakes
    assert words in judge(exercise, lambda x: x.sum(axis=0), "numpy", 1)[0]
    text = (root / new.ANSWERS / "04_dot_product.txt").read_text()
    assert [title for title, _ in cells(text)[1][-3:]] == [f"total, right: {each}" for each in FRAMEWORKS]
    told = new.places("exercise", NAME="total", NN_TOPIC="04_dot_product")
    assert told in said
    places = re.findall(r"(?m)^\d\. `(.*?)`", told)
    assert [path for path in places if not ((root / path).exists() or (ROOT / path).exists())] == []
    assert said.splitlines()[:3] == places[:3]
    assert all("TODO" in (root / path).read_text() for path in (places[0], places[2]))  # which test_bank.py refuses
    taken = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert new.main(["exercise", "04.total", "--root", str(root)]) == 2
    assert "exists" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == taken


@pytest.mark.parametrize(
    ("name", "words"), [("total", "NAME must be"), ("04.T", "NAME must be"), ("99.x", "no chapter")]
)
def test_names_that_cannot_be(root, capsys, name, words):
    assert new.main(["exercise", name, "--root", str(root)]) == 2
    assert words in capsys.readouterr().err


def test_the_tool_needs_python_alone(root):
    """Nothing that is installed is on the path."""
    path = f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r})"
    program = f"{path}; import new; sys.exit(new.main(['exercise', '04.total', '--root', {str(root)!r}]))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and "04_dot_product/total.py" in done.stdout, done.stderr
