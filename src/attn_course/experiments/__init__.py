"""Longer experiments, one module each: ``python -m attn_course.experiments.NAME`` runs one and stores its record."""

import datetime
import json
import platform
from importlib import resources
from pathlib import Path


def store(name, rows, command):
    """Write ``records/NAME.json`` beside the package: the rows, with date, machine and command."""
    record = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()}, one core, Python {platform.python_version()}",
        "command": command,
        "rows": rows,
    }
    path = Path(__file__).parents[1] / "records" / f"{name}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")


def load_record(name):
    """The stored record of an experiment: a dict with ``date, machine, command, rows``."""
    return json.loads(resources.files("attn_course.records").joinpath(f"{name}.json").read_text())
