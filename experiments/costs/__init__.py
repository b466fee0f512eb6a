"""What every mechanism costs: operations counted, time and memory measured.

Every row of the catalog, the dense attention that it is compared with, and the two
layers that it replaced: 4 heads of width 64, or a layer as wide; forward, float32, one
thread. ``cases`` says how each is called.

python -m experiments.costs --runs 3
"""

import math

from experiments.bench.measure import peak, seconds, slope
from experiments.costs.cases import CASES, DENSE, lengths_of

__all__ = ["CASES", "DENSE", "chosen", "crossovers", "growth", "lengths_of", "measured"]
FRAMEWORKS = ("pytorch", "tf")
ROUNDS = 2
LAST = 3  # lengths on which an exponent is measured


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
