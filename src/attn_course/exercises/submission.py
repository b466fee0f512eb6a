"""Run a file of answers: a script or a notebook that calls ``check``."""

import json
from pathlib import Path

from attn_course import exercises


def cells_of(path):
    """The code of a script, or of each code cell of a notebook, without its magics."""
    text = Path(path).read_text(encoding="utf-8")
    if Path(path).suffix != ".ipynb":
        return [text]
    cells = []
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            lines = "".join(cell["source"]).splitlines()
            cells.append(
                "\n".join(x for x in lines if not x.lstrip().startswith(("%", "!")))
            )
    return cells


def collect(path, record):
    """Run the file; ``record(name, answer, framework)`` gets every call of check.

    Returns the errors of its cells, in words. A cell that fails doesn't stop the rest.
    """
    errors = []
    space = {"__name__": "__main__", "__file__": str(path)}
    exercises._record = record
    try:
        for number, cell in enumerate(cells_of(path), start=1):
            try:
                exec(compile(cell, str(path), "exec"), space)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # SystemExit too
                errors.append(f"cell {number}: {type(error).__name__}: {error}")
    finally:
        exercises._record = None
    return errors
