"""Grade a folder of submissions, each in a process of its own.

A submission's process gets arguments and gives back numbers; what is right is compared
here. It can read neither the seed nor what was expected. But it can read this package,
and the solutions stand in it: public exercises are practice, not an exam.
"""

import contextlib
import csv
import importlib.util
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from attn_course.exercises import EXERCISES
from attn_course.exercises.judge import draw_cases, first_fault
from attn_course.exercises.run import Outcome


def missing_limits():
    """What this system can't do for a submission, in words; nothing on Linux."""
    notes = []
    if not sys.platform.startswith("linux"):
        notes.append(f"no limit of memory is kept on this system ({sys.platform})")
    if not hasattr(os, "killpg"):
        notes.append("processes that a submission starts are not ended with it")
    return notes


def all_cases(seed, hidden=None):
    """name -> cases of the seed, and those of the teacher's own file.

    hidden: a Python file with ``CASES``, a dictionary from names of exercises to
        functions of a NumPy generator, which give lists of `Case`.
    """
    drawn = {name: draw_cases(each, seed) for name, each in EXERCISES.items()}
    if hidden is not None:
        spec = importlib.util.spec_from_file_location("hidden_cases", hidden)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, make in module.CASES.items():
            if name not in drawn:
                raise ValueError(f"CASES names {name!r}, which is no exercise")
            drawn[name] = [*drawn[name], *make(np.random.default_rng(seed))]
    return drawn


def grade(path, drawn, *, seconds=60.0, megabytes=8192):
    """(name -> None or what is wrong, notes) of one submission."""
    with tempfile.TemporaryDirectory() as folder:
        cases = Path(folder) / "cases.pickle"
        cases.write_bytes(pickle.dumps(drawn))
        note = _run(path, cases, folder, seconds, megabytes)
        result = Path(folder) / "result.json"
        if not result.exists():
            return {}, note or "it ended without a result"
        whole = json.loads(result.read_text(encoding="utf-8"))
        faults = {}
        for name, given in whole["answers"].items():
            faults[name] = _fault(EXERCISES[name], drawn[name], given, Path(folder))
        return faults, "; ".join([*filter(None, [note]), *whole["errors"]])


def _run(path, cases, folder, seconds, megabytes):
    command = [sys.executable, "-m", "attn_course.exercises.worker"]
    command += [str(Path(path).resolve()), str(cases), folder, str(megabytes)]
    environment = {**os.environ, "ATTN_COURSE_PROGRESS": str(Path(folder) / "progress")}
    worker = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that its own children end with it
    )
    try:
        worker.wait(seconds)
    except subprocess.TimeoutExpired:
        return f"it was stopped after {seconds:g} s"
    finally:
        _end(worker)
    return "" if worker.returncode == 0 else f"it ended with code {worker.returncode}"


def _end(worker):
    """End the submission's process and every child that it left in its session."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)
    elif worker.poll() is None:
        worker.kill()
    worker.wait()


def _fault(exercise, cases, given, folder):
    if "fault" in given:
        return given["fault"]
    found = []
    try:
        with np.load(folder / f"{exercise.name}.npz", allow_pickle=False) as arrays:
            for number, (count, error, fatal) in enumerate(given["outcomes"]):
                parts = tuple(arrays[f"{number}_{part}"] for part in range(count))
                found.append(Outcome(parts, error, fatal))
    except (OSError, KeyError, ValueError):
        return "its result can't be read"
    if given["framework"] != "numpy":
        cases = [case._replace(single=True) for case in cases]
    if len(found) != len(cases) and not (found and found[-1].fatal):
        return "its result is not complete"
    fault = first_fault(exercise, cases, found)
    return None if fault is None else fault[0]


def grade_folder(folder, out, *, seed, hidden=None, seconds=60.0, megabytes=8192):
    """Grade every script and notebook of a folder; write one row each as CSV."""
    paths = [p for p in sorted(Path(folder).iterdir()) if p.suffix in (".py", ".ipynb")]
    drawn = all_cases(seed, hidden)
    rows = []
    for path in paths:
        faults, note = grade(path, drawn, seconds=seconds, megabytes=megabytes)
        marks = {
            name: int(faults[name] is None) for name in EXERCISES if name in faults
        }
        row = {"submission": path.name, "solved": sum(marks.values()), **marks}
        rows.append({**row, "note": note})
    fields = ["submission", "solved", *EXERCISES, "note"]
    writer = csv.DictWriter(out, fields, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return rows
