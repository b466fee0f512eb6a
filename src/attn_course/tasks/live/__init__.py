"""Weights of models that were trained for this course, for its live figures.

``python -m experiments.live`` trains them, and writes the files beside this one and
the record "live": seeds, steps, what they get right, and the sums of the files.
"""

import io
from functools import cache
from pathlib import Path

import numpy as np

from attn_course.records import load_record
from attn_course.tasks.data import read_checked

HERE = Path(__file__).parent


@cache
def trained(name):
    """The row of the record "live" about a model.

    Raises:
        ValueError: there is no such model.
    """
    for row in load_record("live")["rows"]:
        if row["model"] == name:
            return row
    raise ValueError(f"no model of the record 'live' has the name {name!r}")


def load_weights(name):
    """A model's parameters: float32 arrays, as ``parity.set_parameters`` takes them.

    They are stored as float16.

    Raises:
        ValueError: there is no such model, or its file is missing or damaged.
    """
    data = read_checked(HERE / f"{name}.npz", trained(name)["sha256"])
    stored = np.load(io.BytesIO(data))
    return {key: stored[key].astype(np.float32) for key in stored}
