"""A chapter's demo in its notebook: run on what is here, beside a stored run."""

import importlib
import re
from itertools import product

import numpy as np

from attn_course.course.labs import decode
from attn_course.course.labs.caches import PEAKS
from attn_course.course.labs.gpu import BESIDE, DEMOS, HEADS, WIDTH, WINDOW, plan_of
from attn_course.course.plots.style import GREY
from attn_course.course.plots.theme import SERIES, drawing, picture, say_powers
from attn_course.notebook import Device, Table, device
from attn_course.records import load_record

# Operations and bytes per second as NVIDIA's data sheets have them, dense, 16 bits, by
# an expression in the device's name: the first that fits.
CARDS = {"T4": (65e12, 0.32e12), "L4": (121e12, 0.3e12)}
CARDS |= {r"A100-\w+-40GB": (312e12, 1.555e12), "A100": PEAKS["A100, 80 GB"]}
CARDS |= {r"H100 \d+GB HBM3": PEAKS["H100"]}  # not the slower ones: PCIe, NVL
CARDS |= {name: PEAKS[name] for name in ("H200", "B200")}
IN_16_BITS = ("window", "flash", "efficient", "cudnn", "kernel")  # others compute in 32
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
# Ways, by chapter, that take less time than these; and less memory than all weights.
FUSED = dict.fromkeys(("flash", "efficient", "cudnn", "kernel"), ("weights",))
FASTER = {"14": FUSED | {"tiles": ()}, "06": FUSED}
FASTER["10"] = {"window": ("weights", *BESIDE)}
FASTER["11"] = {"linear": ("weights", *BESIDE)}
LARGE = Device("cuda", "", 139.8, (9, 0))  # what the stored runs ran on
NO_ROOM = r"OutOfMemory|ResourceExhausted|out of memory"


