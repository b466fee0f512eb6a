"""`make new-exercise`: a skeleton that loads, is judged, and is refused until it is filled."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from attn_course.exercises import judge
from attn_course.exercises.engine import files

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import new_exercise  # noqa: E402


@pytest.fixture
def root(tmp_path):
    for part in (new_exercise.BANK, new_exercise.ANSWERS):
        shutil.copytree(ROOT / part / "04_dot_product", tmp_path / part / "04_dot_product")
    return tmp_path


def test_a_skeleton(root, capsys):
    order = root / new_exercise.BANK / "04_dot_product" / "chapter.toml"
    before = tomllib.loads(order.read_text())["order"]
    assert new_exercise.main(["04.total"], root) == 0
    assert tomllib.loads(order.read_text())["order"] == [*before, "total"]
    said = capsys.readouterr().out
    assert "bank/04_dot_product/total/solution.py" in said and 'shown("04.total", total)' in said
    exercise = files.Bank(root / new_exercise.BANK)["04.total"]
    assert judge(exercise, exercise.solution, "numpy", 1) == (None, "")
    (words,) = exercise.mistakes
    assert words in judge(exercise, lambda x: x.sum(axis=0), "numpy", 1)[0]
    told = new_exercise.places("total", "04_dot_product")
    assert told in said
    # One list: the guide has it word by word.
    told = new_exercise.places("NAME", "NN_TOPIC")
    assert told in (ROOT / "docs" / "exercises.md").read_text(encoding="utf-8")
    places = [path.format(name="total", topic="04_dot_product") for path, _ in new_exercise.PLACES]
    assert [path for path in places if not ((root / path).exists() or (ROOT / path).exists())] == []
    written = {str(path.relative_to(root)) for path in root.rglob("*") if "total" in path.parts and path.is_file()}
    assert written < set(places)
    made = [root / line for line in said.splitlines()[:6]]
    assert all("TODO" in path.read_text() for path in made)  # which test_bank.py refuses
    taken = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert new_exercise.main(["04.total"], root) == 2
    assert "there is " in capsys.readouterr().err
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == taken


@pytest.mark.parametrize(
    ("name", "words"), [("total", "NAME must be"), ("04.T", "NAME must be"), ("99.x", "no chapter")]
)
def test_names_that_cannot_be(root, capsys, name, words):
    assert new_exercise.main([name], root) == 2
    assert words in capsys.readouterr().err


def test_the_tool_needs_python_alone(root):
    """Nothing that is installed is on the path."""
    path = f"import sys; from pathlib import Path; sys.path.insert(0, {str(ROOT / 'tools')!r})"
    program = f"{path}; import new_exercise; sys.exit(new_exercise.main(['04.total'], Path({str(root)!r})))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and "total/solution.py" in done.stdout, done.stderr
