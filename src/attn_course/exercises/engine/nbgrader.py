"""The exercises as source notebooks of nbgrader: release and hidden tests in one file.

``nbgrader generate_assignment`` cuts the solutions and the hidden tests out, as it does
for any assignment. Nothing of nbgrader is imported here. Tests run beside the answers,
in one process: for a class that is honest. `folder` shuts each submission in.
"""

import json
import secrets
from pathlib import Path

from attn_course.exercises.engine.files import EXERCISES
from attn_course.exercises.engine.progress import title_of
from attn_course.exercises.engine.sources import source_of
from attn_course.files import write_text

# Threads of BLAS that wait for each other spin, where many notebooks are marked.
SETUP = """import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np
from attn_course.exercises import check, softmax"""
# Whatever an answer made of the name, or of the package.
FRESH = """import sys

for _name in [_name for _name in sys.modules if _name.startswith("attn_course")]:
    del sys.modules[_name]
from attn_course.exercises import check

"""


def export(folder):
    """Write one notebook per chapter into ``folder``; returns the paths.

    The seeds of the hidden tests are drawn anew each time: nobody else knows them.
    """
    folder, seeds = Path(folder), [secrets.randbelow(2**31) for _ in range(3)]
    folder.mkdir(parents=True, exist_ok=True)
    chapters = {}
    for exercise in EXERCISES.values():
        if "numpy" in exercise.starters:  # others need a framework
            number = exercise.name.partition(".")[0]
            chapters.setdefault(number, []).append(exercise)
    paths = []
    for number, chosen in chapters.items():
        title = f"# Attention, {title_of(number)}"
        cells = [_cell("markdown", title, f"title-{number}")]
        cells.append(_cell("code", SETUP, f"setup-{number}"))
        for exercise in chosen:
            cells += _cells(exercise, seeds)
        path = folder / f"{title_of(number).replace(' ', '_')}.ipynb"
        write_text(path, json.dumps(_notebook(cells), indent=1))
        paths.append(path)
    return paths


def _cells(exercise, seeds):
    key = exercise.name.replace(".", "-")
    size = f"Level {exercise.level}, {exercise.minutes} minutes."
    text = f"## {exercise.name}\n\n{exercise.statement}\n\n{size}"
    answer, first = exercise.solution.__name__, ""
    solution = source_of(exercise.solution)
    if exercise.kind == "predict":
        measured = float(exercise.solution(*exercise.ask))
        first = f"prediction = {measured!r}\n\n"
        answer = f"(prediction, {answer})"
    body = f"{exercise.starters['numpy']}\n"  # what the released cell keeps
    body += f"### BEGIN SOLUTION\n{first}{solution}### END SOLUTION"
    visible = f'{FRESH}assert check("{exercise.name}", {answer})'
    hidden = "\n".join(
        f'assert check("{exercise.name}", {answer}, seed={seed})' for seed in seeds
    )
    test = f"{visible}\n### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS"
    marks = {"grade": True, "points": exercise.level}
    return [
        _cell("markdown", text, f"{key}-text"),
        _cell("code", body, f"{key}-answer", solution=True, locked=False),
        _cell("code", test, f"{key}-test", **marks),
    ]


def _cell(kind, text, key, **marks):
    marks = {"grade": False, "solution": False, "locked": True, **marks}
    grader = {"grade_id": key, "schema_version": 3, "task": False, **marks}
    metadata = {"nbgrader": grader}
    cell = {"cell_type": kind, "id": key, "metadata": metadata, "source": text}
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def _notebook(cells):
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    head = {"cells": cells, "metadata": {"kernelspec": kernel}}
    return {**head, "nbformat": 4, "nbformat_minor": 5}
