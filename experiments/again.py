"""Does what is stored still come out: the first entry of every plan, run once more.

python -m experiments.again [NAME ...]

One line per record, then how many of them ran. The same machine and versions give the
same numbers; on another, a long training makes more of its roundings. Ends with 1 where
a record differs, and where one was left out: some programs have no plan.
"""

import subprocess
import sys
import time

from attn_course.files import ending_in_one_line
from experiments import RECORDS, ROOT

UNPLANNED = (
    *("costs", "heads", "kernels", "live", "masked"),
    *("prices", "reactions", "sentences", "translate"),
    *sorted(path.stem for path in RECORDS.glob("gpu_*.json")),  # make gpu, on a GPU
)


def main(names):
    """Run every record's program again; returns how many differ or were left out."""
    names = names or sorted(path.stem for path in RECORDS.glob("*.json"))
    left_out = [name for name in names if name in UNPLANNED]
    planned = [name for name in names if name not in UNPLANNED]
    differ = [name for name in planned if not comes_out(name)]
    told = f"{len(differ)} differ: {', '.join(differ) or 'none'}"
    print(f"{len(planned)} of {len(names)} records ran again, {told}")
    if left_out:
        print(f"{len(left_out)} have no plan, and did not run: {', '.join(left_out)}")
    return len(differ) + len(left_out)


def comes_out(name):
    """Run one program; says in a line what it found, and whether that is as stored."""
    command = [sys.executable, "-m", f"experiments.{name}", "--again"]
    begin = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    told = (done.stderr if done.returncode else done.stdout).strip().splitlines()
    took = time.monotonic() - begin
    print(f"{took:.0f} s, {told[-1] if told else name}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    with ending_in_one_line():
        sys.exit(1 if main(sys.argv[1:]) else 0)
