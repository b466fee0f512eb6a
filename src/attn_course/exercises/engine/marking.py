"""Mark a folder of submissions: a row as soon as it is known, whatever a file does.

A submission's process gets one case at a time and gives back numbers; here they are
compared. A call that doesn't end costs its exercise alone. Who reads this package
finds the solutions in it: public exercises are practice, not an exam.
"""

import contextlib
import csv
import os
import pickle
import queue
import struct
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attn_course.exercises.engine import box
from attn_course.exercises.engine.answering import read
from attn_course.exercises.engine.files import EXERCISES
from attn_course.exercises.engine.judge import draw_cases, first_fault
from attn_course.exercises.engine.run import PATIENCE, Outcome
from attn_course.exercises.engine.submission import cells_of, copied, space_of

TRIES = 12  # processes for one submission
KEPT = ("PATH", "PYTHONPATH", "LANG", "OMP_NUM_THREADS", "TF_CPP_MIN_LOG_LEVEL")


class Limits(NamedTuple):
    """What a submission may use.

    seconds: of a processor, for one call; the clock may show `PATIENCE` times as many,
        on a machine that has more to do.
    statement: by the clock, for one statement of its own, such as a training loop.
    total: by the clock, for all of it.
    """

    seconds: float = 10.0
    statement: float = 300.0
    total: float = 3600.0
    megabytes: int = 8192


class Marks(NamedTuple):
    """Of one submission: name -> None or what is wrong; what else was seen."""

    faults: dict
    notes: list


class Cases:
    """The cases of a seed, and those of the teacher's own file; they stay in here."""

    def __init__(self, seed, hidden=""):
        self.seed, self.drawn = seed, {}
        self.hidden = space_of(hidden, "the file of cases").get("CASES", {})
        for name, make in self.hidden.items():
            if name not in EXERCISES:
                raise ValueError(f"CASES names {name!r}, which is no exercise")
            make(np.random.default_rng(0))  # a fault is found before the first row

    def __call__(self, name, framework):
        """The list of cases for an answer in that framework."""
        if (name, framework) not in self.drawn:
            more = self.hidden.get(name, lambda rng: [])
            made = draw_cases(EXERCISES[name], self.seed, framework, more)
            self.drawn[name, framework] = made
        return self.drawn[name, framework]


