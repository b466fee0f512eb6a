"""What a part of a layer costs in training: a step with it through one without.

The benchmark's rows "training step with ...", in both frameworks, on one thread. The
two steps of a row take turns, so what else the machine does falls on both.

python -m experiments.prices --seeds 0
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before a framework is imported

from attn_course.files import ending_in_one_line
from experiments import chosen_seeds, on_one_thread, store
from experiments.bench import compare
from experiments.bench.layers import ROWS
from experiments.bench.measure import load

START = "training step with "


def measured():
    """What each row gives: the part, the framework, the sizes, and the ratio."""
    for row in ROWS:
        if not row.name.startswith(START):
            continue
        part, framework, sizes = row.title.removeprefix(START).split(", ")
        found = compare(row)
        ratios = {x: round(getattr(found, x), 3) for x in ("ratio", "low", "high")}
        yield {"framework": framework, "part": part, "sizes": sizes} | ratios
        print(found, flush=True)


if __name__ == "__main__":
    with ending_in_one_line("the last record is as it was"):
        on_one_thread()
        machine = {"load": load(), "threads": 1}
        store("prices", list(measured()), chosen_seeds(), **machine)
