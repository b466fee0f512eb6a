"""A class of made-up submissions, hostile ones among them: each gets its own marks, and a row of its own."""

import csv
import io
import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hostile import BOMBS, HEAD, HOSTILE, SECRET, TWO, A, B, answer

from attn_course.__main__ import main
from attn_course.exercises import EXERCISES
from attn_course.exercises.engine import box, folder, marking
from attn_course.exercises.engine.answering import read, write
from attn_course.exercises.engine.folder import mark_folder
from attn_course.exercises.engine.marking import Limits
from attn_course.exercises.engine.sources import source_of
from attn_course.exercises.engine.submission import copied

SEED = 471_108
NONE = "there is no code in it"
NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "source": [TWO]}]})
CLASS = {
    "right.py": (TWO, 2, ""),
    "wrong.py": (HEAD + A.replace(" / np.sqrt(key.shape[1])", "") + B, 1, "04.attention: the scale is missing"),
    "twice.py": (TWO + "check('04.attention', 0)\n", 1, "04.attention is checked more than once: the last one counts"),
    "syntax.py": (HEAD + "def f(:\n" + A, 0, "SyntaxError"),
    "silent.py": (HEAD, 0, "it checks no answer"),
    "latin.py": ((TWO + "# \xe9\n").encode("latin-1"), 2, ""),
    "wide.py": (TWO.encode("utf-16"), 2, ""),
    "wide without its mark.py": (TWO.encode("utf-16-le"), 0, "it is no text in UTF-8"),
    "saved as.py": (NOTEBOOK, 2, ""),
    "conflict.ipynb": ("<<<<<<< HEAD\n{", 0, "it can't be read"),
    "deep.ipynb": ("[" * 10**5, 0, "it can't be read"),
    "numbers.ipynb": ('{"cells": [{"cell_type": "code", "source": [1]}, 7]}', 0, "it can't be read"),
    "empty.py": ("", 0, NONE),
    "thesis.pdf": ("%PDF", 0, NONE),
    "cached/__pycache__/x.py": ("while True:\n    pass\n", 0, NONE),
    "student 7/own answers.py": (HEAD + A, 2, ""),
    "student 7/more.py": (HEAD + B, 2, ""),
    "Lovelace Ada_4711_assignsubmission_file_/own.py": (TWO, 2, ""),  # as Moodle names it
    "turingalan_LATE_12_3456_a.py": (HEAD + A, 2, ""),  # as Canvas does, in three files
    "turingalan_LATE_12_3457_b-1.py": (HEAD + B, 2, ""),
    "turingalan_LATE_12_3458_c.pdf": ("%PDF", 2, ""),
    # Words and names that a table, a screen or a file can't hold.
    "surrogate.py": (TWO + 'raise ValueError("\\ud800")\n', 2, "ValueError: \\ud800"),
    "=1+1.py": (TWO + 'raise ValueError("\\x1b[2J\\n\\n=1+1")\n', 2, "ValueError: "),
    "long" * 62 + ".py": (HEAD + A, 1, ""),
}


def write_class(folder, submissions):
    for name, (text, _, _) in submissions.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_a_class_from_the_command_line(sandbox, tmp_path, capfd):
    """Each gets the right marks, in the table as in its text, whatever lies in the folder."""
    folder, table, feedback = tmp_path / "class of 2026", tmp_path / "marks.csv", tmp_path / "texts"
    write_class(folder, CLASS)
    (folder / "link.py").symlink_to(folder / "right.py")
    os.mkfifo(folder / "pipe.py")
    with (folder / "large.py").open("w") as file:
        file.truncate(2**27)
    (tmp_path / "seed").write_text(f"{SEED}\n")
    (tmp_path / "cases.py").write_text("CASES = {}\n")
    given = ["--csv", table, "--feedback", feedback, "--seed-file", tmp_path / "seed", "--cases", tmp_path / "cases.py"]
    assert main(["exercises", "grade", str(folder), *map(str, given), "--jobs", "2"]) == 0
    rows = {row["submission"]: row for row in csv.DictReader(io.StringIO(table.read_text(encoding="utf-8")))}
    others = {"link.py": ("", 0, "a link isn't followed"), "pipe.py": ("", 0, NONE)}
    others["large.py"] = ("", 0, "larger than 64 MiB")
    expected = {}
    for name, (_, solved, words) in {**CLASS, **others}.items():
        first = "turingalan_LATE_12" if "LATE" in name else Path(name).parts[0]
        expected["'" * first.startswith("=") + first] = solved, words  # no formula in the teacher's table
    assert [row.lstrip("'") for row in rows] == sorted(name.lstrip("'") for name in expected)
    told = {name: (feedback / f"{name[:200]}.txt").read_text() for name in rows}
    unlike = {
        name: (row["solved"], told[name])
        for name, row in rows.items()
        if int(row["solved"]) != expected[name][0] or expected[name][1] not in told[name]
    }
    assert not unlike
    flags = [f"cell 1 has the text of the solution of 04.{name}" for name in ("attention", "with_cache")]
    assert rows["right.py"]["note"] == "; ".join(flags) and rows["right.py"]["wrong"] == ""
    assert rows["wrong.py"]["wrong"].startswith("04.attention: the scale is missing")
    assert rows["wrong.py"]["04.attention"] == "0" and rows["wrong.py"]["13.ring"] == ""
    assert len(list(feedback.iterdir())) == len(rows)
    assert capfd.readouterr().err.endswith(f"submissions: {len(rows)}, seed {SEED}\n")


