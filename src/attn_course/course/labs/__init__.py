"""The models of the chapters' longer experiments, and their demos.

In a clone of the course ``python -m experiments.NAME`` runs an experiment and stores
its record.
"""

from functools import cache

import numpy as np

from attn_course.records import load_record as load_record

RESAMPLES = 2000


def by_framework(rows):
    """The rows of a record apart, a list for each framework; the first's come first."""
    names = dict.fromkeys(row["framework"] for row in rows)
    return [[row for row in rows if row["framework"] == name] for name in names]


def over_runs(rows, **chosen):
    """Exact match by length of the source, over all runs that are as chosen.

    ``over_runs(load_record("dates")["rows"], attention=True)`` gives a row
    ``(shortest, longest, count, mean, least, most)`` for every bucket of lengths.

    Raises:
        ValueError: no run is as chosen.
    """
    runs = [row for row in rows if all(row[k] == v for k, v in chosen.items())]
    if not runs:
        raise ValueError(f"no run has {chosen}")
    found = []
    for buckets in zip(*(run["by_length"] for run in runs), strict=True):
        exact = [bucket[-1] for bucket in buckets]
        mean = sum(exact) / len(exact)
        found.append((*buckets[0][:-1], mean, min(exact), max(exact)))
    return found


def interval(right, total=None):
    """Share, lower and upper bound: 95 % of bootstrap samples of whole units.

    right, total: what is right in every unit (a verse, a reaction) and what there is;
    None is one in each.
    """
    total = np.ones(len(right)) if total is None else total
    drawn = _draws(len(right))
    low, high = np.quantile(drawn @ right / (drawn @ total), (0.025, 0.975))
    return [round(float(x), 4) for x in (right.sum() / total.sum(), low, high)]


@cache
def _draws(n):
    """How often every one of n units is in every bootstrap sample."""
    drawn = np.random.default_rng(0).integers(n, size=(RESAMPLES, n))
    return np.stack([np.bincount(sample, minlength=n) for sample in drawn])
