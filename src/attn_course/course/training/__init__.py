"""One short training loop a framework, with the same log.

``training.pytorch`` and ``training.tf``. Two environment variables change them:

``ATTN_COURSE_STEPS``: no training takes more steps, so that all code of a chapter runs
in little time. What a model has learned by then is not what the chapter says.
``ATTN_COURSE_QUIET``: no progress bar.
"""

import io
import os
import sys
from typing import NamedTuple


class Record(NamedTuple):
    """One line of a training log: means over the steps since the line before.

    score: of what the loss function returned beside the loss, if it did.
    """

    step: int
    loss: float
    score: float | None = None


def short(steps):
    """``steps``, or as many as the environment variable ``ATTN_COURSE_STEPS`` allows.

    Set only where it matters that a notebook runs and not what it learns. ``progress``
    obeys it; a loop of a chapter's own writes ``range(short(400))``.
    """
    most = os.environ.get("ATTN_COURSE_STEPS")
    return min(steps, int(most)) if most else steps


def ramped(step, steps, rate, up, down):
    """The rate of a step, counted from 1: up in ``up`` steps, level, down in ``down``.

    At the last step it is ``rate / down``: the step after that would have none.
    """
    return rate * min(1.0, step / up, (steps + 1 - step) / down)


def falling(step, steps, rate):
    """The rate of a step: full for a third of the steps, then straight down to 0."""
    return ramped(step, steps, rate, 1, steps / 1.5)


def progress(steps, name):
    """Steps 1 to ``steps`` behind a progress bar; silent if ``ATTN_COURSE_QUIET``.

    Where the output is a file, ten lines take the bar's place.
    """
    numbers = range(1, short(steps) + 1)
    if os.environ.get("ATTN_COURSE_QUIET"):
        return numbers
    if isinstance(sys.stderr, io.TextIOWrapper) and not sys.stderr.isatty():
        return ten_lines(numbers, name)  # a notebook's is none
    # Here, because without ipywidgets the import alone writes a warning below the cell.
    from tqdm.auto import tqdm

    return tqdm(numbers, desc=name)


def ten_lines(numbers, name):
    """The numbers, with a line on stderr after each tenth of them."""
    tenths = [len(numbers) * tenth // 10 for tenth in range(1, 11)]
    for done, number in enumerate(numbers, 1):
        yield number
        if done in tenths:
            line = f"{name}: {done} of {len(numbers)} steps"
            print(line, file=sys.stderr, flush=True)


def log_line(log, seen, step):
    """Append the means of what the last steps gave, and forget it.

    seen: per step the loss and, if there is one, the score.
    """
    columns = zip(*seen, strict=True)
    log.append(Record(step, *(float(sum(x) / len(x)) for x in columns)))
    seen.clear()


def as_arrays(found):
    """Tensors of either framework as arrays: one, or a tuple of some; None stays."""
    if isinstance(found, tuple | list):
        return tuple(map(as_arrays, found))
    return None if found is None else found.numpy()