@pytest.fixture(scope="module")
def school(tmp_path_factory):
    """A folder with the work of others, and one of the teacher's."""
    place = tmp_path_factory.mktemp("school")
    write_class(place, {"class/victim.py": (TWO, 2, ""), "teacher/cases.py": (f"# {SECRET}\nCASES = {{}}\n", 0, "")})
    return place


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_submission(sandbox, school, name):
    """Nothing that it does ends the run, changes another's marks or is left behind."""
    text, solved, words = HOSTILE[name]
    text = text.replace("FOLDER", str(school / "class")).replace("TEACHER", str(school / "teacher"))
    before = set(box.children(os.getpid()))
    limits = Limits(seconds=0.5, statement=20.0, total=60.0)
    faults, notes = marking.mark([HEAD + text], marking.Cases(SEED), limits, school / "class")
    told = "\n".join([f"{key}: {fault}" for key, fault in faults.items()] + notes)
    assert list(faults.values()).count(None) == solved and words in told
    assert "13.ring" not in faults or faults["13.ring"] or name == "imports"
    assert [path.name for path in (school / "class").iterdir()] == ["victim.py"]
    assert (school / "class" / "victim.py").read_text() == TWO
    assert set(box.children(os.getpid())) <= before


def test_bombs_take_nobody_elses_marks(sandbox, tmp_path, monkeypatch):
    """Beside honest files, which have threads and are given no second chance here."""
    monkeypatch.setattr(folder, "_starved", lambda marks: False)
    honest = {f"honest {number}.py": (TWO, 2, "") for number in range(4)}
    bombs = {f"{name}.py": (HEAD + text, solved, words) for name, (text, solved, words) in BOMBS.items()}
    everybody = dict(sorted({**honest, **bombs}.items(), reverse=True))
    write_class(tmp_path / "class", everybody)
    limits = Limits(seconds=10.0, statement=30.0, total=120.0, megabytes=1000)
    rows = mark_folder(tmp_path / "class", io.StringIO(), SEED, jobs=2, limits=limits)
    assert {row["submission"]: row["solved"] for row in rows} == {name: given[1] for name, given in everybody.items()}
    for row in rows:
        assert everybody[row["submission"]][2] in row["wrong"] + row["note"]


def test_what_the_machine_had_no_room_for_is_marked_again(tmp_path, monkeypatch):
    """Alone, after all others; what fails in its own lines, or fails again, counts."""
    calls, running = [], []
    poor, own = "it raised RuntimeError: can't start new thread", "it raised MemoryError: x, in line 3: y"

    def marked(cells, *given, limits):
        name = cells[0].strip()
        running.append(name)
        time.sleep(0.1)
        alone = running == [name]
        running.remove(name)
        calls.append(name)
        first = calls.count(name) == 1
        notes = ["nothing of it was run: it ended early"] if name == "unbegun" and first else []
        fault = {"poor": poor if first else None, "always": poor, "own": own}.get(name)
        return folder.Marks({"04.attention": fault}, notes + ["alone"] * (alone and not first))

    monkeypatch.setattr(folder, "_marked", marked)
    monkeypatch.setattr(folder, "_try_own", lambda *given: None)
    names = ["always", "fine", "own", "poor", "unbegun"]
    write_class(tmp_path, {f"{name}.py": (name, 0, "") for name in names})
    rows = mark_folder(tmp_path, io.StringIO(), SEED, jobs=3)
    assert [row["submission"].partition(".")[0] for row in rows] == ["fine", "own", "always", "poor", "unbegun"]
    assert [row["solved"] for row in rows] == [1, 0, 0, 1, 1]
    assert [row["note"] for row in rows] == ["", "", "alone", "alone", "alone"]
    assert sorted(calls) == sorted([*names, "always", "poor", "unbegun"])


