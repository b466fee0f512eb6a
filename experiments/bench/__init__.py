"""How fast the course's code is, as ratios to the libraries': ``make bench``.

A row names two programs that give the same output. They run in one process and on one
thread, one round after the other, in turn who is first; the ratio of the two times, of
the process's own clock or on a GPU the wall's, is taken round by round, so that what
else the machine does falls on both. A benchmark is
no test: it prints its verdict and ends well.
"""

import importlib
import time
from collections.abc import Callable
from statistics import median, quantiles
from typing import NamedTuple

ROUNDS = 15
LEAST_POSITIONS = 256  # with ``shorter``: windows and blocks have to fit
LEAST_SECONDS = 0.05  # of one program in one round: repeated until it takes that long


def side(framework):
    """``bench.pytorch`` or ``bench.tf``, imported when a row needs it."""
    name = {"PyTorch": "pytorch", "TensorFlow": "tf"}[framework]
    return importlib.import_module(f"experiments.bench.{name}")


class Row(NamedTuple):
    """A comparison: ``make(positions) -> (ours, peer)`` builds two functions.

    name: may hold ``{n}``, the positions. same: whether the two give the same numbers,
    or one does what the other can't. mechanism: its row of the catalog. needs: the
    module that the peer is in, where that is an extra.
    """

    name: str
    peer: str
    make: Callable
    goal: float | None = None
    positions: int = 16
    same: bool = True
    mechanism: str = ""
    needs: str = ""

    def shorter(self, divisor):
        """The same at fewer positions, where no goal was set."""
        if self.positions < LEAST_POSITIONS * divisor:
            return self._replace(goal=None)
        return self._replace(goal=None, positions=self.positions // divisor)

    @property
    def title(self):
        return self.name.format(n=self.positions)


class Result(NamedTuple):
    """Time of ours through time of the peer: the median, and the middle half."""

    name: str
    peer: str
    ratio: float
    low: float
    high: float
    goal: float | None
    verdict: str


def compare(row, *, rounds=ROUNDS, clock=time.process_time):
    """Run a row; a miss counts only beyond the spread, and after a second try."""
    ours, peer = row.make(row.positions)
    result = _once(row, ours, peer, rounds, clock)
    if result.verdict == "missed":
        result = _once(row, ours, peer, rounds, clock)
    return result


def _once(row, ours, peer, rounds, clock):
    repeats = [_repeats(program, clock) for program in (ours, peer)]
    ratios = []
    for turn in range(rounds):
        pair = [(0, ours), (1, peer)]
        seconds = [0.0, 0.0]
        for which, program in pair if turn % 2 else reversed(pair):
            seconds[which] = _seconds(program, repeats[which], clock) / repeats[which]
        ratios.append(seconds[0] / seconds[1])
    low, _, high = quantiles(ratios, n=4)
    verdict = _verdict(median(ratios), low, row.goal)
    return Result(row.title, row.peer, median(ratios), low, high, row.goal, verdict)


def _verdict(ratio, low, goal):
    if goal is None:
        return "recorded"
    if ratio <= goal:
        return "reached"
    return "within the spread" if low <= goal else "missed"


def _repeats(program, clock):
    """How often a program runs in a round; the first run, unmeasured, may compile."""
    program()
    once = _seconds(program, 1, clock)
    return max(1, round(LEAST_SECONDS / max(once, 1e-9)))


def _seconds(program, repeats, clock):
    start = clock()
    for _ in range(repeats):
        program()
    return clock() - start
