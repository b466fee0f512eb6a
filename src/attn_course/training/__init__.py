"""One short training loop a framework, with the same log: ``training.pytorch`` and ``training.tf``."""

import os
from typing import NamedTuple

from tqdm.auto import tqdm


class Record(NamedTuple):
    """One line of a training log: the mean loss per token over the steps since the last line."""

    step: int
    loss: float


def progress(steps, name):
    """Steps 1 to ``steps`` behind a progress bar; silent where ``ATTN_COURSE_QUIET`` is set, as in CI."""
    return tqdm(range(1, steps + 1), desc=name, disable=bool(os.environ.get("ATTN_COURSE_QUIET")))


def log_line(log, losses, step, every):
    """Append a record every ``every`` steps, and forget the losses that went into it."""
    if step % every == 0:
        log.append(Record(step, float(sum(losses) / len(losses))))
        losses.clear()