def test_what_stands_on_the_path_can_be_imported(sandbox, tmp_path, monkeypatch):
    """As by packages in a folder of their own; where something is missing, nobody is marked."""
    write_class(tmp_path, {"packages/of_the_class.py": ("two = 2\n", 0, ""), "class/own.py": (TWO, 2, "")})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "packages" + os.pathsep)
    monkeypatch.setattr(box, "_readable", box._readable.__wrapped__)
    own = f"from of_the_class import two\n{TWO}"
    assert marking.mark([own], marking.Cases(1)).faults == {"04.attention": None, "04.with_cache": None}
    shown = [path for path in box._readable() if not Path(np.__file__).is_relative_to(path)]
    monkeypatch.setattr(box, "_readable", lambda: shown)
    out = io.StringIO()
    with pytest.raises(ValueError, match="the course's own solution isn't right here: nothing of it was run"):
        mark_folder(tmp_path / "class", out, SEED)
    assert out.getvalue() == ""


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (None, "bubblewrap is missing: sudo apt-get install bubblewrap"),
        ("echo 'bwrap: No permissions' >&2; exit 1", "bubblewrap can't build a room here: bwrap: No permissions"),
    ],
)
def test_without_bubblewrap_nothing_is_marked(tmp_path, monkeypatch, capsys, program, words):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(box.sys, "platform", "linux")
    for name in ("bwrap", "setpriv") if program else ():
        (tmp_path / name).write_text(f"#!/bin/sh\n{program}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(box, "missing", box.missing.__wrapped__)
    assert main(["exercises", "grade", str(tmp_path)]) == 2
    assert capsys.readouterr() == ("", f"error: nothing is marked without a sandbox: {words}\n") and not box.works()
    monkeypatch.setattr(box.sys, "platform", "win32")
    assert "needs Linux, this is win32" in box.missing()


def test_hidden_cases_count(sandbox, tmp_path):
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
    for exercise in EXERCISES.values():
        for text in (source_of(exercise.solution), *exercise.answers.values()):
            assert copied([text]), exercise.name
    assert copied([source_of(EXERCISES["14.visited"].solution)]) == [
        "cell 1 has the text of the solution of 14.visited (a line or two, which may be chance)"
    ]
    assert copied(["def mine(score):\n    return softmax(score)\n"]) == []


def test_how_far_off_a_prediction_was_is_noted(sandbox, tmp_path):
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


def test_a_row_comes_as_soon_as_it_is_known(tmp_path, monkeypatch):
    """The second submission isn't through before the first one's row is written."""
    out, seen = io.StringIO(), []

    def marked(cells, *given, limits):
        for _ in range(400 if cells == ["slow"] else 0):
            if "a.py," in out.getvalue():
                seen.append(True)
                break
            time.sleep(0.05)
        return folder.Marks({}, [])

    monkeypatch.setattr(folder, "_marked", marked)
    monkeypatch.setattr(folder, "_try_own", lambda *given: None)
    write_class(tmp_path, {"a.py": ("fast", 0, ""), "b.py": ("slow", 0, "")})
    for jobs in (1, 2):
        out.truncate(0)
        mark_folder(tmp_path, out, SEED, jobs=jobs)
        assert len(seen) == jobs


def test_the_teachers_page_counts_the_hostile():
    page = (Path(__file__).parents[2] / "book" / "teaching.md").read_text(encoding="utf-8")
    told = " ".join(page.split())
    assert f"tests mark {len(HOSTILE) + len(BOMBS)} hostile submissions this way" in told


FOREVER = """
from attn_course.exercises.engine.process import Process

plan = {"cells": ["while True:\\n    pass\\n"], "skip": set(), "calls": 0, "seconds": 600, "megabytes": 2_000}
process = Process(plan, None)
print(process.next(60)[0]["cell"], flush=True)
process.next(600)
"""


def test_a_submission_ends_with_whoever_marks_it(sandbox):
    """Killed, that has no time to end what it started; a loop would run for ever."""
    with subprocess.Popen([sys.executable, "-c", FOREVER], stdout=subprocess.PIPE, text=True) as marker:
        assert marker.stdout.readline() == "cell 1\n"
        started = box.below(marker.pid)
        marker.kill()
    assert len(started) == 3, "it, and what built its room, within and without"
    for _ in range(200):
        if not (left := [each for each in started if Path(f"/proc/{each}").exists()]):
            break
        time.sleep(0.05)
    else:
        box.end(left[0])  # a failing test leaves no loop behind
    assert not left
