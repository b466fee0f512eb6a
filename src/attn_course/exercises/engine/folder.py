"""Mark a folder of submissions: a row as soon as it is known, whatever a file does."""

import csv
import re
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from attn_course.exercises.engine import box
from attn_course.exercises.engine.files import EXERCISES
from attn_course.exercises.engine.marking import LIMITS, Cases, Marks, mark
from attn_course.exercises.engine.submission import cells_of, copied
from attn_course.files import write_text

LARGEST = 2**26  # bytes of a file
NONE = "there is no .py and no .ipynb in it"
# Canvas: lovelaceada_LATE_12345_67890_answers.py; the first number is the student's.
CANVAS = re.compile(r"([^_]+(?:_LATE)?_\d+)_\d+_.+")


def _work(pipe, cells, seed, hidden_cases, limits, folder):
    """The marker of one submission, in a process that adopts what it leaves behind."""
    box.adopt()
    try:

        def tell(name, fault):
            pipe.send((name, fault))

        cases = Cases(seed, hidden_cases)
        notes = mark(cells, cases, limits, folder, tell).notes + copied(cells)
    except Exception as error:  # one submission must not cost another its marks
        notes = [f"it can't be marked: {type(error).__name__}: {error}"]
    pipe.send((None, notes))


def _marked(cells, *given, limits):
    """`Marks` of a submission; in words where it can't be read or marked."""
    if isinstance(cells, Exception):
        return Marks({}, [f"it can't be read: {cells}"])
    context = get_context("spawn")
    pipe, other = context.Pipe(duplex=False)
    worker = context.Process(target=_work, args=(other, cells, *given))
    worker.start()
    other.close()
    faults, end = {}, time.monotonic() + 2 * limits.total + 60
    try:
        while pipe.poll(max(end - time.monotonic(), 0)):
            name, found = pipe.recv()
            if name is None:
                return Marks(faults, found)
            faults[name] = found
        return Marks(faults, ["the process that marks it didn't end"])
    except EOFError:
        return Marks(faults, ["it ended the process that marks it"])
    finally:
        worker.join(5)
        worker.kill()


def _safe(text):
    """The text for a table or a screen: no formula, no control character."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    text = "".join(x if x.isprintable() else " " for x in text)
    return "'" + text if text.startswith(("=", "+", "-", "@")) else text


def _read(path):
    if path.stat().st_size > LARGEST:
        raise ValueError(f"it is larger than {LARGEST // 2**20} MiB")
    return cells_of(path)


def submissions(folder):
    """name -> its cells, or the error; of a folder per student all files are one.

    Files that Canvas named are put together by their student. They are all read before
    the first runs. A link isn't followed: it could lead to another's file.
    """
    found, folder = {}, Path(folder)
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if any(part.startswith((".", "__")) for part in parts) or path.is_symlink():
            continue
        canvas = CANVAS.fullmatch(parts[0]) if path.is_file() else None
        name = canvas[1] if canvas and len(parts) == 1 else parts[0]
        if len(parts) == 1 and path.is_dir():
            found[name] = ValueError(NONE)
        if path.suffix not in (".py", ".ipynb") or not path.is_file():
            continue
        try:
            cells = _read(path)
        except Exception as error:
            cells = ValueError(f"{path.name}: {type(error).__name__}: {error}")
        known = found.get(name, [])
        if isinstance(known, Exception):
            found[name] = cells if str(known) == NONE else known
        else:
            found[name] = cells if isinstance(cells, Exception) else known + cells
    return found


def mark_folder(folder, out, seed, hidden="", *, feedback=None, jobs=1, limits=LIMITS):
    """A row of CSV per submission, as soon as it is known; returns the rows.

    hidden: the text of a Python file with ``CASES``, a dictionary from names of
        exercises to functions of a NumPy generator, which give lists of `Case`.
    feedback: a folder for a text per submission: what is wrong with each answer.

    Raises:
        ValueError: the text of the cases can't be used.
    """
    Cases(seed, hidden)
    fields = ["submission", "solved", *EXERCISES, "wrong", "note"]
    writer = csv.DictWriter(out, fields, restval="")
    writer.writeheader()
    out.flush()
    rows, found = [], submissions(folder)
    with ThreadPoolExecutor(jobs) as pool:
        waiting = {}
        for name, cells in found.items():
            given = cells, seed, hidden, limits, str(folder)
            waiting[pool.submit(_marked, *given, limits=limits)] = _safe(name)
        for done in as_completed(waiting):
            name, marks = waiting[done], _result(done)
            rows.append(_row(name, marks))
            writer.writerow(rows[-1])
            out.flush()
            if feedback is not None:
                _write_feedback(Path(feedback), name, marks)
    return rows


def _result(done):
    try:
        return done.result()
    except Exception as error:  # as where the system has no process left
        return Marks({}, [f"it can't be marked: {type(error).__name__}: {error}"])


def _row(name, marks):
    faults, notes = marks
    right = {key: int(fault is None) for key, fault in faults.items()}
    wrong = "; ".join(f"{key}: {fault}" for key, fault in faults.items() if fault)
    row = {"submission": name, "solved": sum(right.values()), **right}
    return {**row, "wrong": _safe(wrong), "note": _safe("; ".join(notes))[:2000]}


def _write_feedback(folder, name, marks):
    faults, notes = marks
    folder.mkdir(parents=True, exist_ok=True)
    solved = sum(fault is None for fault in faults.values())
    lines = [f"{name}: {solved} of {len(faults)} answers are right", ""]
    lines += [f"{key}: {_safe(fault or 'correct')}" for key, fault in faults.items()]
    lines += ["", *map(_safe, notes)] if notes else []
    short = name.encode()[:200].decode(errors="ignore")  # a file's name has an end
    text = "\n".join(lines) + "\n"
    write_text(folder / f"{short}.txt", text)
