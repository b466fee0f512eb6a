"""Figures of stored numbers: results against length, memory against context."""

import math

import numpy as np

from attn_course.core.kv_cache import cache_bytes
from attn_course.course.plots.explore.pictures import curves, rows_of_bars
from attn_course.course.plots.explore.widget import (
    Widget,
    array,
    growing,
    integer,
    number,
    whole,
)


def explore_lengths(
    lengths,
    series,
    *,
    alt,
    xlabel="length of the source",
    ylabel="accuracy",
    low=0.0,
    high=1.0,
    start=0,
    examples=None,
    label="Results by length",
):
    """Slide along the length: every model's result there, with its spread.

    Shapes:
        lengths: n growing numbers. series: {name: (n) values, or (runs, n)}; of runs
        the mean is drawn, with the lowest and the highest as a band. examples:
        {length: {name: text}}, shown below.

    Raises:
        ValueError: lengths don't grow, a series doesn't fit, there is none or more
        than five.
    """
    lengths = growing(lengths)
    if not 1 <= len(series) <= 5:
        raise ValueError(f"series must hold 1 to 5 models, got {len(series)}")
    if not low < high:
        raise ValueError(f"low must be below high, got {low} and {high}")
    x = [int(value) if value == int(value) else float(value) for value in lengths]
    named = {name: _runs(name, values, len(x)) for name, values in series.items()}
    unknown = [length for length in examples or () if length not in x]
    if unknown:
        raise ValueError(f"examples name the length {unknown[0]}, not among {x}")
    data = {
        "kind": "lengths",
        "label": label,
        "lengths": x,
        "labels": _spread_out(x),
        "xlabel": xlabel,
        "ylabel": ylabel,
        "low": float(low),
        "high": float(high),
        "start": integer("start", start, 0, len(x) - 1),
        "series": [
            {"name": name, "mean": whole(mean)}
            | ({} if least is None else {"low": whole(least), "high": whole(most)})
            for name, (mean, least, most) in named.items()
        ],
    }
    if examples:
        data["examples"] = {key: dict(texts) for key, texts in examples.items()}
    axes = {"low": low, "high": high, "xlabel": xlabel, "ylabel": ylabel}
    return Widget(data, curves(x, named, **axes), alt)


def _runs(name, values, n):
    """Mean, lowest and highest of some runs, or one run as it is."""
    runs = np.ndim(values) == 2
    values = array(f"series {name!r}", values, ("runs", n) if runs else (n,))
    return (
        (values.mean(0), values.min(0), values.max(0)) if runs else (values, None, None)
    )


def _spread_out(x):
    """The ticks that have room: first, last, and what is a sixth away from others."""
    room = (x[-1] - x[0]) / 6
    kept = [x[0]]
    for value in x[1:-1]:
        if value - kept[-1] >= room and x[-1] - value >= room:
            kept.append(value)
    return [*kept, x[-1]]


def explore_cache(
    models,
    *,
    alt,
    context=32768,
    batch=1,
    memory=80,
    devices=None,
    own=None,
    label="Memory of the cache",
):
    """Slide the length of the context: the GiB that a model's keys and values take.

    bytes = sum over kinds of layers of layers * values * min(context, window)
            * sequences * bytes per value

    Shapes:
        models: {name: parts} or {name: (parts, note)}; parts is a list of (layers,
        values per token) or (layers, values per token, window). values per token is
        2 * num_kv_heads * head_dim, or for latent attention rank + rope_dim.
        context, batch: powers of two. memory: GiB of a device, or None. devices:
        {name: GiB} to choose from, memory among them. own: layers, key heads and
        their width, in fields where a reader types others.

    The bars stand in the order of their size.

    Raises:
        ValueError: a size is not positive, context or batch not a power of two, or
        memory is not that of a device.
    """
    if not models:
        raise ValueError("models must hold at least one, got none")
    entries = []
    for name, given in models.items():
        parts, note = given if isinstance(given, tuple) else (given, "")
        if any(len(part) not in (2, 3) for part in parts) or not parts:
            message = "must be (layers, values) or (layers, values, window)"
            raise ValueError(f"parts of {name!r} {message}, got {parts!r}")
        sizes = [[integer(name, size, 1, 1 << 40) for size in part] for part in parts]
        entries.append({"name": name, "note": note, "parts": sizes})
    data = {
        "kind": "cache",
        "label": label,
        "models": entries,
        "context": _power("context", context, 7, 20),
        "batch": _power("batch", batch, 0, 8),
        "memory": None if memory is None else number("memory", memory, 1, 1 << 20),
    }
    if devices is not None:
        if memory not in devices.values():
            raise ValueError(f"memory must be that of a device, got {memory!r}")
        found = [(name, number(name, gib, 1, 1 << 20)) for name, gib in devices.items()]
        data["devices"] = found
    if own is not None:
        fields = (("layers", 1000), ("key heads", 1000), ("their width", 10_000))
        data["own"] = [
            (name, integer(name, value, 1, most), most)
            for (name, most), value in zip(fields, own, strict=True)
        ]
    sizes = [cache_gib(entry["parts"], context, batch) for entry in entries]
    rows = [
        (entry["name"], size, f"{size:,.3g} GiB")
        for entry, size in zip(entries, sizes, strict=True)
    ]
    rows.sort(key=lambda row: -row[1])
    return Widget(data, rows_of_bars(rows, high=max(*sizes, memory or 0)), alt)


def cache_gib(parts, context, batch=1, bytes_per_value=2):
    """GiB of keys and values of one model, by the formula above."""
    options = {"batch": batch, "bytes_per_value": bytes_per_value}
    return cache_bytes(parts, context, **options) / 2**30


def _power(name, value, low, high):
    power = math.log2(value) if value > 0 else -1
    if power != int(power) or not low <= power <= high:
        message = f"a power of two from {2**low} to {2**high}"
        raise ValueError(f"{name} must be {message}, got {value!r}")
    return int(power)
