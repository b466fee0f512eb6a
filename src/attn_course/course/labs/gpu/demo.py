"""A chapter's demo in its notebook: run on what is here, beside a stored run."""

import importlib
import re

import numpy as np

from attn_course.course.labs import decode
from attn_course.course.labs.caches import PEAKS
from attn_course.course.labs.gpu import DEMOS, HEADS, WIDTH, WINDOW, plan_of
from attn_course.course.plots.style import GREY
from attn_course.course.plots.theme import SERIES, drawing, picture, say_powers
from attn_course.notebook import Table, device
from attn_course.records import load_record

# Operations and bytes per second as NVIDIA's data sheets have them, dense, 16 bits, by
# a word of the device's name: the first that fits.
CARDS = {"T4": (65e12, 0.32e12), "L4": (121e12, 0.3e12)}
CARDS |= {"A100-SXM4-40GB": (312e12, 1.555e12), "A100": PEAKS["A100, 80 GB"]}
CARDS |= {name: PEAKS[name] for name in ("H100", "H200", "B200")}
NAMES = {
    "weights": "all weights",
    "tiles": "loop over tiles",
    "window": f"window of {WINDOW}",
    "strided": "strided, √n",
    "linear": "linear attention",
    "flash": "built in, flash",
    "efficient": "built in, memory-efficient",
    "cudnn": "built in, cuDNN",
    "kernel": "our Triton kernel",
    "transformer": "Transformer",
    "bahdanau": "Bahdanau",
}
AXES = {"attention": "positions", "heads": "heads", "depth": "layers"}
AXES |= {"decode": "context"}
LABELS = AXES | {"dates": "characters of the source"}


