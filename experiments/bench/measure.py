"""What is measured on this machine: the machine itself, seconds, memory, growth."""

import ctypes
import gc
import math
import os
import time
from pathlib import Path

MMAP_THRESHOLD = -3  # of mallopt: from how many bytes on an array has its own pages


def seconds(run, clock=time.process_time):
    """How long one run computes."""
    start = clock()
    run()
    return clock() - start


def slope(lengths, values):
    """The exponent of growth: the least squares' slope on log axes."""
    x, y = ([math.log(each) for each in both] for both in (lengths, values))
    middle, level = sum(x) / len(x), sum(y) / len(y)
    rise = sum((a - middle) * (b - level) for a, b in zip(x, y, strict=True))
    return rise / sum((a - middle) ** 2 for a in x)


def peak(run):
    """MiB that a function holds at most, beside what was held; Linux alone.

    Every array has pages of its own meanwhile, which return to the system at once.
    """
    library = ctypes.CDLL("libc.so.6")
    library.mallopt(MMAP_THRESHOLD, 1 << 16)
    run()  # what is loaded once
    gc.collect()
    library.malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = held("VmRSS")
    run()
    found = held("VmHWM") - before
    library.mallopt(MMAP_THRESHOLD, 1 << 25)  # what it grows to by itself
    return round(max(found, 0), 2)


def held(field):
    """MiB of this process: VmRSS now, VmHWM at most; Linux alone."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(x.split()[1]) for x in lines if x.startswith(field)) / 1024


def load():
    """How many programs of the machine wanted a core in the last minute."""
    return round(os.getloadavg()[0], 1)
