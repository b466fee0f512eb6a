"""The benchmark: table and JSON, and a picture drawn from it.

``--only WORD ...`` the rows whose name has all words; ``--quick`` fewer rounds and an
eighth of the positions, without goals; ``--gpu`` on a GPU, without goals; ``--draw``
the picture alone, from the JSON that is there.
"""

import argparse
import datetime
import importlib
import importlib.util
import json
import os
import platform
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before a framework is imported

from tqdm.auto import tqdm

from attn_course.course.training import ten_lines
from attn_course.files import ending_in_one_line, replacing, write_text
from attn_course.records import processor, versions
from experiments import on_one_thread
from experiments.bench import ROUNDS, compare, decode, layers, mechanisms, peers
from experiments.bench.measure import load

ROWS = [*layers.ROWS, *mechanisms.ROWS, *decode.ROWS, *peers.ROWS]
INSTALL = 'pip install -e ".[bench]"'
QUICK = {"rounds": 5, "divisor": 8}
FRAMEWORKS = {"PyTorch": "torch", "TensorFlow": "tensorflow"}
COLORS = {"reached": "#1b7f5c", "missed": "#b3322b"}


def machine(device, command, clock):
    """What the figures depend on."""
    return {
        "date": datetime.date.today().isoformat(),
        "command": command,
        "device": device,
        "processor": processor(),
        "cores": os.cpu_count(),
        "load": load(),
        "threads": 1,
        "clock": clock.__name__,
        "dtype": "float32",
        "python": platform.python_version(),
        **versions(),
    }


def chosen(words):
    """The rows whose name has all the words; ValueError if there are none."""
    found = [row for row in ROWS if all(w.lower() in row.title.lower() for w in words)]
    if not found:
        names = "\n  ".join(row.title for row in ROWS)
        asked = " ".join(words)
        raise ValueError(f"no row has {asked!r} in its name; there are\n  {names}")
    return found


def missing(row):
    """The module that a row needs and that is not there, or None."""
    needed = [row.needs] if row.needs else []
    needed += [module for name, module in FRAMEWORKS.items() if name in row.title]
    if row.peer == "the same in PyTorch":
        needed.append("torch")
    absent = [module for module in needed if importlib.util.find_spec(module) is None]
    return absent[0] if absent else None


def place(gpu):
    """The device that both frameworks compute on; ValueError if it isn't there."""
    torch, tf = (_imported(name) for name in FRAMEWORKS.values())
    if not gpu:
        if tf is not None:
            tf.config.set_visible_devices([], "GPU")
        return "CPU"
    names = []
    if torch is not None and torch.cuda.is_available():
        torch.set_default_device("cuda")
        names.append(torch.cuda.get_device_name(0))
    if tf is not None:  # both share one GPU: nobody takes all of its memory at once
        for each in tf.config.list_physical_devices("GPU"):
            tf.config.experimental.set_memory_growth(each, True)
            names.append(each.name)
    if not names:
        raise ValueError("--gpu needs a GPU that a framework here can compute on")
    return names[0]


def _imported(name):
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def watched(rows):
    """The rows behind a progress bar; ten lines where the output is a file."""
    if os.environ.get("ATTN_COURSE_QUIET"):
        return rows
    return tqdm(rows, desc="bench") if sys.stderr.isatty() else ten_lines(rows, "bench")


def measure(rows, rounds, clock):
    """The results of the rows, and what was left out: row -> module."""
    results, left_out = [], {}
    for row in watched(rows):
        if module := missing(row):
            left_out[row.title] = module
            continue
        results.append(compare(row, rounds=rounds, clock=clock)._asdict())
    return results, left_out


def show(record):
    """The table, and what was not measured."""
    width = max((len(row["name"]) for row in record["rows"]), default=0)
    print(f"{'':{width}}  ratio  middle half    goal  verdict")
    for row in record["rows"]:
        goal = "" if row["goal"] is None else f"{row['goal']:.2f}"
        spread = f"{row['low']:.2f} to {row['high']:.2f}"
        line = f"{row['ratio']:5.2f}  {spread}  {goal:>6}  {row['verdict']}"
        print(f"{row['name']:{width}}  {line} ({row['peer']})")
    for name, module in record["left_out"].items():
        print(f"not measured: {name}; it needs {module} ({INSTALL})")


def draw(record, path):
    """Each ratio on a log axis with its middle half, and its goal as a bar; an SVG."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    rows = record["rows"][::-1]
    figure = Figure((10, 0.24 * len(rows) + 1.2), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    for place, row in enumerate(rows):
        color = COLORS.get(row["verdict"], "#44546a")
        axes.plot((row["low"], row["high"]), (place, place), color=color, linewidth=2)
        axes.plot(row["ratio"], place, "o", color=color, markersize=4)
        if row["goal"] is not None:
            axes.plot(row["goal"], place, "|", color="black", markersize=9)
    names = [f"{row['name']} | {row['peer']}" for row in rows]
    axes.set_yticks(range(len(rows)), names, fontsize=7)
    axes.set(xscale="log", xlabel="our time / the peer's; the bar is the goal")
    axes.axvline(1, color="black", linewidth=0.5)
    axes.grid(axis="x", linewidth=0.3)
    machine = record["machine"]
    title = f"{machine['date']}, {machine['device']}, {machine['processor']}"
    axes.set_title(title, fontsize=8)
    figure.savefig(path, format="svg", metadata={"Date": None})


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="experiments.bench", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("_build/bench.json"))
    options = parser.parse_args(arguments)
    given = sys.argv[1:] if arguments is None else arguments
    if not options.draw:
        try:
            rows, device = chosen(options.only), place(options.gpu)
        except ValueError as error:
            parser.error(str(error))
        on_one_thread()
        if options.quick or options.gpu:
            divisor = QUICK["divisor"] if options.quick else 1
            rows = [row.shorter(divisor) for row in rows]
        rounds = options.rounds or (QUICK["rounds"] if options.quick else ROUNDS)
        command = " ".join(["python -m experiments.bench", *map(str, given)])
        # What waits for a GPU spends no time of the processor.
        clock = time.perf_counter if options.gpu else time.process_time
        made = machine(device, command, clock)
        results, left_out = measure(rows, rounds, clock)
        record = {"machine": made, "rows": results, "left_out": left_out}
        options.out.parent.mkdir(parents=True, exist_ok=True)
        write_text(options.out, json.dumps(record, indent=1) + "\n")
        show(record)
        print(f"written to {options.out}")
    picture = options.out.with_suffix(".svg")
    with replacing(picture) as new:
        draw(json.loads(options.out.read_text()), new)
    print(f"drawn in {picture}")


if __name__ == "__main__":
    with ending_in_one_line("the last results are as they were"):
        main()
