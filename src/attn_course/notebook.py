"""Helpers of the chapters: the accelerator, the source of a function, a table."""

import ast
import html
import importlib.util
import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple


class Device(NamedTuple):
    """An accelerator as PyTorch or TensorFlow sees it.

    ``memory_gib`` and ``capability`` are None for a CPU.
    """

    kind: str
    name: str
    memory_gib: float | None = None
    capability: tuple | None = None

    def __str__(self):
        if self.kind == "cpu":
            return "CPU: no GPU was found"
        major, minor = self.capability
        memory = f"{self.memory_gib:.0f} GiB"
        return f"{self.name}, {memory}, compute capability {major}.{minor}"


def device(framework=None):
    """The first GPU with its memory and capability, or the CPU.

    Asks PyTorch, then TensorFlow, as far as they are imported already; or only the one
    that is named, "pytorch" or "tf": it may see no GPU where the other does.
    """
    asked = ("pytorch", "tf") if framework is None else (framework,)
    torch = sys.modules.get("torch") if "pytorch" in asked else None
    tf = sys.modules.get("tensorflow") if "tf" in asked else None
    if torch is not None and torch.cuda.is_available():
        found = torch.cuda.get_device_properties(0)
        memory_gib = found.total_memory / 2**30
        return Device("cuda", found.name, memory_gib, (found.major, found.minor))
    if tf is not None and tf.config.list_physical_devices("GPU"):
        gpu = tf.config.list_physical_devices("GPU")[0]
        details = tf.config.experimental.get_device_details(gpu)
        name = details.get("device_name", "GPU")
        capability = details.get("compute_capability", (0, 0))
        return Device("cuda", name, float("nan"), capability)
    return Device("cpu", "CPU")


class Source:
    """The source of a function or class, shown as highlighted code."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text

    def _repr_markdown_(self):
        return f"```python\n{self.text}\n```"

    def _repr_html_(self):
        """Folded, for a notebook; the book's page prefers the Markdown."""
        code = f"<pre><code>{html.escape(self.text, quote=False)}</code></pre>"
        return f"<details><summary>Source</summary>{code}</details>"


def source(*objects):
    """The tested source of functions, methods or classes, as the package has it.

    A string, ``"attn_course.mechanisms.flash.triton:tile"``, names a function of a
    module that is read and not imported: not everywhere is there what it needs.
    """
    return Source("\n\n".join(_text(item).rstrip() for item in objects))


def _text(item):
    if not isinstance(item, str):
        return textwrap.dedent(inspect.getsource(item))
    module, _, name = item.partition(":")
    text = Path(importlib.util.find_spec(module).origin).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if getattr(node, "name", None) == name:
            first = min([node.lineno, *(x.lineno for x in node.decorator_list)])
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    raise ValueError(f"{module} has no function {name!r}")


class Table:
    """Results as a table: on the book's page, in a notebook, and as text.

    header: one word or more per column, which may hold `code`, **bold** or $math$.
    rows: any iterable of rows; each cell is shown as ``str`` gives it. A column is
    aligned to the right when all its cells that say something begin with a digit or a
    sign.
    """

    def __init__(self, header, rows):
        self.header = [str(cell) for cell in header]
        self.rows = [[str(cell) for cell in row] for row in rows]
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(
                    f"rows must have {len(self.header)} cells like the header, "
                    f"got {row}"
                )

    def _to_the_right(self, column):
        said = [row[column] for row in self.rows if row[column] not in ("", "—")]
        return bool(said) and all(re.match(r"[-+\u2212±×]?\d", cell) for cell in said)

    def __repr__(self):
        cells = [self.header, *self.rows]
        columns = range(len(self.header))
        widths = [max(len(row[column]) for row in cells) for column in columns]
        lines = []
        for row in cells:
            aligned = (
                cell.rjust(width) if self._to_the_right(column) else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            lines.append("  ".join(aligned).rstrip())
        return "\n".join(lines)

    def _repr_markdown_(self):
        columns = range(len(self.header))
        marks = ["---:" if self._to_the_right(column) else "---" for column in columns]
        cells = [self.header, marks, *self.rows]
        return "\n".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
            for row in cells
        )


def made(name):
    """How a stored record was made: what ran, where and when, as a table."""
    from attn_course.records import frameworks, load_record

    record = load_record(name)
    rows = record["rows"]
    seeds = sorted({row["seed"] for row in rows if "seed" in row})
    told = [
        ("Framework", ", ".join(frameworks(record))),
        ("Seeds", ", ".join(map(str, seeds))),
        ("Machine", record["machine"]),
        ("Date", record["date"]),
        ("Command", f"`{record['command']}`"),
    ]
    return Table(["What", "How"], [row for row in told if row[1]])


CHECKED = "This cell checks what the text says of the page's own numbers."
CHECKED += " Did you change one above? Then it need not hold."
UNKNOWN = "A cell above gives this name its value: run all cells above, then this one."


def explain(shell, kind, error, trace, tb_offset=None):
    """Show an error, and below it what it means to whoever edits or skips cells."""
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    while trace.tb_next is not None:
        trace = trace.tb_next
    if trace.tb_frame.f_globals is shell.user_ns and not (
        kind is AssertionError and error.args
    ):
        print(UNKNOWN if kind is NameError else CHECKED)


if "IPython" in sys.modules:  # a notebook's first cell imports this module
    _shell = sys.modules["IPython"].get_ipython()
    if _shell is not None:
        _shell.set_custom_exc((AssertionError, NameError), explain)
