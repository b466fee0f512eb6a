"""A class of made-up submissions, hostile ones among them: each gets its own marks, and a row of its own."""

import contextlib
import csv
import io
import itertools
import json
import os
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from answers import RIGHT
from hostile import HEAD, HOSTILE, SECRET, TWO, A, B, answer

from attn_course.__main__ import main
from attn_course.exercises import EXERCISES
from attn_course.exercises.engine import box, folder, marking
from attn_course.exercises.engine.answering import read, write
from attn_course.exercises.engine.folder import _safe, mark_folder, submissions
from attn_course.exercises.engine.marking import Limits
from attn_course.exercises.engine.sources import source_of
from attn_course.exercises.engine.submission import cells_of, copied

SEED = 471_108
SHUT_IN = pytest.mark.skipif(not box.works(), reason="needs namespaces of its own: no sandbox on this system")
ORDINARY = {
    "right.py": (TWO, 2, ""),
    "wrong.py": (HEAD + A.replace(" / np.sqrt(key.shape[1])", "") + B, 1, "the scale is missing"),
    "syntax.py": (HEAD + "def f(:\n" + A, 0, "SyntaxError"),
    "latin.py": ((TWO + "# \xe9\n").encode("latin-1"), 2, ""),
    "conflict.ipynb": ("<<<<<<< HEAD\n{", 0, "it can't be read"),
    "student 7/own answers.py": (HEAD + A, 2, ""),
    "student 7/more.py": (HEAD + B, 2, ""),
    "cached/__pycache__/x.py": ("while True:\n    pass\n", 0, "there is no .py and no .ipynb in it"),
}


def write_class(folder, submissions):
    for name, (text, _, _) in submissions.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            text
            if isinstance(text, bytes)
            else text.replace("FOLDER", str(folder)).replace("TEACHER", str(folder.parent / "teacher")).encode()
        )


def judged(folder, tmp_path, submissions, **options):
    """Marks and words of a class, with everything compared that was expected."""
    out, feedback = io.StringIO(), tmp_path / "feedback"
    rows = mark_folder(folder, out, SEED, feedback=feedback, **options)
    assert sorted(row["submission"] for row in csv.DictReader(io.StringIO(out.getvalue()))) == sorted(
        {_safe(Path(name).parts[0]) for name in submissions}
    )
    rows, unlike = {row["submission"]: row for row in rows}, []
    for name, (_, solved, words) in submissions.items():
        name = _safe(Path(name).parts[0])
        told = (feedback / f"{name[:200]}.txt").read_text()
        if rows[name]["solved"] != solved or words not in told:
            unlike.append((name, solved, words, told))
    assert not unlike
    return rows


def test_a_class(tmp_path):
    folder = tmp_path / "class of 2026"
    write_class(folder, ORDINARY)
    rows = judged(folder, tmp_path, ORDINARY, jobs=2)
    flags = [f"cell 1 has the text of the solution of 04.{name}" for name in ("attention", "with_cache")]
    assert rows["right.py"]["note"] == "; ".join(flags) and rows["right.py"]["04.attention"] == 1
    assert rows["wrong.py"]["04.attention"] == 0 and rows["wrong.py"]["04.with_cache"] == 1
    assert "13.ring" not in rows["right.py"]
    assert rows["student 7"]["04.attention"] == rows["student 7"]["04.with_cache"] == 1


TEN = {
    **{name: ORDINARY[name] for name in ("right.py", "wrong.py", "latin.py", "conflict.ipynb")},
    **{name: HOSTILE[name] for name in ("forged.py", "leaves.py", "patches.py", "=1+1.py")},
    "Lovelace Ada_4711_assignsubmission_file_/own.py": (TWO, 2, ""),  # as Moodle names it
    "turingalan_LATE_12_3456_a.py": (HEAD + A, 2, ""),  # as Canvas does, in two files
    "turingalan_LATE_12_3457_b-1.py": (HEAD + B, 2, ""),
}


