"""A skeleton, from tools/templates: every file of it, and its line in each list. Nothing that exists is overwritten.

    python3 tools/new.py mechanism nystrom    folder, test, line in the catalog, public modules; no chapter
    python3 tools/new.py part sigmoid         the same for what is handed to a layer
    python3 tools/new.py chapter low_rank     book/NN_NAME.md, lines in _toc.yml and in the map of book/intro.md
    python3 tools/new.py exercise 04.total    its file in the bank, its name in the chapter's order, cells for answers

The tests, and `make notebooks` for a chapter, refuse what still holds a TODO. Needs Python alone.
"""

import argparse
import keyword
import re
import sys
import tomllib
from pathlib import Path

import api_sections
import derived

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = ROOT / "tools" / "templates"
CATALOG = "src/attn_course/catalog.py"
FOLDERS = {"mechanism": "src/attn_course/mechanisms/{name}", "part": "src/attn_course/mechanisms/parts/{name}"}
BANK, ANSWERS = "src/attn_course/exercises/bank", "tests/exercises/bank"


# Where the guides number the places that are written by hand; a part has those of a mechanism.
GUIDES = {
    "mechanism": ("CONTRIBUTING.md", "## A new mechanism"),
    "part": ("CONTRIBUTING.md", "## A new mechanism"),
    "chapter": ("CONTRIBUTING.md", "## A new chapter"),
    "exercise": ("docs/exercises.md", "# Exercises"),
}
DERIVED = """\
Derived: public modules, the page of the API (make derived, after a docstring's first line changed), the row on the
page of costs (make costs), contract cases, wrong arguments, benchmark.
Then: .venv/bin/python -m pytest tests/mechanisms/test_{name}.py
      .venv/bin/python -m pytest tests/contract -k {name}
      make costs && make test TOPIC={name} QUICK=yes && make lint
"""
NEXT = {
    "mechanism": DERIVED,
    "part": DERIVED,
    "chapter": "Then: make notebooks CH={number} and make book.\n",
    "exercise": "Then: .venv/bin/python -m pytest tests/exercises -k {full}\nThe cells of the page:\n\n{page}",
}


def places(kind: str, **names: str) -> str:
    """The places of a kind as its guide lists them, with names in place of NAME and such."""
    file, heading = GUIDES[kind]
    section = (ROOT / file).read_text(encoding="utf-8").partition(f"{heading}\n")[2].partition("\n## ")[0]
    listed = "\n".join(re.findall(r"(?m)^\d\. .*", section))
    if kind == "part":
        listed = listed.replace("mechanisms/NAME/", "mechanisms/parts/NAME/")
    for word, name in names.items():
        listed = listed.replace(word, name)
    return listed


def check_name(name: str, longest: int) -> None:
    """Raise ValueError for a name that can't be one of a module; a longer one leaves no room on a line of code."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise ValueError(f"NAME must be lower-case words joined by _, such as low_rank; got {name!r}")
    if len(name) > longest:
        raise ValueError(f"NAME must have at most {longest} characters, {name!r} has {len(name)}")


def fill(template: str, name: str, noun: str = "attention", full: str = "") -> str:
    """The template's text for one name; full: of an exercise, as 04.total."""
    text, words = (TEMPLATES / template).read_text(encoding="utf-8"), name.split("_")
    marks = {
        "@FULL@": full,
        "@NAME@": name,
        "@FUNCTION@": f"{name}_{noun}",
        "@CLASS@": "".join(word.capitalize() for word in (*words, noun)),
        "@HEADING@": " ".join(words).capitalize(),
        "@TITLE@": " ".join((*words, noun)).capitalize(),
        "@LABEL@": "-".join(words),
    }
    for mark, word in marks.items():
        text = text.replace(mark, word)
    return text


def add_to_catalog(text: str, module: str, name: str) -> str:
    """The catalog with the topic imported, sorted as ruff wants it, and at the end of ``TOPICS``."""
    imports = re.search(rf"(?m)^from {re.escape(module)} import (\((?:\n    \w+,)+\n\)|[\w, ]+)$", text)
    topics = re.search(r"(?m)^TOPICS = \(\n((?:    \w+,\n)+)\)$", text)
    if not imports or not topics:
        raise ValueError(f"{CATALOG} has no list of imports and no TOPICS: add {name} by hand")
    listed = sorted([*re.findall(r"\w+", imports[1]), name])
    line = f"from {module} import {', '.join(listed)}"
    if imports[1].startswith("(") or len(line) > 88:
        line = "\n".join([f"from {module} import (", *(f"    {topic}," for topic in listed), ")"])
    text = text.replace(topics[0], f"TOPICS = (\n{topics[1]}    {name},\n)")
    return text.replace(imports[0], line)


