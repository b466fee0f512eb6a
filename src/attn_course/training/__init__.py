"""One short training loop a framework, with the same log.

``training.pytorch`` and ``training.tf``.
"""

import os
from typing import NamedTuple


class Record(NamedTuple):
    """One line of a training log: the mean loss per token since the line before."""

    step: int
    loss: float


def short(steps):
    """``steps``, or as many as the environment variable ``ATTN_COURSE_STEPS`` allows.

    Set only where it matters that a notebook runs and not what it learns. ``progress``
    obeys it; a loop of a chapter's own writes ``range(short(400))``.
    """
    most = os.environ.get("ATTN_COURSE_STEPS")
    return min(steps, int(most)) if most else steps


def progress(steps, name):
    """Steps 1 to ``steps`` behind a progress bar; silent if ``ATTN_COURSE_QUIET``."""
    numbers = range(1, short(steps) + 1)
    if os.environ.get("ATTN_COURSE_QUIET"):
        return numbers
    # Here, because without ipywidgets the import alone writes a warning below the cell.
    from tqdm.auto import tqdm

    return tqdm(numbers, desc=name)


def log_line(log, losses, step, every):
    """Append a record every ``every`` steps; forget the losses that went into it."""
    if step % every == 0:
        log.append(Record(step, float(sum(losses) / len(losses))))
        losses.clear()
