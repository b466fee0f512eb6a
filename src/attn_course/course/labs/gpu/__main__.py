"""``python -m attn_course.course.labs.gpu [--only 14] [--anyway]``: demos and records.

Without a GPU it says so and runs nothing; ``--anyway`` runs the small sizes then, and
stores nothing. It ends within nine minutes: what is not done by then is named.
"""

import argparse
import contextlib
import importlib
import json
import subprocess
import sys
import time

from attn_course.course.labs.gpu import CHAPTERS, DEMOS, FRAMEWORKS, plan_of
from attn_course.files import ending_in_one_line
from attn_course.notebook import Device, device
from attn_course.records import heading, write

COMMAND = "python -m attn_course.course.labs.gpu"
CPU = Device("cpu", "CPU")
LIMIT = 530  # seconds, for all demos together


def one(chapter, framework):
    """Run a chapter's demo here; the last line printed is its part of the record."""
    module = importlib.import_module(f"attn_course.course.labs.gpu.{framework}")
    here, demo, rows = device(), DEMOS[chapter], []
    plan = plan_of(chapter, framework, here)
    begin = {"framework": framework, "demo": demo, "dtype": plan.dtype}
    with module.ready():
        for row in getattr(module, demo)(plan):
            rows.append({**row, **begin})
            print(rows[-1], flush=True)
    return {"device": str(here), "left_out": plan.left_out, "rows": rows}


def record_of(chapter, parts):
    """A chapter's record from what its frameworks gave."""
    return {
        **heading(f"{COMMAND} --only {chapter}"),
        "device": parts[0]["device"],
        **driver(),
        "left_out": parts[0]["left_out"],
        "rows": [row for part in parts for row in part["rows"]],
    }


def driver():
    """The driver and the highest clock, where NVIDIA's tool says them."""
    names = {"driver_version": "driver", "clocks.max.sm": "clock"}
    command = ["nvidia-smi", "--format=csv,noheader", f"--query-gpu={','.join(names)}"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return {}
    first = said.stdout.splitlines()[0].split(", ")
    return dict(zip(names.values(), first, strict=True))


def apart(chapter, framework, seconds):
    """``one`` in a process of its own, whose memory is free again when it ends."""
    command = [sys.executable, "-m", "attn_course.course.labs.gpu", "--one", chapter]
    options = {"stdout": subprocess.PIPE, "text": True, "timeout": max(1, seconds)}
    try:
        done = subprocess.run([*command, framework], **options)
    except subprocess.TimeoutExpired:
        print(f"chapter {chapter} in {framework}: no time was left")
        return None
    *said, last = done.stdout.splitlines() or [""]
    print("\n".join(said))
    if done.returncode:
        print(f"chapter {chapter} in {framework} failed, see above")
        return None
    return json.loads(last)


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="attn_course.course.labs.gpu", description=__doc__
    )
    parser.add_argument("--only", nargs="+", choices=CHAPTERS, default=CHAPTERS)
    parser.add_argument("--anyway", action="store_true")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(one(*options.one)))
        return
    for framework in ("torch", "tensorflow"):
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(framework)
    here = device()
    print(here)
    if here.kind != "cuda" and not options.anyway:
        print("The demos are for a GPU; --anyway runs their small sizes.")
        return
    end = time.monotonic() + LIMIT
    for chapter in options.only:
        parts = [apart(chapter, x, end - time.monotonic()) for x in FRAMEWORKS]
        # What ran on the CPU is not stored; one framework may see no GPU.
        parts = [part for part in parts if part and part["device"] != str(CPU)]
        if parts:
            path = write(f"gpu_{chapter}", record_of(chapter, parts))
            print(f"written to {path}")


if __name__ == "__main__":
    with ending_in_one_line("the records of whole chapters are kept"):
        main()
