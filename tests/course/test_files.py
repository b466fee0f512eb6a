"""Files are replaced whole: two writers, a write that fails, Ctrl-C."""

import os
import re
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from attn_course.files import ending_in_one_line, replacing, write_text
from attn_course.records import load_record, write

OLD = "old"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "record.json"
    path.write_text(OLD)
    return path


def alone(path):
    """Nothing but the file is left in its folder."""
    return [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_file_is_replaced(path):
    write_text(path, "Größe")
    assert path.read_text(encoding="utf-8") == "Größe" and alone(path)


def test_the_new_file_has_the_same_name(path):
    """NumPy and others add to, or read from, a name."""
    path = path.rename(path.with_suffix(".npz"))
    with replacing(path) as new:
        np.savez(new, x=np.arange(3))
    with np.load(path) as stored:
        assert stored["x"].tolist() == [0, 1, 2]
    assert alone(path)


def test_a_link_stays_a_link(path, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(path)
    write_text(link, "new")
    assert link.is_symlink() and path.read_text() == "new"


def test_anyone_may_read_who_could(path):
    (path.parent / "other").write_text("")
    write_text(path, "new")
    assert path.stat().st_mode == (path.parent / "other").stat().st_mode


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_fails_leaves_the_old_file(path, error):
    with pytest.raises(error), replacing(path) as new:
        new.write_text("half")
        raise error
    assert path.read_text() == OLD and alone(path)


def test_two_writers_at_once_leave_one_whole_file(path):
    """And whoever reads meanwhile sees a whole file."""
    texts = [letter * 300_000 for letter in "ab"]
    seen, done = set(), threading.Event()

    def read():
        while not done.is_set():
            seen.add(path.read_text())

    def repeat(text):
        for _ in range(20):
            write_text(path, text)

    reader = threading.Thread(target=read)
    writers = [threading.Thread(target=repeat, args=(text,)) for text in texts]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()
    assert path.read_text() in texts and seen <= {OLD, *texts} and alone(path)


def limited(path, code):
    """A program that may write at most 1,000 bytes into a file, as on a disk that is full."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    return subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, preexec_fn=limit)


BEGIN = "import sys; from attn_course.files import ending_in_one_line, write_text\n"


def test_a_full_disk_leaves_the_old_file_and_one_line(path):
    code = BEGIN + "with ending_in_one_line('the old file is as it was'): write_text(sys.argv[1], 'x' * 2000)"
    done = limited(path, code)
    assert done.returncode == 1
    assert done.stderr == "failed: File too large; the old file is as it was\n"
    assert path.read_text() == OLD and alone(path)


def test_ctrl_c_ends_a_program_in_one_line(path):
    code = "import time\n" + BEGIN
    code += "with ending_in_one_line(): print('begun', flush=True); time.sleep(60)"
    program = subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True)
    assert program.stdout.readline() == "begun\n"
    program.send_signal(signal.SIGINT)
    said = program.communicate(timeout=60)[1]
    assert program.returncode == 130 and said == "\nstopped: what was written before is whole\n"


def test_a_fault_of_the_program_is_not_hidden():
    with pytest.raises(OSError, match="no system's"), ending_in_one_line():
        raise OSError("no system's")
    with pytest.raises(ValueError, match="x"), ending_in_one_line():
        raise ValueError("x")


def test_a_record_is_written_where_it_is_asked_for(tmp_path):
    record = {"rows": [{"x": 1 / 3}], "command": "é"}
    assert write("name", record, tmp_path) == tmp_path / "name.json"
    write("name", record, tmp_path)
    assert os.listdir(tmp_path) == ["name.json"]
    assert load_record("costs")["rows"]


def test_progress_outlives_a_full_disk(path, monkeypatch):
    """What was solved stays written down, and nobody is kept from learning."""
    monkeypatch.setenv("ATTN_COURSE_PROGRESS", str(path))
    path.write_text('{"solved": ["04.attention"]}')
    done = limited(path, "from attn_course.exercises.engine import progress; progress.solved('x' * 2000)")
    assert done.returncode == 0, done.stderr
    assert path.read_text() == '{"solved": ["04.attention"]}'


ROOT = Path(__file__).resolve().parents[2]
WRITING = re.compile(r"""\.write_(text|bytes)\(|\bopen\(.*["']w|(np|torch)\.save\w*\(|\bnbformat\.write\(""")
# The new file of `replacing`. A class's table, which grows while it is marked, and the texts beside it; an empty file
# that is locked; a switch of the system.
FINE = re.compile(r"\bnew\b|options\.csv\.open|folder / f.\{name\}\.txt|\.lock|/proc/self/clear_refs")


def writes(text):
    """The lines that write into a file as it stands."""
    return [line.strip() for line in text.splitlines() if WRITING.search(line) and not FINE.search(line)]


def test_records_notebooks_and_checkpoints_are_replaced():
    """By all of the package, the programs that make records, and the tools that make pages and notebooks."""
    paths = [*(ROOT / "src").rglob("*.py"), *(ROOT / "experiments").rglob("*.py")]
    paths = [path for path in paths if path.parent.name != "data"]  # made once, from one file, with a sum
    paths += [ROOT / "tools" / f"{name}.py" for name in ("notebooks", "status", "complexity")]
    assert {path.name: found for path in paths if (found := writes(path.read_text(encoding="utf-8")))} == {}


@pytest.mark.parametrize("line", ["path.write_text(y)", "np.savez(path, z)", "open(path, 'w')", "torch.save(x, path)"])
def test_a_write_in_place_is_found(line):
    assert writes(f"x = 1\n{line}\n") == [line]
    assert writes(line.replace("path", "new").replace("open(new, 'w')", "")) == []
