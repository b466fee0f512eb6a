"""The tables of the page "State of the course", from committed files alone: notebooks and records.

`tools/notebooks.py build` leaves a note in the metadata of a notebook, `executed`: when, with what, a sum over the
cells that ran, and one over the records that they read. The lines {status-...} of book/status.md stand for the tables;
the book puts them there before the page is read (book/_ext/reference_pages.py): no page has to be written anew.

python tools/status.py      the page's text
"""

import ast
import datetime
import hashlib
import json
import platform
from collections import Counter
from pathlib import Path

import nbformat
from chapters import code_cells, sources
from execute import IGNORED
from marks import NOT_RUN, tags
from programs import read_by, shown_in
from publisher import ROOT
from render import FIGURE
from tables import table

from attn_course.records import frameworks

MUTATED = Path("book", "mutated_records.json")
DEMOS = Path("src", "attn_course", "course", "labs", "gpu", "__init__.py")
RECORDS = Path("src", "attn_course", "records")
NAMES = {"torch": "PyTorch", "tensorflow": "TensorFlow", "keras": "Keras", "numpy": "NumPy"}
SINCE = "changed since"  # its cells are not those of the note


def digest(notebook):
    """A sum over what ran and what it gave: prose and the code of figures to drag change without another run."""
    ran = [(cell.source, [_given(output) for output in cell.outputs]) for cell in code_cells(notebook)]
    return hashlib.sha256(json.dumps(ran, sort_keys=True).encode()).hexdigest()[:16]


def _given(output):
    html = output.get("data", {}).get("text/html")
    return {**output, "data": {**output.data, "text/html": FIGURE.sub(r"\1", html)}} if html else output


def digest_of_records(page):
    """A sum over the records that a chapter reads."""
    paths = [page.parents[1] / RECORDS / f"{name}.json" for name in read_by(page)]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def note(notebook, seconds, versions, page):
    """Write down in a notebook that it was executed."""
    notebook.metadata["executed"] = {
        "date": datetime.date.today().isoformat(),
        "seconds": round(seconds),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "versions": versions,
        "cells": digest(notebook),
        "records": digest_of_records(page),
    }


def read(source):
    """A chapter's notebook, which other tests have found valid."""
    return nbformat.v4.reads(source.with_suffix(".ipynb").read_text(encoding="utf-8"))


def noted(notebook, page):
    """The note of its run; empty without one. It has a last word where cells or records are others: ``changed``."""
    told = dict(notebook.metadata.get("executed", {}))
    same = told.get("cells") == digest(notebook) and told.get("records") == digest_of_records(page)
    return told | {"changed": True} if told and not same else told


def counts(notebook):
    """How many cells run again and are compared, and how many are left out."""
    found = Counter()
    for cell in code_cells(notebook):
        if NOT_RUN[0] not in tags(cell):
            found["left out" if IGNORED in tags(cell) else "compared"] += 1
    return found


def chapter(stem):
    number, project, name = stem.partition("_project_")
    told = name.replace("_", " ") if project else int(number[:2])
    return f"{{doc}}`{told} <{stem}>`"


def notebooks(root=ROOT):
    """A row per chapter, and what it was executed with."""
    rows, kinds, all_cells = [], Counter(), Counter()
    for source in sources(root):
        notebook = read(source)
        told, found = noted(notebook, source), counts(notebook)
        all_cells += found
        kinds[with_what(told)] += 1
        date = told.get("date", "no note") + (f", {SINCE}" if "changed" in told else "")
        rows.append((chapter(source.stem), date, told.get("seconds", ""), found["compared"], found["left out"]))
    header = ("No.", "Executed", "Time, s", "Compared", "Left out")
    total = f"Together {all_cells['compared']:,} cells are compared and {all_cells['left out']:,} left out. "
    total += "Notebooks, by what executed them:"
    told = [f"- {number}: {kind or 'no versions were noted'}" for kind, number in kinds.items()]
    return "\n\n".join([table(header, rows, right=header[2:]), total, "\n".join(told)])


def with_what(told):
    known = told.get("versions", {})
    versions = ", ".join(f"{name} {known[key]}" for key, name in NAMES.items() if key in known)
    return f"{versions} ({told['machine']})" if versions else ""


def records(root=ROOT):
    """name -> a stored measurement."""
    paths = sorted((root / RECORDS).glob("*.json"))
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def frameworks_of(record):
    return " and ".join(frameworks(record))


def machine_of(record):
    """The GPU, or the processor, which records have noted since November 24, 2026."""
    return record.get("device") or f"{record.get('processor', 'a processor not noted by name')}, {record['machine']}"


