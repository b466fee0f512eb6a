"""One submission in a process of its own: it gets arguments and gives what came out.

``python -m attn_course.exercises.worker SUBMISSION CASES FOLDER MEGABYTES``. What is
right is not known here: the teacher's process compares.
"""

import contextlib
import json
import pickle
import sys
from pathlib import Path

import numpy as np

from attn_course.exercises import EXERCISES, _parts
from attn_course.exercises.judge import run_cases
from attn_course.exercises.submission import collect


def limit_memory(megabytes):
    """Let this process have no more address space, where the system can do that.

    `grading.missing_limits` says it where it can't.
    """
    try:
        import resource
    except ImportError:
        return
    size = megabytes * 2**20
    with contextlib.suppress(ValueError, OSError):  # macOS knows the limit by name only
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def main(submission, cases, folder, megabytes):
    """Write ``result.json`` and one ``.npz`` per exercise into the folder."""
    limit_memory(int(megabytes))
    drawn = pickle.loads(Path(cases).read_bytes())  # written by the teacher's process
    answers = {}

    def record(name, answer, framework):
        answers[name] = answer, framework
        return True

    errors, result = collect(submission, record), {}
    for name, (answer, framework) in answers.items():
        exercise, fault = EXERCISES[name], None
        if exercise.kind == "predict":
            answer, _, fault = _parts(answer)
        if fault is None and not callable(answer):
            fault = "this is not a function"
        if fault:
            result[name] = {"fault": fault}
            continue
        found = run_cases(exercise, drawn[name], answer, framework)
        arrays = {
            f"{number}_{part}": array
            for number, outcome in enumerate(found)
            for part, array in enumerate(outcome.arrays)
        }
        np.savez(Path(folder) / f"{name}.npz", **arrays)
        outcomes = [[len(each.arrays), each.error, each.fatal] for each in found]
        result[name] = {"framework": framework, "outcomes": outcomes}
    whole = {"errors": errors, "answers": result}
    (Path(folder) / "result.json").write_text(json.dumps(whole), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
