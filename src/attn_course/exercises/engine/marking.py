"""Mark one submission: its process gets cases and gives numbers, which are judged here.

A call that doesn't end costs its exercise alone. Who reads this package finds the
solutions in it: public exercises are practice, not an exam.
"""

import time
from typing import NamedTuple

import numpy as np

from attn_course.exercises.engine.checking import verdict
from attn_course.exercises.engine.files import EXERCISES
from attn_course.exercises.engine.judge import draw_cases, first_fault
from attn_course.exercises.engine.process import Process
from attn_course.exercises.engine.run import FRAMEWORKS, PATIENCE, Outcome
from attn_course.exercises.engine.submission import space_of

TRIES = 40  # processes for one submission
NOTES = 50  # that are kept of one
UNBEGUN = "nothing of it was run"


class Limits(NamedTuple):
    """What a submission may use.

    seconds: of a processor, for one call; the clock may show `PATIENCE` times as many,
        on a machine that has more to do.
    statement: by the clock, for one statement of its own, such as a training loop.
    total: by the clock, for all of it.
    megabytes: of memory, for all its processes and files together.
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


class _Ended(Exception):
    """The submission is through, or has no time left."""


class Submission:
    """What is known of a submission while it is marked."""

    def __init__(self, cells, cases, limits, hidden, tell):
        self.cells, self.cases, self.limits, self.hidden = cells, cases, limits, hidden
        self.marks, self.tell = Marks({}, []), tell
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
        self._note(f"it was given up after {TRIES} processes")
        return self.marks

    def _note(self, words):
        if len(self.marks.notes) < NOTES and words not in self.marks.notes:
            self.marks.notes.append(words)

    def _found(self, name, fault):
        if name in self.marks.faults:
            self._note(f"{name} is checked more than once: the last one counts")
        self.marks.faults[name] = fault
        self.tell(name, fault)

    def _follow(self, process):
        """Take frames until the process is through or has to be replaced."""
        step, name = None, None
        try:
            while True:
                name, left = None, self.end - time.monotonic()
                if left <= 0:
                    words = f"it was stopped after {self.limits.total:g} s in all"
                    self._note(words)
                    raise _Ended
                header, _ = process.next(min(self.limits.statement, left))
                if "end" in header:
                    raise _Ended
                if isinstance(header.get("step"), int):
                    step = header["step"]
                elif "note" in header:
                    self._note(str(header["note"])[:400])
                else:
                    name = header.get("name")
                    if not isinstance(name, str) or name not in EXERCISES:
                        name = None
                        raise ValueError("its result can't be read")
                    self.calls += 1
                    fault = self._judged(process, name, header)
                    self._found(name, fault)
                    if fault is None:
                        self._predicted(name, header.get("prediction"))
                    if header.get("ours"):
                        words = str(header["ours"])[:200]
                        self._note(f"{name}: {words} is this package's own")
        except (TimeoutError, EOFError, ValueError) as error:
            self._after(step, name, str(error))

    def _predicted(self, name, number):
        """A prediction counts, however far off it was; a teacher reads how far."""
        if EXERCISES[name].kind == "predict" and isinstance(number, int | float):
            self._note(name + verdict(EXERCISES[name], float(number))[:200])

    def _after(self, step, name, words):
        if name is not None:
            self._found(name, words)
            if step == self.stuck:  # again: no other call stands behind it
                self.skipped.add(step)
            self.stuck = step
        elif step is None or step in self.skipped:
            self._note(words if step is not None else f"{UNBEGUN}: {words}")
            raise _Ended
        else:
            self._note(f"statement {step + 1}: {words}")
            self.skipped.add(step)

    def _judged(self, process, name, header):
        """None or what is wrong with one answer."""
        if header.get("wrong"):
            return str(header["wrong"])[:400]
        framework = header.get("framework")
        if framework not in FRAMEWORKS:
            raise ValueError("framework must be numpy, torch or tf")
        exercise, found = EXERCISES[name], []
        patience = PATIENCE * self.limits.seconds
        cases = self.cases(name, framework)
        end = time.monotonic() + 2 * patience
        for case in cases:
            process.send(case._replace(name=""))
            left = min(patience + 5, end - time.monotonic())
            answer, arrays = process.next(left)
            error = str(answer.get("error", ""))[:400]
            found.append(Outcome(arrays, error, answer.get("fatal") is True))
            if found[-1].fatal:
                break
        process.send(None)
        try:
            fault = first_fault(exercise, cases, found)
        except Exception as error:  # arrays that nobody thought of
            return f"its result can't be compared: {type(error).__name__}"
        return None if fault is None else fault[0]


LIMITS = Limits()


def mark(cells, cases, limits=LIMITS, hidden=None, tell=lambda name, fault: None):
    """`Marks` of the cells of a submission; the folder ``hidden`` is empty to it.

    tell: gets each answer's name and fault as soon as they are known.
    """
    return Submission(cells, cases, limits, hidden, tell).mark()
