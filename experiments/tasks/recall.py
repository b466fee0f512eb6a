"""Associative recall: names with a value each are written down, then asked for.

The task that Arora et al. 2023 (arXiv:2312.04927) call MQAR, with a name and its value
in one position. It needs no data file.
"""

from typing import NamedTuple

import numpy as np

NAMES, VALUES, ASKED = 128, 32, 16
UNKNOWN = VALUES  # what stands for the value of a name that is asked for


class Recall(NamedTuple):
    """A batch of rows, int64: what is written, then what is asked.

    names, values: (B, T), values UNKNOWN where a name is asked for; answer: (B, A), the
    last value written for each of the last A names; old: (B, A), the first one.
    """

    names: np.ndarray
    values: np.ndarray
    answer: np.ndarray
    old: np.ndarray


def recall(batch_size, *, pairs, times=1, seed=0):
    """An endless iterator of `Recall`; the same seed gives the same.

    pairs: how many names are written, or a list that is gone through, a batch each.
    times: how often each name is written, every time with another value.
    """
    rng, rows = np.random.default_rng(seed), np.arange(batch_size)[:, None]
    while True:
        for n in np.atleast_1d(pairs):
            held = rng.random((batch_size, NAMES)).argsort(axis=1)[:, :n]
            orders = rng.random((times, batch_size, n)).argsort(axis=2)
            first = rng.integers(VALUES, size=(batch_size, n))
            steps = rng.integers(1, VALUES, size=(times, batch_size, n))
            steps[0] = 0
            given = (first + steps.cumsum(axis=0)) % VALUES
            asked = rng.random((batch_size, n)).argsort(axis=1)[:, :ASKED]
            names = [held[rows, order] for order in orders]
            values = [x[rows, order] for x, order in zip(given, orders, strict=True)]
            unknown = np.full(asked.shape, UNKNOWN)
            yield Recall(
                np.concatenate([*names, held[rows, asked]], axis=1),
                np.concatenate([*values, unknown], axis=1),
                given[-1][rows, asked],
                first[rows, asked],
            )
