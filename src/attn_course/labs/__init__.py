"""The models and the longer experiments of the chapters.

``python -m attn_course.labs.NAME`` runs one and stores its record.
"""

import argparse
import datetime
import json
import platform
import time
from functools import cache
from importlib import metadata, resources
from pathlib import Path

import numpy as np

from attn_course.bench.measure import versions

_STARTED = time.monotonic()
RESAMPLES = 2000


def chosen_seeds():
    """The seeds of the command line, ``--seeds 0 1 2``; 0 if there are none."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    return parser.parse_args().seeds


def run_plan(name, plan, run, **more):
    """Run every entry of a plan with every seed of the command line; store the rows.

    run: of the values of an entry and a seed; returns rows. more: functions of no
    arguments whose results the record keeps too.
    """
    seeds, rows = chosen_seeds(), []
    for seed in seeds:
        for entry in plan:
            rows += run(*entry, seed)
            print(rows[-1], flush=True)
    store(name, rows, seeds, **{key: measure() for key, measure in more.items()})


def store(name, rows, seeds, **more):
    """Write ``records/NAME.json``: the rows, and what made them.

    ``heading``, the version of this package, and the seconds that it took.
    """
    listed = " ".join(map(str, seeds))
    took = {"version": metadata.version("attn-course")}
    took["seconds"] = round(time.monotonic() - _STARTED)
    command = f"python -m attn_course.labs.{name} --seeds {listed}"
    write(name, {**heading(command), **took, "rows": rows, **more})


def heading(command):
    """What every record begins with: date, machine, versions, command."""
    return {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "versions": versions(),
        "command": command,
    }


def write(name, record):
    """Write ``records/NAME.json``; returns where it lies."""
    path = Path(__file__).parents[1] / "records" / f"{name}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")
    return path


def load_record(name):
    """The stored record: a dict with ``date, machine, command, rows``."""
    path = resources.files("attn_course.records").joinpath(f"{name}.json")
    return json.loads(path.read_text())


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
