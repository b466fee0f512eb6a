"""experiments/README.md and tools/README.md: what a program does, its record and chapters. `make derived` writes them.

Nothing is imported: what a program does is the first line of its docstring, and its record names it.
"""

import ast
import json
import re
from os.path import relpath
from pathlib import Path

from tables import table

ROOT = Path(__file__).parents[1]
SHARED = ("__init__.py", "seq2seq.py")
HEAD = """\
<!-- Made by `make derived`; edit the first line of a program's docstring. -->
# Programs, and the records they made

From a clone: `python -m experiments.NAME`. A program writes its record into `src/attn_course/records`, and chapters
draw it; the book's page *State of the course* has each record's date, framework and minutes. `make records` runs the
first entry of every plan again; [the rules for a chapter](../docs/chapters.md#for-you-to-keep) say how a run goes on
where it was stopped. `data` holds the makers of the data in `attn_course.tasks`; `topk_ties.md` is a report.

"""

TOOLS = """\
<!-- Made by `make derived`; edit the first line of a script's docstring. -->
# Scripts that the Makefile calls

`templates` holds what `make new-...` and `make costs` fill in, `reveal` the program that shows slides.

"""


def read_by(page):
    """The names of the records that a chapter reads, by itself or by a lab of the record's name."""
    text, labs = page.read_text(encoding="utf-8"), page.parents[1] / "src" / "attn_course" / "course" / "labs"
    found = {*re.findall(r'\b(?:load_record|by_step)\("(\w+)"', text)}
    for name in re.findall(r"\blabs\.(\w+) import", text):
        lab = labs / name / "__init__.py"
        if lab.exists() and f'load_record("{name}")' in lab.read_text(encoding="utf-8"):
            found.add(name)
    return sorted(found)


def shown_in(root=ROOT):
    """Record -> the chapters that read it."""
    found = {}
    for page in sorted((root / "book").glob("[0-9][0-9]_*.md")):
        for name in read_by(page):
            found.setdefault(name, []).append(page.stem)
    return found


def file_of(root, module):
    """The file that `python -m` runs."""
    path = root / ("src" if module.startswith("attn_course") else ".") / module.replace(".", "/")
    return path / "__main__.py" if path.is_dir() else path.with_suffix(".py")


def told(path):
    """What a program does: the first line of its docstring."""
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).splitlines()[0].replace("``", "`")


def tools(root=ROOT):
    """The page of the scripts; of a package, as `mystmd`, its first file speaks."""
    paths = [*(root / "tools").glob("*.py"), *(root / "tools").glob("*/__init__.py")]
    places = sorted((str(path.relative_to(root / "tools")), told(path)) for path in paths)
    rows = [(f"[{place.removesuffix('/__init__.py')}]({place})", words) for place, words in places]
    return TOOLS + table(("Script", "What it does"), rows) + "\n"


def text(root=ROOT):
    """The page of the experiments."""
    folder, made, chapters = root / "experiments", {}, shown_in(root)
    for path in [*folder.glob("*.py"), *folder.glob("*/__main__.py"), *folder.glob("data/*.py")]:
        if path.name not in SHARED:
            made[".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__main__")] = []
    for path in sorted((root / "src" / "attn_course" / "records").glob("*.json")):
        module = json.loads(path.read_text(encoding="utf-8"))["command"].split()[2]  # python -m MODULE ...
        made.setdefault(module, []).append(path)
    rows = []
    for module, records in sorted(made.items(), key=lambda row: (row[0].count(".") > 1, row[0])):
        path = file_of(root, module)
        shown = path.with_name("__init__.py") if path.name == "__main__.py" else path
        stems = sorted({stem for each in records for stem in chapters.get(each.stem, ())})
        pages = [(stem[:2] + " project" * ("_project" in stem), root / "book" / f"{stem}.ipynb") for stem in stems]
        cells = [(module.removeprefix("experiments."), path)], [(each.stem, each) for each in records], pages
        program, *others = (", ".join(f"[{name}]({relpath(to, folder)})" for name, to in cell) for cell in cells)
        rows.append((program, told(shown), *others))
    return HEAD + table(("Program", "What it does", "Record", "Chapter"), rows) + "\n"


def stale(root=ROOT):
    """The pages that are not what the programs say: path and text."""
    pages = {root / "experiments" / "README.md": text(root), root / "tools" / "README.md": tools(root)}
    return {path: new for path, new in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != new}


def write(root=ROOT):
    for path, wanted in stale(root).items():
        path.write_text(wanted, encoding="utf-8")
