"""Files of answers: scripts or notebooks that call ``check``."""

import ast
import codecs
import json
from functools import cache
from pathlib import Path

from attn_course.exercises.engine import checking
from attn_course.exercises.engine.files import EXERCISES
from attn_course.exercises.engine.sources import source_of

# Cells that the course wrote: the page's solutions never count as somebody's answers.
OURS = {"solution", "check", "trained"}
SILENT = 'it checks no answer: end it with a line such as check("00.weights", weights)'
SHORT = " (a line or two, which may be chance)"


def cells_of(path):
    """The code of a script, or of each code cell of a notebook, without its magics.

    A notebook that was saved as a .py, and a text in UTF-16, are read as what they are.

    Raises:
        ValueError: the file is no notebook, or no text.
    """
    data = Path(path).read_bytes()
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = data.decode("utf-16" if marked else "utf-8-sig", "replace")
    if "\0" in text:
        raise ValueError("it is no text in UTF-8: save it as that")
    saved = text.lstrip().startswith("{") and '"cells"' in text
    if Path(path).suffix != ".ipynb" and not saved:
        return [text] if text.strip() else []
    cells = []
    try:
        for cell in json.loads(text)["cells"]:
            tags = set(cell.get("metadata", {}).get("tags", ()))
            if cell["cell_type"] == "code" and not tags & OURS:
                lines = "".join(cell["source"]).splitlines()
                kept = [x for x in lines if not x.lstrip().startswith(("%", "!"))]
                cells.append("\n".join(kept))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        words = f"it is no notebook: {type(error).__name__}: {error}"
        raise ValueError(words) from None
    return cells


def space_of(text, words):
    """The names that Python code of the teacher's defines; ``words`` say what it is.

    Raises:
        ValueError: it can't be run.
    """
    space = {"__name__": "__main__"}
    try:
        exec(compile(text, words, "exec"), space)
    except Exception as error:
        raise ValueError(f"{words}: {type(error).__name__}: {error}") from error
    return space


def collect(path, record):
    """Run the file; ``record(name, answer, framework)`` gets every call of check.

    Returns the errors of its cells, in words. A cell that fails doesn't stop the rest.
    """
    errors = []
    space = {"__name__": "__main__", "__file__": str(path)}
    with checking.recording(record):
        for number, cell in enumerate(cells_of(path), start=1):
            try:
                exec(compile(cell, str(path), "exec"), space)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # SystemExit too
                errors.append(f"cell {number}: {type(error).__name__}: {error}")
    return errors


def _bodies(text):
    """What the functions and classes of a text do, without their names and comments."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield ast.dump(ast.Module(node.body, []))


@cache
def _solutions():
    found = {}
    for name, exercise in EXERCISES.items():
        for text in (source_of(exercise.solution), *exercise.answers.values()):
            for body in _bodies(text):
                found.setdefault(body, name)
    return found


def copied(cells):
    """What in a submission is the course's own, in words: for a teacher to look at."""
    notes, solutions = [], _solutions()
    for number, cell in enumerate(cells, start=1):
        same = {solutions[body]: body for body in _bodies(cell) if body in solutions}
        words = f"cell {number} has the text of the solution of"
        for name, body in sorted(same.items()):
            notes.append(f"{words} {name}" + (SHORT if len(body) <= 600 else ""))
        if ".solution" in cell and "EXERCISES" in cell:
            notes.append(f"cell {number} reads solutions out of the package")
    return notes