class Demo:
    """The demo of a chapter on the device that is here; ``print`` says its sizes.

    ways: those to run, where not all that the device takes.
    """

    def __init__(self, chapter, framework, *ways):
        self.chapter, self.framework = chapter, framework
        self.name, self.here = DEMOS[chapter], device(framework)
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
        widths = self.plan.sizes.get("widths", ())
        wide = f"width {' and '.join(map(str, widths))}, " if len(widths) > 1 else ""
        for name in ("positions", "width"):
            if name in self.plan.sizes:
                wide += f"{name} {self.plan.sizes[name]:,}, "
        begin = f"{self.here}. The {size} size, {self.plan.dtype}, "
        lines = [f"{begin}{wide}{self.axis}:"]
        for way, numbers in self.plan.ways.items():
            lines.append(f"  {words(way)}: {', '.join(f'{n:,}' for n in numbers)}")
        return "\n".join(lines)

    def run(self):
        """Rows of what was measured: minutes at most on a GPU, seconds without."""
        module = importlib.import_module(f"{__package__}.{self.framework}")
        with module.ready():
            return list(getattr(module, self.name)(self.plan))

    def holds(self, rows):
        """Whether these rows are what the page says: True, or AssertionError.

        Every way ran, and on a GPU the page's claim holds; there alone a way may fail,
        for want of memory.
        """
        on_gpu = self.here.kind == "cuda"
        must({row["way"] for row in rows} == {*self.plan.ways}, "ways are missing")
        for row in rows:
            no_room = on_gpu and re.search(NO_ROOM, row.get("error", ""))
            must("error" not in row or no_room, f"{row}")
        ran = [row for row in rows if "error" not in row]
        for row in ran:
            planned = self.plan.ways[row["way"]]
            must(row.get(self.axis) in planned, f"{row} is not in the plan")
            times = [row[name] for name in row if name.endswith("ms")]
            must(min(times, default=1) > 0, f"{row} took no time")
        if on_gpu:
            CLAIMS[self.name](self, ran)
        return True

    def table(self, rows):
        """What was measured, beside the card's peak where that is known."""
        return Table(*TABLES[self.name](self, [x for x in rows if "error" not in x]))

    def picture(self, rows=()):
        """The stored run as lines, these rows as dots."""
        large = plan_of(self.chapter, self.framework, LARGE).sizes
        if self.name != "attention" and self.plan.sizes != large:
            rows = ()  # another problem: nothing to compare
        panels = PANELS.get(self.name, SIZES)
        ways = dict.fromkeys(row["way"] for row in [*self.stored, *rows])
        widths = sorted({row.get("width", WIDTH) for row in [*self.stored, *rows]})
        across = 3.75 * len(panels) + 1.5
        with drawing(across, 4.2, ncols=len(panels), squeeze=False) as (figure, grid):
            for axes, (label, value) in zip(grid[0], panels.items(), strict=True):
                for (place, way), width in product(enumerate(ways), widths):
                    color, wide = SERIES[place % len(SERIES)], width > WIDTH
                    line = ":" if wide else ("-", "--")[place // len(SERIES)]
                    kind = {"color": color, "label": None if wide else words(way)}
                    axes.plot(*curve(value, self.stored, way, width), line, **kind)
                    dot = "^" if wide else "o"
                    axes.plot(*curve(value, rows, way, width), dot, color=color)
                axes.set(xlabel=LABELS.get(self.name, "steps"), ylabel=label)
                if label == "exact match":
                    axes.set_ylim(0, 1.04)
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


def curve(value, rows, way, width):
    """x and y of the rows of a way, with heads of a width."""
    chosen = [x for x in rows if (x["way"], x.get("width", WIDTH)) == (way, width)]
    found = [pair for row in chosen for pair in value(row)]
    return [x for x, _ in found], [y for _, y in found]


def size_of(row):
    """What rows of several ways have in common: width of a head, and how many of what.

    Records made before there were two widths don't name it.
    """
    number = next(row[axis] for axis in AXES.values() if axis in row)
    return row.get("width", WIDTH), number


def of_size(key):
    """A panel's value by size: both are powers of two, of one sequence or step."""

    def value(row):
        _, x = size_of(row)
        y = 1e-6 * row["bytes"] / row["ms"] if key == "rate" else row.get(key)
        return [(np.log2(x), np.log2(y / each(row)))] if y else []

    return value


def each(row):
    """What a number is divided by: a batch has many sequences, a step is one."""
    return 1 if "context" in row else row.get("batch", 1)


SIZES = {
    "ms per sequence": of_size("forward_ms"),
    "MiB per sequence,\nwith gradients": of_size("gradients_mib"),
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


def operations(demo, row):
    """Of a run forward, two for each product of numbers: attention's, or a stack's."""
    if "layers" in row:
        tokens, D = demo.plan.sizes["positions"], demo.plan.sizes["width"]
        return row["batch"] * row["layers"] * tokens * D * (24 * D + 4 * tokens)
    if "heads" in row:
        n, width = demo.plan.sizes["positions"], demo.plan.sizes["width"]
        return 2 * row["batch"] * width * n * n  # causal: half the pairs
    n, width = row["positions"], row.get("width", WIDTH)
    stored = n * (2 * width + 32)  # a state is read and written; half a chunk of 64
    ways = {"window": n * WINDOW, "strided": 1.5 * n**1.5, "linear": stored}
    return 4 * row["batch"] * HEADS * width * ways.get(row["way"], n * n / 2)


def ranged(middle, ends=()):
    """A time, and the fastest and slowest of its runs."""
    return f"{middle:.3g}" + (f" ({ends[0]:.3g} to {ends[1]:.3g})" if ends else "")


def measured(demo, rows):
    """Attention by length, by heads, a stack by layers."""
    ways = [*dict.fromkeys(row["way"] for row in rows)]
    base = {size_of(x): x["forward_ms"] for x in rows if x["way"] == ways[0]}
    lines = []
    for row in rows:
        line = {"Way": words(row["way"]), demo.axis.capitalize(): f"{row[demo.axis]:,}"}
        if len(demo.plan.sizes.get("widths", ())) > 1:
            line["Width"] = row.get("width", WIDTH)
        if demo.here.kind == "cuda":  # the figure is of one
            line["Sequences"] = row["batch"]
        for name, step in {"ms": "forward", "With gradients": "gradients"}.items():
            line[name] = ranged(row[f"{step}_ms"], row[f"{step}_range"])
        mib = row["gradients_mib"]
        line["MiB"] = "—" if mib is None else f"{mib:,.0f}"
        rate = 1e3 * operations(demo, row) / row["forward_ms"]
        line["TFLOP/s"] = f"{rate / 1e12:.3g}"
        if "layers" not in row:
            of_peak = share(rate, demo.here, 0)
            line["Of peak"] = of_peak if row["way"] in IN_16_BITS else "—"
        if len(ways) > 1 and size_of(row) in base:
            line["Times faster"] = f"{base[size_of(row)] / row['forward_ms']:.1f}"
        if "recorded_ms" in row:
            line["ms, as a graph"] = f"{row['recorded_ms']:.3g}"
        lines.append(line)
    header = [*dict.fromkeys(name for line in lines for name in line)]
    return header, [[line.get(name, "—") for name in header] for line in lines]


def decoded(demo, rows):
    """A step behind a cache."""
    base = {x["context"]: x["ms"] for x in rows if x["way"] == "MHA"}
    lines = []
    for row in rows:
        rate = 1e3 * row["bytes"] / row["ms"]
        work = row["batch"] * decode.products(row["way"], row["context"])
        line = {"Cache": row["way"], "Context": f"{row['context']:,}"}
        line["ms"] = ranged(row["ms"], row["range"])
        if "started_ms" in row:  # beside a step recorded as a graph
            line["Started from Python"] = ranged(row["started_ms"])
        line["Tokens/s"] = f"{row['tokens_per_second']:,}"
        line["MiB"] = f"{row['bytes'] / 2**20:,.1f}"
        line["GB/s"] = f"{rate / 1e9:,.1f}"
        line["Of peak"] = share(rate, demo.here, 1)
        line["TFLOP/s"] = f"{work / row['ms'] / 1e9:.3g}"
        line["Times faster"] = f"{base[row['context']] / row['ms']:.1f}"
        lines.append(line)
    return [*lines[0]], [line.values() for line in lines]


def dated(demo, rows):
    """Chapter 2's two models."""
    header = ["Model", "Steps", "Seconds", "Exact match"]
    told = [(x["way"], x["steps"], x["seconds"], f"{x['exact']:.3f}") for x in rows]
    return header, told


def translated(demo, rows):
    """Chapter 9's two models; BLEU where sacreBLEU is installed."""
    lines = []
    for row in rows:
        line = {"Model": words(row["way"]), "Steps": row["steps"]}
        line |= {"Seconds": row["seconds"], "Loss on dev": f"{row['dev'][-1][1]:.2f}"}
        line["Lowest"] = f"{lowest(row):.2f}"
        if "bleu" in row:
            line[f"BLEU, {row['verses']} verses"] = f"{row['bleu']:.1f}"
        lines.append(line)
    return [*lines[0]], [line.values() for line in lines]


TABLES = {"attention": measured, "heads": measured, "depth": measured}
TABLES |= {"decode": decoded, "dates": dated, "translate": translated}


def must(true, said):
    """Raise AssertionError with words, unless it is true."""
    if not true:
        raise AssertionError(said)


def less(rows, way, other, name="forward_ms"):
    """A way takes less than another where both ran with the largest size."""
    found = {(row["way"], size_of(row)): row[name] for row in rows}
    for width in {width for _, (width, _) in found}:
        sizes = [size for x, size in found if x == way and size[0] == width]
        both = [size for size in sizes if (other, size) in found]
        if both:
            here, there = (found[x, max(both)] for x in (way, other))
            place = f"{name} at {max(both)[1]:,}"
            must(here < there, f"{place}: {way} {here}, {other} {there}")


def rise(rows, way, name="forward_ms"):
    """How many times the first size's number the last one has."""
    found = [row[name] for row in sorted(rows, key=size_of) if row["way"] == way]
    return found[-1] / found[0]


def ahead(demo, rows):
    """Chapters 10, 11, 14: less time, and less memory than all weights."""
    for way, others in FASTER[demo.chapter].items():
        for other in others:
            less(rows, way, other)
        less(rows, way, "weights", "gradients_mib")


def split(demo, rows):
    """Chapter 6: more heads take more time with all weights, a fused kernel less."""
    ahead(demo, rows)
    formed = [row["heads"] for row in rows if row["way"] == "weights"]
    both = [row for row in rows if row["heads"] in formed]
    if len(formed) > 1:
        ways = dict.fromkeys(row["way"] for row in both)
        most, *fused = (rise(both, way) for way in ways)
        must(most > max([1.5, *fused]), f"weights {most:.1f} times, fused {fused}")


def grown(demo, rows):
    """Chapter 8: time and memory grow with the layers, about as these do."""
    layers = rise(rows, "encoder", "layers")
    for name in ("forward_ms", "gradients_ms", "gradients_mib"):
        grew = rise(rows, "encoder", name)
        must(layers / 2 < grew < 1.5 * layers, f"{name}: {grew:.1f} times")


def shorter(demo, rows):
    """Chapter 13: fewer bytes, less time, in steps that are recorded as a graph."""
    recorded = [row for row in rows if "started_ms" in row]
    for kind in demo.plan.ways:
        if kind != "MHA":
            less(recorded, kind, "MHA", "ms")


def right(demo, rows):
    """Chapter 2: nearly every date with attention, and not fewer than without."""
    exact = {row["way"]: row["exact"] for row in rows}
    must(exact["attention"] > max(0.9, exact["one vector"] - 0.01), f"{exact}")


def learned(demo, rows):
    """Chapter 9: both learn."""
    found = {row["way"]: (lowest(row), row["dev"][0][1]) for row in rows}
    must(all(low < first for low, first in found.values()), f"{found}")


def lowest(row):
    """The lowest loss on dev of a training: that model is kept."""
    return min(loss for _, loss in row["dev"])


CLAIMS = {"attention": ahead, "heads": split, "depth": grown, "decode": shorter}
CLAIMS |= {"dates": right, "translate": learned}