def test_a_class_of_ten_from_the_command_line(tmp_path, capfd):
    """Hostile ones among them: each gets the right marks, in the table as in its text."""
    folder, table, feedback = tmp_path / "class", tmp_path / "marks.csv", tmp_path / "texts"
    write_class(folder, TEN)
    (tmp_path / "seed").write_text(f"{SEED}\n")
    (tmp_path / "cases.py").write_text("CASES = {}\n")
    given = ["--csv", table, "--feedback", feedback, "--seed-file", tmp_path / "seed", "--cases", tmp_path / "cases.py"]
    assert main(["exercises", "grade", str(folder), *map(str, given), "--jobs", "2"]) == 0
    rows = {row["submission"]: row for row in csv.DictReader(io.StringIO(table.read_text(encoding="utf-8")))}
    marks = {name: int(row["solved"]) for name, row in rows.items()}
    expected = {Path(name).parts[0]: solved for name, (_, solved, _) in TEN.items() if "LATE" not in name}
    expected["'=1+1.py"] = expected.pop("=1+1.py")  # no formula in the teacher's table
    assert marks == {**expected, "turingalan_LATE_12": 2} and len(marks) == 10
    assert rows["wrong.py"]["wrong"].startswith("04.attention: the scale is missing")
    assert "04.attention: the scale is missing" in (feedback / "wrong.py.txt").read_text()
    assert rows["right.py"]["wrong"] == "" and len(list(feedback.iterdir())) == 10
    assert capfd.readouterr().err.endswith(f"10 submissions, seed {SEED}\n")


def test_the_command_line_can_be_forgotten():
    """Where no room shuts a submission in, it can't read the seed from the command that marks it."""
    code = "from attn_course.exercises.engine.box import forget_arguments as forget\nforget()\n"
    code += "print(open('/proc/self/cmdline').read())"
    done = subprocess.run([sys.executable, "-c", code, "--seed", "471108"], capture_output=True, text=True, check=True)
    assert "471108" not in done.stdout or sys.platform != "linux"


def test_what_is_no_submission(tmp_path):
    """A link to another's file, a file too large and an empty folder; they are rows with words, or none."""
    (tmp_path / "a.py").write_text(TWO)
    (tmp_path / "link.py").symlink_to(tmp_path / "a.py")
    (tmp_path / "empty student").mkdir()
    with (tmp_path / "large.py").open("w") as file:
        file.truncate(2**27)
    found = submissions(tmp_path)
    assert sorted(found) == ["a.py", "empty student", "large.py"] and found["a.py"] == [TWO]
    assert "larger than 64 MiB" in str(found["large.py"]) and "no .py" in str(found["empty student"])


@SHUT_IN
def test_a_hostile_class(tmp_path):
    """Nothing that a submission does ends the run, changes another's marks or is left behind."""
    folder = tmp_path / "class"
    (tmp_path / "teacher").mkdir()
    (tmp_path / "teacher" / "cases.py").write_text(f"# {SECRET}\nCASES = {{}}\n")
    write_class(folder, HOSTILE)
    (folder / "z_link.py").symlink_to(folder / "zz_victim.py")
    os.mkfifo(folder / "z_pipe.py")
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    rows = judged(folder, tmp_path, HOSTILE, jobs=2, limits=Limits(seconds=2.0, statement=60.0, total=300.0))
    assert not rows["forged.py"].get("13.ring") and not rows["deaf.py"].get("13.ring")
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if _names_answering(path)]
    assert not left


def _names_answering(path):
    try:
        return b"exercises.engine.answering" in path.read_bytes() and b"pytest" not in path.read_bytes()
    except OSError:
        return False


