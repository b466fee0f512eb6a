"""What the demos of both frameworks share: their inputs, our own ways, and a clock."""

import time
from functools import partial
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
    for way, numbers in plan.ways.items():
        for number in numbers:
            if "width" in plan.sizes:
                length, row = plan.sizes["positions"], {"way": way, "heads": number}
                shape = number, length, plan.sizes["width"] // number
            else:
                length, row = number, {"way": way, "positions": number}
                shape = HEADS, length, WIDTH
            batch = batch_of(length, device)
            yield row | {"batch": batch}, (batch, *shape)


def of_ways(plan, device, measure, failures):
    """A row for each way and size: ``measure(way, shape)``.

    Where a way fails, for want of memory or of a kernel, its row says so.
    """
    failed = set()
    for row, shape in shapes(plan, device):
        if row["way"] in failed:  # what is longer fails too
            continue
        try:
            yield row | measure(row["way"], shape)
        except failures as error:
            failed.add(row["way"])
            yield row | {"error": str(error).partition("\n")[0]}


def host_clock(run):
    """Milliseconds of a run that waits for its result."""
    start = time.perf_counter()
    run()
    return 1e3 * (time.perf_counter() - start)


def of_runs(milliseconds):
    """Median, fastest, slowest."""
    found = sorted(milliseconds)
    return [round(each, 4) for each in (median(found), found[0], found[-1])]
