"""The wheel with PyTorch alone, with TensorFlow alone, with neither; and chapter 2 from an empty folder."""

import json
import re
import zipfile
from pathlib import Path

import pytest
from conftest import locked
from packaging.requirements import Requirement

from attn_course.core.publisher import requirement

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# extra: (face, module whose lack is named)
FACES = {"torch": ("pytorch", "torch"), "tf": ("tf", "tensorflow")}
DAMAGE = """
from pathlib import Path
from attn_course.tasks import dates
file = Path(dates.__file__).with_name("dates.tsv.gz")
file.write_bytes(file.read_bytes()[:-1])
dates.load_dates("test")
"""
CHAPTER = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[2])
"""
INSTALLED_FROM = """
import importlib.metadata
print(importlib.metadata.distribution("attn-course").read_text("direct_url.json"))
"""


RECORDS = ",".join(sorted(path.stem for path in (ROOT / "src" / "attn_course" / "records").glob("*.json")))


def succeeds(done):
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    return done.stdout


def last_line(done):
    """Of what a run that must fail wrote to stderr."""
    assert done.returncode == 1, done.stdout + done.stderr[-4000:]
    return done.stderr.strip().splitlines()[-1]


def the_missing_face_says_how(environment, extra):
    """The very command, from the publisher's repository: a bare name would be a stranger's package on an index."""
    face, module = FACES[extra]
    assert last_line(environment.run("-c", f"import attn_course.{face}")) == (
        f"ModuleNotFoundError: this part of attn_course needs {module}, which is not installed: "
        f"pip install {requirement(f'[{extra}]')}"
    )


def damaged_dates_say_how(environment):
    line = last_line(environment.run("-c", DAMAGE))
    assert line.startswith("ValueError: ") and "dates.tsv.gz is missing or damaged: expected sha256 " in line
    assert line.endswith(f"pip install --force-reinstall --no-deps {requirement()}")


def test_chapter_2_from_an_empty_folder(environment, wheel, tmp_path):
    """Its first cell installs the wheel; the assertions in its cells do the rest. First, for it takes longest."""
    environment.install(*locked("torch"), *locked("tf"), "nbclient", "ipykernel")
    assert "No module named 'attn_course'" in last_line(environment.run("-c", "import attn_course"))
    assert list(environment.empty.iterdir()) == []

    done = tmp_path / "done.ipynb"
    arguments = ["-c", CHAPTER, str(ROOT / "book" / "02_bahdanau.ipynb"), str(done)]
    succeeds(environment.run(*arguments, ATTN_COURSE_SPEC=str(wheel)))
    cells = json.loads(done.read_text(encoding="utf-8"))["cells"]
    # A starter of an exercise is the learner's to run.
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    run = [cell for cell in code if "skip-execution" not in cell["metadata"].get("tags", [])]
    counts = [cell["execution_count"] for cell in run]
    assert counts == list(range(1, len(counts) + 1)) and len(counts) > 10
    # It was the first cell's pip, and the wheel that ATTN_COURSE_SPEC names.
    assert json.loads(succeeds(environment.run("-c", INSTALLED_FROM)))["url"] == wheel.as_uri()


def test_the_wheel_holds_every_file_of_the_package(wheel):
    """Data too: a kind of file that `package-data` forgets is there in the tree and missing for users."""
    files = (path.relative_to(ROOT / "src") for path in (ROOT / "src").glob("attn_course/**/*") if path.is_file())
    expected = {str(path) for path in files if "__pycache__" not in path.parts}
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == expected and len(held) > 50


def test_the_metadata_name_the_frameworks_and_lead_to_the_repository(wheel):
    (name,) = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/METADATA")]
    text = zipfile.ZipFile(wheel).read(name).decode()
    lines = text.splitlines()
    asked = [Requirement(line.partition(":")[2]) for line in lines if line.startswith("Requires-Dist:")]
    for extra, expected in (
        ("torch", {"torch"}),
        ("tf", {"tensorflow", "keras"}),
        ("all", {"attn-course"}),
        ("", set()),
    ):
        plain = {r.name for r in asked if r.marker is None}
        found = {r.name for r in asked if r.marker is None or r.marker.evaluate({"extra": extra})}
        assert plain == {"numpy", "matplotlib", "tqdm"} and found - plain == expected
    assert all(specifier.operator == ">=" for r in asked for specifier in r.specifier), "lower bounds only"
    assert re.findall(r"\]\((?!https://)[^)]+\)", text) == [], "README.md as an index shows it"


def test_without_a_framework(environment, wheel):
    environment.install(str(wheel))
    succeeds(environment.run(HERE / "use_wheel.py", RECORDS))
    for extra in FACES:
        the_missing_face_says_how(environment, extra)
    damaged_dates_say_how(environment)


@pytest.mark.parametrize(("extra", "other"), [("torch", "tf"), ("tf", "torch")])
def test_with_one_framework_alone(environment, wheel, extra, other):
    environment.install(str(wheel), *locked(extra))
    succeeds(environment.run(HERE / "use_wheel.py", RECORDS, FACES[extra][0]))
    the_missing_face_says_how(environment, other)
    if extra == "tf":
        line = last_line(environment.run("-c", "import attn_course.tf", KERAS_BACKEND="torch"))
        assert line.startswith("ImportError: ") and "KERAS_BACKEND is 'torch': set KERAS_BACKEND=tensorflow" in line
    damaged_dates_say_how(environment)