def test_hidden_cases_count(tmp_path):
    """An answer that is right for the known cases alone fails with the teacher's; whose file has a fault is told."""
    hidden = (
        "import numpy as np\nfrom attn_course.exercises import Case\n"
        "CASES = {'00.weights': lambda rng: [Case('hidden', (rng.normal(size=(2, 17)),))]}\n"
    )
    own = HEAD + answer("00.weights").replace("np.exp(score", "(score.shape[1] != 17) * np.exp(score")
    assert marking.mark([own], marking.Cases(1)).faults == {"00.weights": None}
    assert marking.mark([own], marking.Cases(1, hidden)).faults["00.weights"] is not None
    for text, words in (("CASES = {'99.x': list}", "'99.x', which is no exercise"), ("1 / 0", "ZeroDivisionError")):
        with pytest.raises(ValueError, match=words):
            marking.Cases(1, text)


def test_a_notebook_as_it_is_published_has_no_answers(tmp_path):
    """Its solutions are not the student's; the starters are not done yet."""
    chapter = Path(__file__).parents[2] / "book" / "04_scaled_dot_product.md"
    text, cells = chapter.read_text(encoding="utf-8"), []
    for part in text.split("```{code-cell} ipython3\n")[1:]:
        code = part.partition("\n```")[0]
        tags = code.partition("]")[0].removeprefix(":tags: [").split(", ") if code.startswith(":tags") else []
        if {"exercise", "solution"} & set(tags) and not {"tab-torch", "tab-tf"} & set(tags):
            source = code.partition("\n")[2]
            cells.append({"cell_type": "code", "metadata": {"tags": tags}, "source": source})
    path = tmp_path / "own.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    assert len(cells) >= 8 and not any("shown(" in cell for cell in cells_of(path))
    faults, _ = marking.mark(cells_of(path), marking.Cases(3))
    assert len(faults) >= 4 and all(faults.values())
    for cell in cells:  # and where the tags are lost
        cell["metadata"] = {}
    path.write_text(json.dumps({"cells": cells}))
    faults, _ = marking.mark(cells_of(path), marking.Cases(3))
    assert len(faults) >= 4 and all(faults.values())


def test_frames_hold_numbers_alone():
    stream = io.BytesIO()
    arrays = np.arange(6.0).reshape(2, 3), np.array(True), np.zeros((0, 5), np.int32)
    write(stream, {"error": "\ud800"}, arrays)
    stream.seek(0)
    header, found = read(stream)
    assert header == {"error": "\ud800"} and read(stream) is None
    for one, other in zip(found, arrays, strict=True):
        assert one.dtype == other.dtype and np.array_equal(one, other) and one.shape == other.shape
    deep, objects = b"[" * 10**5, json.dumps({"arrays": [["O", [1]]]}).encode() + b"\n12345678"
    negative = json.dumps({"arrays": [["f8", [-1]]]}).encode() + b"\n12345678"
    for body in (b"", b"{}\n", deep, objects, negative, b'{"arrays": [["f8", [1e400]]]}\n', b"\xff\n"):
        with pytest.raises(ValueError, match="its result can't be read"):
            read(io.BytesIO(struct.pack("<I", len(body)) + body))
    with pytest.raises(ValueError, match="larger than 64 MiB"):
        read(io.BytesIO(struct.pack("<I", 2**31)))


def test_the_courses_own_text_is_flagged():
    text = source_of(EXERCISES["04.attention"].solution)
    renamed = text.replace("def attention", "def mine").replace("    total", "    # the sum\n    total")
    assert copied([HEAD, renamed]) == ["cell 2 has the text of the solution of 04.attention"]
    assert copied([renamed.replace("highest", "top")]) == [] and copied(["def f(:"]) == []
    assert copied(["from attn_course.exercises import EXERCISES\nf = EXERCISES['13.ring'].solution"]) == [
        "cell 1 reads solutions out of the package"
    ]


def test_a_short_solution_is_flagged_as_what_may_be_chance():
    """Of every exercise; no answer that others wrote is taken for a copy."""
    for exercise in EXERCISES.values():
        for text in (source_of(exercise.solution), *exercise.answers.values()):
            assert copied([text]), exercise.name
    assert copied([source_of(EXERCISES["12.merged"].solution)]) == [
        "cell 1 has the text of the solution of 12.merged (a line or two, which may be chance)"
    ]
    assert copied(["def mine(score):\n    return softmax(score)\n"]) == []
    answers = [code for name in EXERCISES for code in RIGHT[name].values()]
    assert len(answers) > 300 and not any(map(copied, ([code] for code in answers)))


def test_how_far_off_a_prediction_was_is_noted(tmp_path):
    """It counts as solved, however far off it was: the teacher's table and the student's text say how far."""
    code = HEAD + answer("00.largest_weight").replace(
        'check("00.largest_weight", ', 'check("00.largest_weight", (0.95, '
    )
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "own.py").write_text(code.rstrip().replace("largest_weight)", "largest_weight))"))
    (row,) = mark_folder(tmp_path / "class", io.StringIO(), SEED, feedback=tmp_path / "texts")
    told = "00.largest_weight; you predicted 0.95, it is 0.5999 (off: why?)"
    assert row["00.largest_weight"] == 1 and told in row["note"]
    assert told in (tmp_path / "texts" / "own.py.txt").read_text()


