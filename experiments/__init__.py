"""Programs that make the course's records and data, and its benchmark.

They are no part of the package: they run from a clone, ``python -m experiments.NAME``,
and write into ``src/attn_course``.
"""

import argparse
import hashlib
import json
import math
import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from attn_course.files import ending_in_one_line, write_text
from attn_course.records import (
    heading,
    in_place,
    version,
    versions,
    write as write_record,
)

ROOT = Path(__file__).parents[1]
RECORDS = ROOT / "src" / "attn_course" / "records"
RUNS = ROOT / "_build" / "experiments"
USED = {"pytorch": "torch", "tf": "tensorflow"}
TIMES = {"seconds", "milliseconds"}  # words in the keys of rows
# What timed the rows: of ``time``, neither counts what others on the machine compute.
_THREAD = "decode decoding hybrid serving speculative"
CLOCKS = dict.fromkeys(_THREAD.split(), "thread_time")
_PROCESS = "align costs indexer live luong masked prices sentences"
CLOCKS |= dict.fromkeys(_PROCESS.split(), "process_time")
_STARTED = time.monotonic()


def chosen_seeds():
    """The seeds of the command line, ``--seeds 0 1 2``; 0 if there are none."""
    return _options().seeds


def adds():
    """Whether another framework's runs alone are asked for: ``--beside``."""
    return _options().beside


def _options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--anew", action="store_true", help="forget what is done")
    parser.add_argument("--again", action="store_true", help="compare the first entry")
    parser.add_argument("--beside", action="store_true", help="run those alone")
    return parser.parse_known_args()[0]


def run_plan(name, plan, run, beside=(), **more):
    """Run every entry of a plan with every seed of the command line; store the rows.

    run: of the values of an entry and a seed; returns rows. beside: entries that run
    with the first seed alone, the same in another framework. more: functions of no
    arguments whose results the record keeps too.

    What each entry gave is kept in ``_build/experiments/NAME.json``: a program that was
    stopped goes on there, unless the code has changed since. ``--anew`` begins anew.

    One thread computes, so that the number of cores does not change what comes out.

    ``--again`` stores nothing: it runs the first entry with the first seed once more,
    and ends with what is not as the record has it. ``--beside`` runs the entries beside
    alone, and leaves the record's other rows as they are.
    """
    on_one_thread()
    if _options().again:
        return ended(name, run(*plan[0], chosen_seeds()[0]))
    with resuming(name) as done:
        seeds, rows = chosen_seeds(), []
        runs = [(*entry, seed) for seed in seeds for entry in plan]
        runs = [] if adds() else runs
        for given in runs + [(*entry, seeds[0]) for entry in beside]:
            rows += done.rows(run, *given)
            print(rows[-1], flush=True)
        seconds = {"seconds": round(done.seconds)}
        if adds():
            return add(name, {"rows": rows}, **seconds)
        store(name, rows, seeds, **seconds, **{k: each() for k, each in more.items()})


def on_one_thread():
    """A framework computes on one thread, whether it is imported already or later."""
    names = "OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"
    os.environ |= dict.fromkeys(names, "1")  # read when the first operation runs
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def draw_from(seed):
    """Whatever the frameworks draw from here on follows from the seed."""
    from attn_course.core.frameworks import keras, torch  # some programs need neither

    torch.manual_seed(seed)
    keras.utils.set_random_seed(seed)


def ended(name, rows):
    """End the program: in a line if the record holds these rows, else with the rest."""
    faults = compared(name, json.loads(json.dumps(rows)))
    sys.exit("\n".join(faults) or print(f"{name}: {len(rows)} rows as stored"))


def compared(name, rows):
    """What is not as in ``records/NAME.json``: a text for each row that isn't there."""
    stored = json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))["rows"]
    nearest = [min((unlike(row, kept) for kept in stored), key=len) for row in rows]
    return [f"{name}: {', '.join(faults)}" for faults in nearest if faults]


def unlike(row, kept):
    """Where two rows differ by more than rounding; times are not compared."""
    keys = [key for key in row | kept if not TIMES & set(key.split("_"))]
    differ = [key for key in keys if not same(row.get(key), kept.get(key))]
    return [f"{key} {row.get(key)}, stored {kept.get(key)}" for key in differ]


def same(now, was):
    """Two values of JSON, numbers within a thousandth."""
    if isinstance(now, list) and isinstance(was, list):
        return len(now) == len(was) and all(map(same, now, was))
    if isinstance(now, float) and isinstance(was, float | int):
        return math.isclose(now, was, rel_tol=1e-3, abs_tol=1e-3)
    return now == was


@contextmanager
def resuming(name):
    """A program that, stopped, ends in one line and goes on where it was; see Done."""
    with ending_in_one_line("what is done is kept; the same command goes on"):
        done = Done(name)
        yield done
        done.forget()


class Done:
    """What the entries of a plan gave so far, in a file."""

    def __init__(self, name):
        self.path = RUNS / f"{name}.json"
        self.code = code_of_now()
        self.entries, self.seconds = {}, 0.0
        if self.path.exists() and not _options().anew:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            if kept["code"] == self.code:
                self.entries, self.seconds = kept["entries"], kept["seconds"]
                print(f"{len(self.entries)} runs are done already: {self.path}")

    def rows(self, run, *given):
        """The rows of an entry and a seed, run now if they are not here."""
        key, begin = json.dumps(given), time.monotonic()
        if key not in self.entries:
            self.entries[key] = run(*given)
            self.seconds += time.monotonic() - begin
            self.path.parent.mkdir(parents=True, exist_ok=True)
            kept = {"code": self.code, "seconds": self.seconds}
            write_text(self.path, json.dumps({**kept, "entries": self.entries}))
        return self.entries[key]

    def forget(self):
        """The record is stored: nothing is to be gone on from."""
        self.path.unlink(missing_ok=True)


def code_of_now():
    """A sum over the versions and all code that an experiment could run."""
    digest = hashlib.sha256(json.dumps(versions()).encode())
    for folder in (ROOT / "experiments", ROOT / "src"):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def store(name, rows, seeds, **more):
    """Write ``records/NAME.json``: the rows, and what made them.

    ``heading``, the framework where the rows don't name theirs, the version of the
    package, and the seconds that it took.
    """
    listed = " ".join(map(str, seeds))
    took = {"version": version("attn-course")}
    if not any("framework" in row for row in rows if isinstance(row, dict)):
        used = [name for name, key in USED.items() if key in sys.modules]
        took["framework"] = " ".join(used) or "numpy"
    took["seconds"] = round(time.monotonic() - _STARTED)
    took |= {"clock": CLOCKS[name]} if name in CLOCKS else {}
    command = f"python -m experiments.{name} --seeds {listed}"
    write(name, {**heading(command), **took, "rows": rows, **more})


def add(name, lists, **took):
    """Put rows behind those of ``records/NAME.json``, of another framework or steps.

    lists: key -> rows. What made them stands under "beside", without the command, which
    makes all of them.
    """
    record = json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))
    own = {"framework": record.pop("framework", None)}
    for key, rows in lists.items():
        kept = [own | row for row in record[key]]
        record[key] = in_place(kept, rows, lambda x: (x["framework"], x.get("steps")))
    beside = heading(None) | took
    del beside["command"]
    write(name, record | {"beside": beside})


def write(name, record):
    """Write ``records/NAME.json`` of the clone; returns where it lies."""
    return write_record(name, record, RECORDS)
