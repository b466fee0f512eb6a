"""What the demos of both frameworks share: their inputs, our own ways, and a clock."""

import time
from functools import partial
from itertools import product
from statistics import median

from attn_course.course.labs.gpu import HEADS, WIDTH, WINDOW, batch_of

OURS = {
    "weights": ("scaled_dot_product_attention", {}),
    "tiles": ("flash_attention", {}),
    "window": ("sliding_window_attention", {"window": WINDOW}),
    "strided": ("strided_attention", {}),
    "linear": ("linear_attention", {}),
}


def ours(face, way):
    """A function of query, key and value, causal; gives the output."""
    name, sizes = OURS[way]
    function = partial(getattr(face, name), **sizes, causal=True)
    if way == "strided":
        return lambda *x: function(*x, stride=round(x[0].shape[2] ** 0.5))[0]
    return lambda *heads: function(*heads)[0]


def shapes(plan, device):
    """What is measured, a row's beginning, and the shape of queries, keys, values."""
    sizes = plan.sizes
    for way, numbers in plan.ways.items():
        for width, number in product(sizes.get("widths", (WIDTH,)), numbers):
            row, shape = {"positions": number, "width": width}, (HEADS, number, width)
            if "positions" in sizes:
                row = {"heads": number}
                shape = number, sizes["positions"], sizes["width"] // number
            batch = batch_of(shape[1], device)
            yield {"way": way, **row, "batch": batch}, (batch, *shape)


def of_ways(plan, device, measure, failures):
    """A row for each way and size: ``measure(way, shape)``.

    Where a way fails, for want of memory or of a kernel, its row says so.
    """
    failed = set()
    for row, shape in shapes(plan, device):
        kind = row["way"], row.get("width")
        if kind in failed:  # what is longer fails too
            continue
        try:
            yield row | measure(row["way"], shape)
        except failures as error:
            failed.add(kind)
            said = str(error).partition("\n")[0]
            yield row | {"error": f"{type(error).__name__}: {said}"}


def host_clock(run):
    """Milliseconds of a run that waits for its result."""
    start = time.perf_counter()
    run()
    return 1e3 * (time.perf_counter() - start)


def of_runs(milliseconds):
    """Median, fastest, slowest."""
    found = sorted(milliseconds)
    return [round(each, 4) for each in (median(found), found[0], found[-1])]
