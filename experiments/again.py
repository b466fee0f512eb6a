"""Does what is stored still come out: the first entry of every plan, run once more.

python -m experiments.again [NAME ...]

One line per record. The same machine and versions give the same numbers; on another, a
long training makes more of its roundings. Programs without a plan are named.
"""

import subprocess
import sys
import time

from attn_course.files import ending_in_one_line
from experiments import RECORDS, ROOT

UNPLANNED = (
    *("costs", "heads", "kernels", "live", "masked"),
    *("prices", "reactions", "sentences", "translate"),
)


def main(names):
    """Run every record's program with ``--again``; returns how many differ."""
    differ = 0
    for name in names or sorted(path.stem for path in RECORDS.glob("*.json")):
        if name in UNPLANNED:
            print(f"{name}: has no plan, nothing was run", flush=True)
            continue
        command = [sys.executable, "-m", f"experiments.{name}", "--again"]
        begin = time.monotonic()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        told = (done.stderr if done.returncode else done.stdout).strip().splitlines()
        print(
            f"{time.monotonic() - begin:.0f} s, {told[-1] if told else name}",
            flush=True,
        )
        differ += done.returncode != 0
    return differ


if __name__ == "__main__":
    with ending_in_one_line():
        sys.exit(1 if main(sys.argv[1:]) else 0)