class Process:
    """One process of a submission; ``next`` gives its frames in time."""

    def __init__(self, plan, hidden):
        self.before = box.children()
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        place = self.folder.name
        environment = {key: os.environ[key] for key in KEPT if key in os.environ}
        self.process = subprocess.Popen(
            box.command(hidden, place),
            cwd=place,
            env={**environment, "HOME": place, "TMPDIR": place},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.frames = queue.Queue(maxsize=2)
        self.pump = threading.Thread(target=self._pump, daemon=True)
        self.pump.start()
        self.send(plan)

    def _pump(self):
        try:
            while (frame := read(self.process.stdout)) is not None:
                self.frames.put(frame)
            self.frames.put(EOFError("it ended early"))
        except (ValueError, OSError) as error:
            self.frames.put(error)
        finally:
            self.process.stdout.close()

    def send(self, value):
        """Give it a plan, a case or None. A broken pipe shows in the next frame."""
        body = pickle.dumps(value)
        with contextlib.suppress(OSError):
            self.process.stdin.write(struct.pack("<I", len(body)) + body)
            self.process.stdin.flush()

    def next(self, seconds):
        """(header, arrays); TimeoutError, EOFError or ValueError."""
        try:
            frame = self.frames.get(timeout=max(seconds, 0.01))
        except queue.Empty:
            words = f"it was stopped after {seconds:.3g} s: does a loop not end?"
            raise TimeoutError(words) from None
        if isinstance(frame, BaseException):
            raise frame
        return frame

    def close(self):
        """End it and all that it started."""
        self.process.kill()
        self.process.wait()
        box.end_all(self.before)
        while self.pump.is_alive():  # perhaps it waits for a place
            with contextlib.suppress(queue.Empty):
                self.frames.get_nowait()
            self.pump.join(0.02)
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.folder.cleanup()


class _Ended(Exception):
    """The submission is through, or has no time left."""


class Submission:
    """What is known of a submission while it is marked."""

    def __init__(self, cells, cases, limits, hidden):
        self.cells, self.cases, self.limits, self.hidden = cells, cases, limits, hidden
        self.marks = Marks({}, [])
        self.skipped, self.calls = set(), 0
        self.stuck = None  # the statement in which the process before this one ended
        self.end = time.monotonic() + limits.total

    def mark(self):
        """Run it, in as many processes as it takes."""
        for _ in range(TRIES):
            plan = {"cells": self.cells, "skip": self.skipped, "calls": self.calls}
            plan |= {"seconds": self.limits.seconds, "megabytes": self.limits.megabytes}
            process = Process(plan, self.hidden)
            try:
                self._follow(process)
            except _Ended:
                return self.marks
            finally:
                process.close()
        self.marks.notes.append(f"it was given up after {TRIES} processes")
        return self.marks

    def _follow(self, process):
        """Take frames until the process is through or has to be replaced."""
        step, name = None, None
        try:
            while True:
                name, left = None, self.end - time.monotonic()
                if left <= 0:
                    words = f"it was stopped after {self.limits.total:g} s in all"
                    self.marks.notes.append(words)
                    raise _Ended
                header, _ = process.next(min(self.limits.statement, left))
                if "end" in header:
                    raise _Ended
                if isinstance(header.get("step"), int):
                    step = header["step"]
                elif "note" in header:
                    self.marks.notes.append(str(header["note"])[:400])
                else:
                    name = header.get("name")
                    if not isinstance(name, str) or name not in EXERCISES:
                        name = None
                        raise ValueError("its result can't be read")
                    self.calls += 1
                    self.marks.faults[name] = self._judged(process, name, header)
        except (TimeoutError, EOFError, ValueError) as error:
            self._after(step, name, str(error))

    def _after(self, step, name, words):
        if name is not None:
            self.marks.faults[name] = words
            if step == self.stuck:  # again: no other call stands behind it
                self.skipped.add(step)
            self.stuck = step
        elif step is None or step in self.skipped:
            self.marks.notes.append(words)
            raise _Ended
        else:
            self.marks.notes.append(f"statement {step + 1}: {words}")
            self.skipped.add(step)

    def _judged(self, process, name, header):
        """None or what is wrong with one answer."""
        if header.get("wrong"):
            return str(header["wrong"])[:400]
        exercise, found = EXERCISES[name], []
        patience = PATIENCE * self.limits.seconds
        cases = self.cases(name, str(header.get("framework")))
        end = time.monotonic() + 2 * patience
        for case in cases:
            process.send(case._replace(name=""))
            left = min(patience + 5, end - time.monotonic())
            answer, arrays = process.next(left)
            error, fatal = (
                str(answer.get("error", ""))[:400],
                answer.get("fatal") is True,
            )
            found.append(Outcome(arrays, error, fatal))
            if fatal:
                break
        process.send(None)
        fault = first_fault(exercise, cases, found)
        return None if fault is None else fault[0]


LIMITS = Limits()


def mark(cells, cases, limits=LIMITS, hidden=None):
    """`Marks` of the cells of a submission; the folder ``hidden`` is empty to it."""
    return Submission(cells, cases, limits, hidden).mark()


def _work(pipe, cells, seed, hidden_cases, limits, folder):
    """The marker of one submission, in a process that adopts what it leaves behind."""
    box.adopt()
    try:
        faults, notes = mark(cells, Cases(seed, hidden_cases), limits, folder)
        pipe.send(Marks(faults, [*notes, *copied(cells)]))
    except Exception as error:  # one submission must not cost another its marks
        pipe.send(Marks({}, [f"it can't be marked: {type(error).__name__}: {error}"]))


def _marked(cells, *given):
    """`Marks` of a submission; in words where it can't be read or marked."""
    if isinstance(cells, Exception):
        return Marks({}, [f"it can't be read: {cells}"])
    context = get_context("spawn")
    pipe, other = context.Pipe(duplex=False)
    worker = context.Process(target=_work, args=(other, cells, *given))
    worker.start()
    other.close()
    try:
        return pipe.recv()
    except EOFError:
        return Marks({}, ["it ended the process that marks it"])
    finally:
        worker.join()


def _safe(text):
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def submissions(folder):
    """name -> its cells, or the error; of a folder per student all files are one.

    They are all read before the first runs, which could rewrite the others.
    """
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        inside = path.relative_to(folder)
        hidden = any(part.startswith((".", "__")) for part in inside.parts)
        if path.suffix not in (".py", ".ipynb") or hidden or not path.is_file():
            continue
        try:
            cells = cells_of(path)
        except Exception as error:
            cells = ValueError(f"{path.name}: {type(error).__name__}: {error}")
        known = found.get(inside.parts[0], [])
        if isinstance(cells, Exception) or isinstance(known, Exception):
            found[inside.parts[0]] = known if isinstance(known, Exception) else cells
        else:
            found[inside.parts[0]] = known + cells
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
    fields = ["submission", "solved", *EXERCISES, "note"]
    writer = csv.DictWriter(out, fields, restval="")
    writer.writeheader()
    out.flush()
    rows, found = [], submissions(folder)
    with ThreadPoolExecutor(jobs) as pool:
        given = seed, hidden, limits, str(folder)
        waiting = {pool.submit(_marked, cells, *given): n for n, cells in found.items()}
        for done in as_completed(waiting):
            name, (faults, notes) = _safe(waiting[done]), done.result()
            marks = {key: int(fault is None) for key, fault in faults.items()}
            row = {"submission": name, "solved": sum(marks.values()), **marks}
            rows.append({**row, "note": _safe("; ".join(notes))[:2000]})
            writer.writerow(rows[-1])
            out.flush()
            if feedback is not None:
                _write_feedback(Path(feedback), name, faults, notes)
    return rows


def _write_feedback(folder, name, faults, notes):
    folder.mkdir(parents=True, exist_ok=True)
    solved = sum(fault is None for fault in faults.values())
    lines = [f"{name}: {solved} of {len(faults)} answers are right", ""]
    lines += [f"{key}: {fault or 'correct'}" for key, fault in faults.items()]
    lines += ["", *notes] if notes else []
    text = _safe("\n".join(lines) + "\n")
    (folder / f"{name}.txt").write_text(text, encoding="utf-8")