def measurements(root=ROOT):
    """A row per record, and how many are of which machine and framework."""
    found = records(root)
    rows, chapters = [], shown_in(root)
    for name, record in found.items():
        shown = ", ".join(map(chapter, chapters.get(name, ())))
        took = minutes(record.get("seconds"))
        rows.append((f"`{name}`", shown, record["date"], frameworks_of(record), took))
    total = sum(record.get("seconds", 0) for record in found.values()) / 3600
    kinds = {"machine": machine_of, "framework": frameworks_of, "date": lambda record: record["date"]}
    lines = [f"- By {kind}: {listed(Counter(map(of, found.values())))}" for kind, of in kinds.items()]
    header = ("Record", "No.", "Date", "Framework", "Min.")
    told = f"{len(found)} records; those whose time was noted took {total:.0f} hours."
    return "\n\n".join([told, "\n".join(lines), table(header, rows, right=header[-1:])])


def minutes(seconds):
    return "" if seconds is None else f"{seconds / 60:.0f}" if seconds >= 60 else f"{seconds / 60:.1f}"


def listed(counter):
    return "; ".join(f"{key}: {number}" for key, number in sorted(counter.items())) + "."


def demos(root=ROOT):
    """Chapter -> the name of its demo for a GPU."""
    tree = ast.parse((root / DEMOS).read_text(encoding="utf-8"))
    (found,) = [x.value for x in tree.body if isinstance(x, ast.Assign) and ast.unparse(x.targets[0]) == "DEMOS"]
    return ast.literal_eval(found)


def gpu(root=ROOT):
    """Which demos have been run on a GPU, and which have not."""
    wanted = demos(root)
    stems = {source.stem[:2]: source.stem for source in sources(root) if "_project_" not in source.stem}
    found = records(root)
    rows = []
    for key in sorted(wanted):
        record = found.get(f"gpu_{key}")
        where = f"{record['device']}, {record['date']}" if record else "no GPU yet"
        rows.append((chapter(stems[key]), wanted[key], where))
    left = [row for row in rows if row[2] == "no GPU yet"]
    lines = [f"{len(left)} of {len(rows)} rows have no stored run on a GPU."] if left else []
    if "kernels" in found and "gpu_14" not in found:
        gpus = ", ".join(dict.fromkeys(row["gpu"] for row in found["kernels"]["rows"]))
        lines.append(
            f"The Triton kernel of chapter 14 is compiled for {gpus} in the tests, and its results are compared in "
            "Triton's interpreter on a processor. How fast it is on a GPU, nothing here has shown."
        )
    return "\n\n".join([table(("No.", "Demo", "Shown on"), rows), *lines])


def mutated(root=ROOT):
    """A row per chapter: how many parts of its records were moved, and which cells minded."""
    if not (root / MUTATED).exists():
        return "They have not been run yet."
    told = json.loads((root / MUTATED).read_text(encoding="utf-8"))
    rows = [(chapter(stem), *found.values()) for stem, found in told.items()]
    numbers = [sum(column) for column in zip(*(row[1:-1] for row in rows), strict=True)]
    header = ("No.", "Tight", "Wide", "Shown alone", "Date")
    return table(header, [*rows, ("together", *numbers, "")], right=header[1:4])


def answer(root=ROOT):
    """What the tables say, in one paragraph."""
    all_notes = [noted(read(source), source) for source in sources(root)]
    same = [told for told in all_notes if told and "changed" not in told]
    days = sorted({told["date"] for told in same})
    plain = all("+cpu" in told.get("versions", {}).get("torch", "") for told in same)
    found = records(root)
    wanted = demos(root)
    shown = [key for key in wanted if f"gpu_{key}" in found]
    others = f"; code of the other {len(all_notes) - len(same)} has changed since" * (len(same) < len(all_notes))
    when = f", executed {' to '.join(dict.fromkeys((days[0], days[-1])))}{' without a GPU' * plain}" if days else ""
    return (
        f"**In short.** {len(same)} of {len(all_notes)} notebooks stand here as they ran{when}{others}. "
        f"Figures draw from {len(found)} stored measurements. Of {len(wanted)} chapters with a demo for a GPU, "
        f"{len(shown) or 'none'} {'has' if len(shown) == 1 else 'have'} a stored run on one."
    )


LINES = {
    "```{status-answer}\n```": answer,
    "```{status-notebooks}\n```": notebooks,
    "```{status-records}\n```": measurements,
    "```{status-mutated}\n```": mutated,
    "```{status-gpu}\n```": gpu,
}


def with_tables(text):
    """A page's text with every table in place of its line."""
    for line, made in LINES.items():
        if line in text:
            text = text.replace(line, made())
    return text


if __name__ == "__main__":
    print(with_tables((ROOT / "book" / "status.md").read_text(encoding="utf-8")))
