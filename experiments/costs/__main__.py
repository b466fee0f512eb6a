"""Every mechanism at every length, in both frameworks; stores the record. Linux alone.

``--short 16`` divides all lengths by 16 and stores nothing: to try it. Stopped, the
same command goes on; ``--anew`` begins anew.
"""

import argparse
from functools import partial
from itertools import product

from attn_course.core.frameworks import keras, torch
from experiments import CLOCKS, heading, resuming, write
from experiments.bench import pytorch, tf
from experiments.bench.measure import load, one_thread
from experiments.costs import CASES, FRAMEWORKS, lengths_of, measured
from experiments.costs.operations import grown, operations


def rows_of(framework, name, runs, short):
    """The rows of one mechanism in one framework."""
    module = {"pytorch": pytorch, "tf": tf}[framework]
    lengths = [n // short for n in lengths_of(name)]
    found = measured(partial(module.program, CASES[name].make), lengths, runs)
    return [{"framework": framework, "name": name, **row} for row in found]


def counts():
    """name -> two lengths, and the operations at them."""
    found = {}
    for name, case in CASES.items():
        made = [operations(name, n) for n in case.counted]
        found[name] = [list(case.counted), made]
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="experiments.costs", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--short", type=int, default=1, metavar="DIVISOR")
    parser.add_argument("--anew", action="store_true", help="forget what is done")
    options = parser.parse_args(arguments)
    busy, rows = load(), []  # before this program adds to it
    torch.manual_seed(0)
    keras.utils.set_random_seed(0)
    with resuming("costs") as done:
        for framework, name in product(FRAMEWORKS, CASES):
            given = framework, name, options.runs, options.short
            rows += done.rows(rows_of, *given)
            print(rows[-1], flush=True)
        if options.short == 1:
            record = heading(f"python -m experiments.costs --runs {options.runs}")
            record |= {"clock": CLOCKS["costs"], "load": busy}
            record |= {"seconds": round(done.seconds)}
            record |= {"operations": counts(), "grown": grown()}
            print(write("costs", {**record, "rows": rows}))


if __name__ == "__main__":
    one_thread()
    main()
