"""Longer experiments, one module each, whose results the chapters draw.

``python -m attn_course.experiments.NAME`` runs one and stores its record.
"""

import datetime
import json
import platform
from importlib import resources
from pathlib import Path


def store(name, rows, command, **more):
    """Write ``records/NAME.json``: the rows, with date, machine and command."""
    record = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "command": command,
        "rows": rows,
        **more,
    }
    path = Path(__file__).parents[1] / "records" / f"{name}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")


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
