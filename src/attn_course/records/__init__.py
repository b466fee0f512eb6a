"""What the longer experiments of the chapters measured: one JSON file each.

A record says when, where, with which versions and by which command it was made. In a
clone of the course ``python -m experiments.NAME`` makes it again.
"""

import datetime
import json
import platform
from importlib import metadata, resources
from pathlib import Path

from attn_course.files import write_text

PACKAGES = ("torch", "tensorflow", "keras", "triton", "numpy", "attn-course")
FRAMEWORKS = {"pytorch": "PyTorch", "tf": "TensorFlow", "tensorflow": "TensorFlow"}
FRAMEWORKS["numpy"] = "NumPy"
FRAMEWORKS |= {word: word for word in FRAMEWORKS.values()}


def load_record(name):
    """The stored record: a dict with ``date, machine, command, rows``."""
    path = resources.files(__name__).joinpath(f"{name}.json")
    return json.loads(path.read_text(encoding="utf-8"))


def frameworks(record):
    """What computed its rows, in words; a record whose rows don't say it says it once.

    Raises:
        ValueError: neither does.
    """
    named = {row["framework"] for row in record["rows"] if "framework" in row}
    if not (named := named or {*record.get("framework", "").split()}):
        raise ValueError(f"the record of {record['command']!r} names no framework")
    return sorted({FRAMEWORKS[name] for name in named})


def heading(command):
    """What every record begins with: date, machine, processor, versions, command."""
    return {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "processor": processor(),
        "versions": versions(),
        "command": command,
    }


def processor():
    """The processor's name."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.processor() or platform.machine()


def versions(names=PACKAGES):
    """name -> version of what is installed; the builds of TensorFlow are one name."""
    found = {name: version(name) for name in names}
    if "tensorflow" in found:
        found["tensorflow"] = found["tensorflow"] or version("tensorflow-cpu")
    return {name: each for name, each in found.items() if each}


def version(name):
    """The version of a package that is installed, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def in_place(rows, new, kind):
    """The rows, and new ones in place of their like: kind tells which are alike."""
    kinds = [kind(row) for row in new]
    return [row for row in rows if kind(row) not in kinds] + new


def write(name, record, folder=None):
    """Write ``NAME.json``, beside this file or in a folder; returns where it lies."""
    path = Path(folder or Path(__file__).parent, f"{name}.json")
    write_text(path, json.dumps(record, indent=1) + "\n")
    return path