def make_topic(root: Path, kind: str, name: str) -> list[Path]:
    """The folder of a mechanism or part, its test, its line in the catalog; then what is derived."""
    check_name(name, 20)
    folder, package, catalog = FOLDERS[kind].format(name=name), root / "src" / "attn_course", root / CATALOG
    taken = [path for path in (*package.rglob(name), *package.rglob(f"{name}.py")) if "__pycache__" not in path.parts]
    made = {root / folder / f"{part}.py": part for part in ("__init__", "reference", "pytorch", "tf")}
    made[root / "tests" / "mechanisms" / f"test_{name}.py"] = "test"
    if taken := [*taken, *(path for path in made if path.exists())]:
        raise ValueError(f"{taken[0].relative_to(root)} exists: choose another NAME")
    module = Path(folder).parent.relative_to("src").as_posix().replace("/", ".")
    listed = add_to_catalog(catalog.read_text(encoding="utf-8"), module, name)
    noun = "softmax" if kind == "part" else "attention"
    for path, part in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fill(f"{kind}/{part}.py.txt", name, noun), encoding="utf-8")
    catalog.write_text(listed, encoding="utf-8")
    if root == ROOT:
        api_sections.write()
    return [*made, catalog, *derived.write(package)]


def add_to_toc(toc: str, chapter: str) -> str:
    """The table of contents with a new chapter behind the last one."""
    *_, last = re.finditer(r"(?m)^( *)- file: book/\d\d_.*\n", toc)
    return f"{toc[: last.end()]}{last[1]}- file: {chapter}\n{toc[last.end() :]}"


def add_to_map(intro: str, chapter: str, title: str) -> str:
    """The first page with a row for the new chapter at the end of its map: a branch of the last core chapter."""
    found = re.search(r"(?ms)^(:{3,})\{course-map\}\n(?P<rows>.*?)^\1$", intro)
    core = re.findall(r"(?m)^(\d+) \| \w+ \| core \|", found["rows"])
    row = f"{int(chapter[:2])} | {chapter} | after {core[-1]} | 3 | TODO: what {title} adds\n"
    return intro[: found.end("rows")] + row + intro[found.end("rows") :]


def make_chapter(root: Path, _kind: str, name: str) -> list[Path]:
    """A chapter with the next free number, behind the last one."""
    check_name(name, 30)
    if taken := [*root.glob(f"book/[0-9][0-9]_{name}.md")]:
        raise ValueError(f"{taken[0].relative_to(root)} exists: choose another NAME")
    last = max(int(path.name[:2]) for path in root.glob("book/[0-9][0-9]_*.md"))
    chapter = root / "book" / f"{last + 1:02}_{name}.md"
    toc, intro = root / "_toc.yml", root / "book" / "intro.md"
    listed = add_to_toc(toc.read_text(encoding="utf-8"), f"book/{chapter.name}")
    first = add_to_map(intro.read_text(encoding="utf-8"), chapter.stem, name.replace("_", " "))
    for path, text in {chapter: fill("chapter.md.txt", name), toc: listed, intro: first}.items():
        path.write_text(text, encoding="utf-8")
    return [chapter, toc, intro]


def prefix_of(chapter: Path) -> str:
    """The number of a chapter, or what a project's ``chapter.toml`` says."""
    own = tomllib.loads(chapter.read_text(encoding="utf-8"))
    return own.get("prefix", chapter.parent.name.split("_")[0])


def make_exercise(root: Path, _kind: str, full: str) -> list[Path]:
    """The file of ``04.total``, its name at the end of the chapter's order, cells for right answers."""
    match = re.fullmatch(r"(\d\d|[a-z]+)\.([a-z][a-z_]*)", full)
    if not match:
        raise ValueError(f"NAME must be a chapter and a word, as 04.total, got {full!r}")
    number, name = match.groups()
    orders = [path for path in (root / BANK).glob("*/chapter.toml") if prefix_of(path) == number]
    if len(orders) != 1:
        raise ValueError(f"no chapter {number} has exercises: make {BANK}/{number}_TOPIC/chapter.toml, order = []")
    (order,) = orders
    path, answers = order.parent / f"{name}.py", root / ANSWERS / f"{order.parent.name}.txt"
    if path.exists():
        raise ValueError(f"{path.relative_to(root)} exists: choose another NAME")
    text = order.read_text(encoding="utf-8")
    longer = re.sub(r"(,?)\s*\](\s*)\Z", lambda end: f', "{name}"]{end[2]}', text).replace("[, ", "[")
    order.write_text(longer, encoding="utf-8")
    path.write_text(fill("exercise/exercise.py.txt", name, full=full), encoding="utf-8")
    answers.touch()
    text = answers.read_text(encoding="utf-8")
    answers.write_text(text + fill("exercise/answers.txt", name, full=full), encoding="utf-8")
    return [path, order, answers]


MAKERS = {"mechanism": make_topic, "part": make_topic, "chapter": make_chapter, "exercise": make_exercise}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=GUIDES)
    parser.add_argument("name", help="lower-case words joined by _; of an exercise a chapter and a word, as 04.total")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        made = MAKERS[options.kind](options.root, options.kind, options.name)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for path in made:
        print(path.relative_to(options.root))
    names, page = {"NAME": options.name}, ""
    if options.kind == "chapter":
        names = {"NN_NAME": made[0].stem}
    elif options.kind == "exercise":
        names = {"NN_TOPIC": made[0].parent.name, "NAME": made[0].stem}
        page = fill("exercise/page.md.txt", made[0].stem, full=options.name)
    print(f"By hand; nothing passes while a TODO is left:\n{places(options.kind, **names)}")
    print(NEXT[options.kind].format(name=options.name, number=made[0].stem[:2], full=options.name, page=page), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
