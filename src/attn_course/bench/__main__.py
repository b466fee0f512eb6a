"""``python -m attn_course.bench [--only WORD ...] [--rounds N] [--out FILE]``."""

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before a framework is imported

from tqdm.auto import tqdm

from attn_course.bench import ROUNDS, compare
from attn_course.bench.rows import ROWS


def machine():
    """What the figures depend on."""
    versions = {}
    for name in ("torch", "tensorflow", "tensorflow-cpu", "keras", "numpy"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "date": datetime.date.today().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": 1,
        "dtype": "float32",
        "python": platform.python_version(),
        **versions,
    }


def _processor():
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.processor() or platform.machine()


def one_thread():
    """Both frameworks on one thread, whatever is installed."""
    try:
        from attn_course.frameworks import torch

        torch.set_num_threads(1)
    except ModuleNotFoundError:
        pass
    try:
        from attn_course.frameworks import tf

        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    except ModuleNotFoundError:
        pass


def chosen(words):
    """The rows whose name has all the words; ValueError if there are none."""
    found = [row for row in ROWS if all(w.lower() in row.name.lower() for w in words)]
    if not found:
        names = "\n  ".join(row.name for row in ROWS)
        asked = " ".join(words)
        raise ValueError(f"no row has {asked!r} in its name; there are\n  {names}")
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="attn_course.bench", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--out", type=Path, default=Path("_build/bench.json"))
    options = parser.parse_args(arguments)
    try:
        rows = chosen(options.only)
    except ValueError as error:
        parser.error(str(error))
    one_thread()
    quiet = bool(os.environ.get("ATTN_COURSE_QUIET"))
    bar = tqdm(rows, desc="bench", disable=quiet)
    results = [compare(row, rounds=options.rounds) for row in bar]
    width = max(len(row.name) for row in rows)
    print(f"{'':{width}}  ratio  middle half    goal  verdict")
    for one in results:
        goal = "" if one.goal is None else f"{one.goal:.2f}"
        spread = f"{one.low:.2f} to {one.high:.2f}"
        line = f"{one.ratio:5.2f}  {spread}  {goal:>6}  {one.verdict}"
        print(f"{one.name:{width}}  {line} ({one.peer})")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    record = {"machine": machine(), "rows": [one._asdict() for one in results]}
    options.out.write_text(json.dumps(record, indent=1) + "\n")
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()
