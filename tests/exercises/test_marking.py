"""A class of made-up submissions, hostile ones among them: each gets its own marks, and a row of its own."""

import csv
import io
import json
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

from attn_course.exercises import EXERCISES
from attn_course.exercises.engine import box, marking
from attn_course.exercises.engine.answering import read, write
from attn_course.exercises.engine.folder import mark_folder
from attn_course.exercises.engine.marking import Limits
from attn_course.exercises.engine.sources import source_of
from attn_course.exercises.engine.submission import cells_of, copied

SEED = 471_108
HEAD = "import numpy as np\nfrom attn_course.exercises import check, softmax\n"


def answer(name, rename=None):
    exercise = EXERCISES[name]
    function, text = exercise.solution.__name__, source_of(exercise.solution)
    if rename:
        text, function = text.replace(f"def {function}(", f"def {rename}("), rename
    return f'{text}\ncheck("{name}", {function})\n'


A, B = answer("04.attention"), answer("04.with_cache")
TWO = HEAD + A + B
LOOPS = "def endless(*given):\n    while True:\n        pass\n"
# A frame of its own: its author says that an answer was right.
FRAMES = """
import json, os, struct
body = {body}
for number in range(3, 30):
    try:
        os.write(number, struct.pack("<I", len(body)) + body)
    except OSError:
        pass
"""
FORGED = 'json.dumps({"name": "13.ring", "framework": "numpy", "wrong": None, "fault": None, "arrays": []}).encode()'
NEIGHBORS = """
import glob, os
for path in glob.glob("FOLDER/*") + glob.glob("FOLDER/*/*") + glob.glob("/proc/*/cwd/*"):
    try:
        open(path, "w").write("# rewritten")
    except OSError:
        pass
"""
SPY = """
import glob, os
seen = []
for path in glob.glob("/proc/[0-9]*/cmdline") + glob.glob("/proc/[0-9]*/environ"):
    try:
        seen.append(open(path).read())
    except OSError:
        pass
seed = any("471108" in text for text in seen)
raise ValueError(f"seed {seed}, files {os.listdir('.')}, neighbors {glob.glob('FOLDER/*')}")
"""
SESSION = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("/dev/null").read()
        time.sleep(3600)
    os._exit(0)
"""
# name -> (text, how many answers are right, words of the note or of the feedback)
HOSTILE = {
    "endless.py": (HEAD + LOOPS + 'check("04.allowed", endless)\n' + A + B, 2, "does a loop not end?"),
    "loop_in_c.py": (HEAD + 'check("04.allowed", lambda *given: 10**10**9)\n' + A, 1, "does a loop not end?"),
    "leaves.py": (TWO + "import os\nos._exit(0)\n" + answer("04.allowed"), 3, "it ended early"),
    "surrogate.py": (TWO + 'raise ValueError("\\ud800")\n', 2, "ValueError: \\ud800"),
    "forged.py": (HEAD + FRAMES.format(body=FORGED) + "os._exit(0)\n", 0, ""),
    "deep.py": (HEAD + FRAMES.format(body='b"[" * 100000 + b"\\n"') + A, 1, "its result can't be read"),
    "session.py": (HEAD + SESSION + A, 1, ""),
    "neighbors.py": (HEAD + NEIGHBORS + A, 1, ""),
    "spy.py": (HEAD + SPY + A, 1, "seed False, files [], neighbors []"),
    "large.py": (HEAD + 'check("04.allowed", lambda *given: np.ones(10**11))\n' + A, 1, "MemoryError"),
    "kills.py": (HEAD + A + "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n", 1, ""),
    "zz_victim.py": (TWO, 2, ""),
}
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
        path.write_bytes(text if isinstance(text, bytes) else text.replace("FOLDER", str(folder)).encode())


def judged(folder, tmp_path, submissions, **options):
    """Marks and words of a class, with everything compared that was expected."""
    out, feedback = io.StringIO(), tmp_path / "feedback"
    rows = mark_folder(folder, out, SEED, feedback=feedback, **options)
    assert sorted(row["submission"] for row in csv.DictReader(io.StringIO(out.getvalue()))) == sorted(
        {Path(name).parts[0] for name, (_, solved, _) in submissions.items() if solved is not None}
    )
    rows = {row["submission"]: row for row in rows}
    for name, (_, solved, words) in submissions.items():
        if solved is not None:
            name = Path(name).parts[0]
            told = (feedback / f"{name}.txt").read_text()
            assert rows[name]["solved"] == solved, (name, told)
            assert words in told, (name, told)
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


@pytest.mark.skipif(not box.works(), reason="needs namespaces of its own: no sandbox on this system")
def test_a_hostile_class(tmp_path):
    """Nothing that a submission does ends the run, changes another's marks or is left behind."""
    folder = tmp_path / "class"
    write_class(folder, HOSTILE)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    rows = judged(folder, tmp_path, HOSTILE, jobs=2, limits=Limits(seconds=2.0, statement=60.0, total=300.0))
    assert "13.ring" not in rows["forged.py"] or not rows["forged.py"]["13.ring"]
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
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


def test_a_system_without_limits_says_so(monkeypatch):
    assert box.missing_limits() == [] or sys.platform != "linux" or not box.works()
    monkeypatch.setattr(box.sys, "platform", "win32")
    monkeypatch.setattr(box, "works", lambda: False)
    memory, processes, sandbox = box.missing_limits()
    assert memory == "no limit of memory is kept on this system (win32)"
    assert processes == "processes that a submission starts are not ended with it"
    assert "no sandbox here" in sandbox and "mark in a container" in sandbox
    assert box.command("/nowhere", "/tmp") == list(box.PYTHON)