class Rows(io.StringIO):
    """Text that says when a line with a word has been written."""

    def __init__(self, word):
        super().__init__()
        self.word, self.written = word, threading.Event()

    def flush(self):
        if self.word in self.getvalue():
            self.written.set()


def test_a_row_comes_as_soon_as_it_is_known(tmp_path, monkeypatch):
    """The second submission isn't through before the first one's row is written."""
    out = Rows("a.py,")

    def marked(cells, *given, limits):
        slow = cells == ["slow"]
        return folder.Marks({}, ["late" if slow and not out.written.wait(20) else "in time"])

    monkeypatch.setattr(folder, "_marked", marked)
    for name, text in (("a.py", "fast"), ("b.py", "slow")):
        (tmp_path / name).write_text(text)
    for jobs in (1, 2):
        out.written.clear()
        rows = mark_folder(tmp_path, out, SEED, jobs=jobs)
        assert [row["note"] for row in rows] == ["in time", "in time"]


def test_the_teachers_page_counts_the_hostile():
    page = (Path(__file__).parents[2] / "book" / "teaching.md").read_text(encoding="utf-8")
    assert f"The tests mark {len(HOSTILE) - 1} hostile submissions so" in page  # the last one is their victim


def test_a_system_without_limits_says_so(monkeypatch):
    assert box.missing_limits() == [] or sys.platform != "linux" or not box.works()
    monkeypatch.setattr(box.sys, "platform", "win32")
    monkeypatch.setattr(box, "works", lambda: False)
    memory, processes, sandbox = box.missing_limits()
    assert memory == "no limit of memory is kept on this system (win32)"
    assert processes == "processes that a submission starts are not ended with it"
    assert "no sandbox here" in sandbox and "mark in a container" in sandbox
    assert box.command("/nowhere", "/tmp") == list(box.PYTHON)


FOREVER = """
from attn_course.exercises.engine.process import Process

plan = {"cells": ["while True:\\n    pass\\n"], "skip": set(), "calls": 0, "seconds": 600, "megabytes": 2_000}
process = Process(plan, None)
print(process.next(60)[0]["cell"], flush=True)
process.next(600)
"""


def below(number):
    """The processes that this one started, and those that they started."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            found[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    each = [child for child, parent in found.items() if parent == number]
    return [*each, *itertools.chain.from_iterable(below(child) for child in each)]


@SHUT_IN
def test_a_submission_ends_with_whoever_marks_it():
    """Killed, that has no time to end what it started; a loop would run for ever."""
    with subprocess.Popen([sys.executable, "-c", FOREVER], stdout=subprocess.PIPE, text=True) as marker:
        assert marker.stdout.readline() == "cell 1\n"
        started = below(marker.pid)
        marker.kill()
    assert len(started) == 2, "it, and what built its room"
    for _ in range(200):
        if not (left := [each for each in started if Path(f"/proc/{each}").exists()]):
            break
        time.sleep(0.05)
    assert not left