class Demo:
    """The demo of a chapter on the device that is here; ``print`` says its sizes.

    ways: those to run, where not all that the device takes.
    """

    def __init__(self, chapter, framework, *ways):
        self.chapter, self.framework = chapter, framework
        self.name, self.here = DEMOS[chapter][0], device(framework)
        self.axis = AXES.get(self.name, "steps")
        plan = plan_of(chapter, framework, self.here)
        chosen = {way: plan.ways[way] for way in ways or plan.ways if way in plan.ways}
        self.plan = plan._replace(ways=chosen)
        self.record = load_record(f"gpu_{chapter}")
        stored = [row for row in self.record["rows"] if row["demo"] == self.name]
        self.stored = [row for row in stored if row["way"] in (ways or [row["way"]])]

    def __str__(self):
        """The device, and what is run there."""
        size = "large" if self.here.kind == "cuda" else "small"
        lines = [f"{self.here}. The {size} size, {self.plan.dtype}, {self.axis}:"]
        for way, numbers in self.plan.ways.items():
            lines.append(f"  {words(way)}: {', '.join(f'{n:,}' for n in numbers)}")
        return "\n".join(lines)

    def run(self):
        """Rows of what was measured: minutes at most on a GPU, seconds without."""
        module = importlib.import_module(f"{__package__}.{self.framework}")
        return list(getattr(module, self.name)(self.plan))

    def table(self, rows):
        """What was measured, beside the card's peak where that is known."""
        return Table(*TABLES[self.name](self, [x for x in rows if "error" not in x]))

    def picture(self, rows=()):
        """The stored run as lines, these rows as dots."""
        if self.name not in AXES and self.here.kind == "cpu":
            rows = ()  # two steps of a tiny model: nothing to compare
        panels = PANELS.get(self.name, SIZES)
        ways = dict.fromkeys(row["way"] for row in [*self.stored, *rows])
        width = 3.75 * len(panels) + 1.5
        with drawing(width, 4.2, ncols=len(panels), squeeze=False) as (figure, grid):
            for axes, (label, value) in zip(grid[0], panels.items(), strict=True):
                for place, way in enumerate(ways):
                    kind = {"color": SERIES[place % len(SERIES)], "label": words(way)}
                    line = ("-", "--")[place // len(SERIES)]
                    axes.plot(*curve(value, self.stored, way), line, **kind)
                    axes.plot(*curve(value, rows, way), "o", color=kind["color"])
                axes.set(xlabel=LABELS.get(self.name, "steps"), ylabel=label)
                if label == "GB/s" and (peaks := card(self.record["device"])):
                    axes.axhline(np.log2(peaks[1] / 1e9), color=GREY, linestyle=":")
                for axis in (axes.xaxis, axes.yaxis) if self.name in AXES else ():
                    say_powers(axis)
            figure.suptitle(where(self.record), fontsize=10)
            shown = grid[0][0].get_legend_handles_labels()
            figure.legend(*shown, loc="outside lower center", ncols=3, frameon=False)
            return picture(figure)


def words(way):
    """The name of a way as a reader knows it."""
    return NAMES.get(way, way)


def where(record):
    """Device and date of a record, its versions and driver: two lines."""
    found = record["versions"]
    device, _, _ = record["device"].partition(",")
    made = f"PyTorch {found['torch']}, Triton {found['triton']}"
    return f"{device}, {record['date']}\n{made}, driver {record['driver']}"


def curve(value, rows, way):
    """x and y of the rows of a way."""
    found = [pair for row in rows if row["way"] == way for pair in value(row)]
    return [x for x, _ in found], [y for _, y in found]


def of_size(key):
    """A panel's value by size: both are powers of two, of one sequence or step."""

    def value(row):
        x = next(row[axis] for axis in AXES.values() if axis in row)
        y = 1e-6 * row["bytes"] / row["ms"] if key == "rate" else row.get(key)
        return [(np.log2(x), np.log2(y / each(row)))] if y else []

    return value


def each(row):
    """What a number is divided by: a batch has many sequences, a step is one."""
    return 1 if "context" in row else row.get("batch", 1)


SIZES = {
    "ms per sequence": of_size("forward_ms"),
    "MiB with gradients": of_size("gradients_mib"),
}
PANELS = {
    "decode": {"ms per step": of_size("ms"), "GB/s": of_size("rate")},
    "dates": {"exact match": lambda row: [(x[1], x[-1]) for x in row["by_length"]]},
    "translate": {"loss on dev": lambda row: row["dev"]},
}


def card(name):
    """A device's operations and bytes per second by its name; None if not known."""
    return next((x for n, x in CARDS.items() if re.search(rf"\b{n}\b", name)), None)


def share(rate, here, which):
    """How much of a card's own operations (0) or bytes (1) per second a rate is."""
    peaks = card(here.name)
    return f"{rate / peaks[which]:.0%}" if peaks else "—"


def pairs(row):
    """The products of queries and keys that a way needs for one head."""
    if "positions" not in row:
        return 0
    n = row["positions"]
    stored = n * (2 * WIDTH + 32)  # a state is read and written; half a chunk of 64
    ways = {"window": n * WINDOW, "strided": 1.5 * n**1.5, "linear": stored}
    return ways.get(row["way"], n * n / 2)


def ranged(middle, ends=()):
    """A time, and the fastest and slowest of its runs."""
    return f"{middle:.3g}" + (f" ({ends[0]:.3g} to {ends[1]:.3g})" if ends else "")


def measured(demo, rows):
    """Attention by length, by heads, a stack by layers."""
    axis = demo.axis
    base = {x[axis]: x["forward_ms"] for x in rows if x["way"] == rows[0]["way"]}
    header = ["Way", axis.capitalize(), "ms", "With gradients", "MiB"]
    lines = []
    for row in rows:
        line = [words(row["way"]), f"{row[axis]:,}"]
        line += [ranged(row[x + "_ms"], row[x + "_range"]) for x in STEPS]
        mib = row["gradients_mib"]
        line.append("—" if mib is None else f"{mib:,.0f}")
        if axis == "positions":
            rate = 4e3 * row["batch"] * HEADS * WIDTH * pairs(row) / row["forward_ms"]
            times = base.get(row[axis], np.nan) / row["forward_ms"]
            line += [f"{rate / 1e12:.3g}", share(rate, demo.here, 0)]
            line.append("—" if times != times else f"{times:.1f}")
        lines.append(line)
    if axis == "positions":
        header += ["TFLOP/s", "Of peak", "Times faster"]
    if any("recorded_ms" in row for row in rows):
        header.append("ms, as a graph")
        for line, row in zip(lines, rows, strict=True):
            line.append(f"{row['recorded_ms']:.3g}" if "recorded_ms" in row else "—")
    return header, lines


STEPS = ("forward", "gradients")


def decoded(demo, rows):
    """A step behind a cache."""
    base = {x["context"]: x["ms"] for x in rows if x["way"] == "MHA"}
    header = ["Cache", "Context", "ms", "Started from Python", "Tokens/s", "MiB"]
    header += ["GB/s", "Of peak", "TFLOP/s", "Times faster"]
    lines = []
    for row in rows:
        rate = 1e3 * row["bytes"] / row["ms"]
        work = row["batch"] * decode.products(row["way"], row["context"])
        lines.append(
            [
                row["way"],
                f"{row['context']:,}",
                ranged(row["ms"], row["range"]),
                ranged(row.get("started_ms", row["ms"])),
                f"{row['tokens_per_second']:,}",
                f"{row['bytes'] / 2**20:,.1f}",
                f"{rate / 1e9:,.1f}",
                share(rate, demo.here, 1),
                f"{work / row['ms'] / 1e9:.3g}",
                f"{base[row['context']] / row['ms']:.1f}",
            ]
        )
    return header, lines


def dated(demo, rows):
    """Chapter 2's two models."""
    header = ["Model", "Steps", "Seconds", "Exact match"]
    told = [(x["way"], x["steps"], x["seconds"], f"{x['exact']:.3f}") for x in rows]
    return header, told


def translated(demo, rows):
    """Chapter 9's two models."""
    header = ["Model", "Steps", "Seconds", "Loss on dev"]
    told = [(words(x["way"]), x["steps"], x["seconds"], x["dev"][-1][1]) for x in rows]
    return header, [(*line, f"{loss:.2f}") for *line, loss in told]


TABLES = {"attention": measured, "heads": measured, "depth": measured}
TABLES |= {"decode": decoded, "dates": dated, "translate": translated}
