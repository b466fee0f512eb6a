"""What every mechanism costs: operations counted, time and memory measured.

Every row of the catalog, the dense attention that it is compared with, and the two
layers that it replaced: 4 heads of width 64, or a layer as wide; forward, float32, one
thread, at every length, in both frameworks. Linux alone.

python -m experiments.costs --runs 3

``--short 16`` divides all lengths by 16 and stores nothing: to try it. ``--only delta
tf`` measures the rows that have all these words, ``--only lacking`` those that the
record has not, and leaves the record's others. Stopped, the same command goes on;
``--anew`` begins anew.
"""

import argparse
import importlib
import math
from functools import partial
from itertools import product
from operator import itemgetter

from attn_course.core.chunked.shared import chunks_at_once
from attn_course.core.frameworks import torch
from attn_course.records import in_place, load_record
from experiments import CLOCKS, draw_from, heading, on_one_thread, resuming, write
from experiments.bench.cases import (
    FAR,
    STEPS,
    WIDTH,
    Program,
    cases,
    on_heads,
    on_words,
)
from experiments.bench.measure import load, peak, seconds, slope
from experiments.bench.pytorch import program

HEADS, WINDOW, RANK = 4, 64, 128
SIZES = 4  # a length and three halves of it
DENSE = "dense, no weights"
FULL = {"need_weights": False}
CASES = {
    **cases(HEADS, WINDOW, RANK, parts=True),
    DENSE: Program(on_heads("scaled_dot_product_attention", HEADS, **FULL), FAR),
    f"{DENSE}, causal": Program(
        on_heads("scaled_dot_product_attention", HEADS, **FULL, causal=True), FAR
    ),
    "recurrent": Program(on_words("recurrent", HEADS * WIDTH), **STEPS),
    "convolutional": Program(on_words("convolutional", HEADS * WIDTH), FAR),
}
FRAMEWORKS = ("pytorch", "tf")
ROUNDS = 2
LAST = 3  # lengths on which an exponent is measured
# Drawn on the page of costs.
DRAWN = {
    "scaled_dot_product_attention": "all pairs",
    "lsh_attention": "LSH",
    "strided_attention": "strided",
    "sliding_window_attention": "window",
    "linear_attention": "linear",
}
LENGTHS = (1024, 4096, 16384, 65536)


def lengths_of(name):
    """What is measured, from short to long."""
    longest = CASES[name].longest
    return tuple(longest >> k for k in reversed(range(SIZES)))


def measured(make, lengths, runs):
    """``runs`` times: milliseconds of the processor, and MiB at most, by length.

    make: of a length, returns a function of no arguments.
    """
    rows = [
        {"positions": list(lengths), "milliseconds": [], "mib": []} for _ in range(runs)
    ]
    for n in lengths:
        program = make(n)
        for row in rows:
            row["mib"].append(peak(program))
            best = min(seconds(program) for _ in range(ROUNDS))
            row["milliseconds"].append(round(1e3 * best, 3))
    return rows


def chosen(rows, framework, name):
    """The runs of one mechanism in one framework."""
    wanted = {"framework": framework, "name": name}
    return [row for row in rows if wanted.items() <= row.items()]


def growth(rows, framework, name, what):
    """Exponents of ``what`` on the last lengths, one per run, sorted.

    What is too little to be seen, a page of memory, counts as a page.
    """
    found = []
    for row in chosen(rows, framework, name):
        values = [max(value, 4 / 1024) for value in row[what][-LAST:]]
        found.append(slope(row["positions"][-LAST:], values))
    return sorted(found)


def crossovers(rows, framework, name):
    """From which length on it is faster than dense attention, one per run, sorted.

    The shortest length where it always is, infinity where it never is.
    """
    dense = DENSE + (", causal" if CASES[name].causal else "")
    pairs = zip(*(chosen(rows, framework, each) for each in (name, dense)), strict=True)
    return sorted(_crossover(*pair) for pair in pairs)


def _crossover(ours, dense):
    lengths = ours["positions"]
    both = zip(ours["milliseconds"], dense["milliseconds"], strict=True)
    ratios = [one / other for one, other in both]
    slow = [i for i, ratio in enumerate(ratios) if ratio >= 1]
    if not slow:
        return lengths[0]
    last = slow[-1]  # from here on it is faster
    if last == len(lengths) - 1:
        return float("inf")
    (n, m), (a, b) = lengths[last : last + 2], ratios[last : last + 2]
    return n * (m / n) ** (math.log(a) / (math.log(a) - math.log(b)))  # on log axes


def operations(name, n):
    """Multiplications and additions of all matrix products at length n.

    Counted from the operations that PyTorch dispatches, on tensors without numbers, as
    a CPU computes: there chunks come one after the other.
    """
    from torch.utils.flop_counter import FlopCounterMode

    counter = FlopCounterMode(display=False)
    with torch.device("meta"), chunks_at_once(False), counter:
        program(CASES[name].make, n)()
    return counter.get_total_flops()


def grown():
    """name -> the operations at each of the four lengths."""
    return {name: [operations(name, n) for n in LENGTHS] for name in DRAWN}


def rows_of(framework, name, runs, short):
    """The rows of one mechanism in one framework."""
    module = importlib.import_module(f"experiments.bench.{framework}")
    lengths = [n // short for n in lengths_of(name)]
    found = measured(partial(module.program, CASES[name].make), lengths, runs)
    return [{"framework": framework, "name": name, **row} for row in found]


def asked(words):
    """(framework, name) of the rows that have all words; ValueError if none has."""
    every = [*product(FRAMEWORKS, CASES)]
    if words == ["lacking"]:
        rows = load_record("costs")["rows"]
        stored = {(row["framework"], row["name"]) for row in rows}
        return [row for row in every if row not in stored]
    found = [row for row in every if all(word in " ".join(row) for word in words)]
    if not found:
        raise ValueError(f"no row has {' '.join(words)!r} in framework and name")
    return found


def renewed(record, rows, heading):
    """The record with these rows in place of its own, which say when and how made."""
    told = {key: heading[key] for key in ("date", "command", "load")}
    rows = [row | told for row in rows]
    alike = itemgetter("framework", "name")
    return record | {"rows": in_place(record["rows"], rows, alike)}


def counts(rows):
    """name -> two lengths, and the operations at them, of all that was measured."""
    found = {}
    for name in dict.fromkeys(row["name"] for row in rows):
        lengths = CASES[name].counted
        found[name] = [list(lengths), [operations(name, n) for n in lengths]]
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="experiments.costs", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--short", type=int, default=1, metavar="DIVISOR")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--anew", action="store_true", help="forget what is done")
    options = parser.parse_args(arguments)
    busy, rows = load(), []  # before this program adds to it
    draw_from(0)
    with resuming("costs") as done:
        for framework, name in asked(options.only):
            given = framework, name, options.runs, options.short
            rows += done.rows(rows_of, *given)
            print(rows[-1], flush=True)
        if options.short == 1:
            only = f" --only {' '.join(options.only)}" if options.only else ""
            record = heading(f"python -m experiments.costs --runs {options.runs}{only}")
            record |= {"clock": CLOCKS["costs"], "load": busy}
            record |= {"seconds": round(done.seconds), "rows": rows}
            if options.only:
                record = renewed(load_record("costs"), rows, record)
            record |= {"operations": counts(record["rows"]), "grown": grown()}
            print(write("costs", record))


if __name__ == "__main__":
    on_one_thread()
    main()
