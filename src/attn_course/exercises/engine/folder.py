"""Mark a folder of submissions: a row for each, in order, whatever a file does."""

import csv
import re
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

from attn_course.exercises.engine.files import EXERCISES
from attn_course.exercises.engine.marking import LIMITS, UNBEGUN, Cases, Marks, mark
from attn_course.exercises.engine.sources import source_of
from attn_course.exercises.engine.submission import SILENT, cells_of, copied
from attn_course.files import write_text

LARGEST = 2**26  # bytes of a file
NONE = "there is no code in it: a .py or an .ipynb is needed"
LINK = "a link isn't followed, it could lead to another's file: the file is needed"
OWN = "00.weights"
# Canvas: lovelaceada_LATE_12345_67890_answers.py; the first number is the student's.
CANVAS = re.compile(r"([^_]+(?:_LATE)?_\d+)_\d+_.+")
# What is said where the machine, and not the answer, had no thread or memory left.
STARVED = re.compile(
    "can't start new thread|temporarily unavailable|MemoryError|allocate memory"
    f"|{UNBEGUN}|it ended the process"
)


def _work(pipe, cells, seed, hidden_cases, limits, folder):
    """The marker of one submission, in a process of its own."""
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
                return Marks(faults, found if faults else [SILENT, *found])
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
    the first runs. Nothing that lies in the folder is left out, but for what a system
    hides or Python keeps.
    """
    found, errors, folder = {}, {}, Path(folder)
    for path in sorted(folder.rglob("*")):
        name, *inner = path.relative_to(folder).parts
        if any(part.startswith((".", "__")) for part in (name, *inner)):
            continue
        if not inner and path.is_file() and (canvas := CANVAS.fullmatch(name)):
            name = canvas[1]
        cells = found.setdefault(name, [])
        code = path.suffix in (".py", ".ipynb") and path.is_file()
        if code and not path.is_symlink():
            try:
                cells += _read(path)
            except Exception as error:
                words = f"{path.name}: {type(error).__name__}: {error}"
                errors.setdefault(name, ValueError(words))
    for name in [name for name, cells in found.items() if not cells]:
        words = LINK if (folder / name).is_symlink() else NONE
        errors.setdefault(name, ValueError(words))
    return found | errors


def mark_folder(folder, out, seed, hidden="", *, feedback=None, jobs=1, limits=LIMITS):
    """A row of CSV per submission, in order, as soon as it is known; returns the rows.

    What failed for want of threads or memory on the machine is marked again in the end,
    alone.

    hidden: the text of a Python file with ``CASES``, a dictionary from names of
        exercises to functions of a NumPy generator, which give lists of `Case`.
    feedback: a folder for a text per submission: what is wrong with each answer.

    Raises:
        ValueError: the text of the cases can't be used, or the course's own solution
            isn't right here.
    """
    Cases(seed, hidden)
    found = submissions(folder)
    _try_own(found, limits, folder)
    fields = ["submission", "solved", *EXERCISES, "wrong", "note"]
    writer = csv.DictWriter(out, fields, restval="")
    writer.writeheader()
    out.flush()
    rows = []

    def known(name, marks):
        rows.append(_row(_safe(name), marks))
        writer.writerow(rows[-1])
        out.flush()
        if feedback is not None:
            _write_feedback(Path(feedback), _safe(name), marks)

    with ThreadPoolExecutor(jobs) as pool:

        def begin(cells):
            given = cells, seed, hidden, limits, str(folder)
            return pool.submit(_marked, *given, limits=limits)

        begun, again = {name: begin(cells) for name, cells in found.items()}, []
        for name, marking in begun.items():
            if _starved(marks := _result(marking)):
                again.append(name)
            else:
                known(name, marks)
        for name in again:
            known(name, _result(begin(found[name])))
    return rows


def _try_own(found, limits, folder):
    """Mark the course's own solution, with the frameworks that submissions name.

    Raises:
        ValueError: it isn't right; so no other would be.
    """
    solution = EXERCISES[OWN].solution
    cells = [
        "import numpy as np\nfrom attn_course.exercises import check\n"
        f"{source_of(solution)}\ncheck({OWN!r}, {solution.__name__})\n"
    ]
    texts = [cell for each in found.values() if isinstance(each, list) for cell in each]
    for name in ("torch", "tensorflow"):
        if any(name in text for text in texts) and find_spec(name):
            cells.append(f"import {name}\n")
    faults, notes = mark(cells, Cases(0), limits, folder)
    if faults != {OWN: None} or notes:
        words = "; ".join([*filter(None, faults.values()), *notes])
        raise ValueError(f"the course's own solution isn't right here: {words}")


def _starved(marks):
    """Whether an answer failed, outside its own lines, for want of what others took."""
    faults = [fault for fault in marks.faults.values() if fault]
    words = [fault for fault in faults if ", in line " not in fault] + marks.notes
    return any(map(STARVED.search, words))


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
