"""A skeleton for a new mechanism: its folder in the package, its test, its place in the catalog. No chapter.

    python3 tools/new_mechanism.py nystrom

Writes src/attn_course/mechanisms/NAME/{__init__,reference,pytorch,tf}.py and tests/mechanisms/test_NAME.py, puts NAME
into src/attn_course/catalog.py, and writes the faces. Nothing that exists is overwritten. Needs Python alone.
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from pathlib import Path

import api_sections
import faces

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = ROOT / "tools" / "templates"
LONGEST = 20  # a longer name leaves no room on a line of code
FOLDER = "src/attn_course/mechanisms/{name}"
CATALOG = "src/attn_course/catalog.py"
# Every place that is written by hand, and what stands there. CONTRIBUTING.md has the same list.
PLACES = (
    (f"{FOLDER}/__init__.py", "what it is, in prose, and `MECHANISMS`: what it costs, how it is called"),
    (f"{FOLDER}/reference.py", "the paper's formula in NumPy and float64, with its source"),
    (f"{FOLDER}/pytorch.py", "the formula, the function that checks its arguments, the layer"),
    (f"{FOLDER}/tf.py", "the same, names and order alike"),
    ("tests/mechanisms/test_{name}.py", "an example worked by hand, a slow loop, a planted fault"),
    (CATALOG, "its line in `TOPICS`, which the skeleton puts at the end: move it where it belongs"),
)
NEXT = """\
By hand; the tests name what is still to be written:
{places}
Derived: faces and the page of the API (make faces, after a change of a docstring's first line), the row on the page of
costs (make costs), contract cases, wrong arguments, benchmark.
Then: .venv/bin/python -m pytest tests/mechanisms/test_{name}.py
      .venv/bin/python -m pytest tests/contract -k {name}
"""


def places(name: str, listed: tuple[tuple[str, str], ...] = PLACES, **more: str) -> str:
    """The places as a numbered list."""
    named = [(path.format(name=name, **more), what) for path, what in listed]
    return "\n".join(f"{number}. `{path}`: {what}" for number, (path, what) in enumerate(named, 1))


def check_name(name: str, longest: int = LONGEST) -> None:
    """Raise ValueError for a name that can't be one of a module."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise ValueError(f"NAME must be lower-case words joined by _, such as low_rank; got {name!r}")
    if len(name) > longest:
        raise ValueError(f"NAME must have at most {longest} characters, {name!r} has {len(name)}")


def marks(name: str) -> dict[str, str]:
    """What stands for what in a template."""
    words = name.split("_")
    return {
        "@NAME@": name,
        "@FUNCTION@": f"{name}_attention",
        "@CLASS@": "".join(word.capitalize() for word in words) + "Attention",
        "@HEADING@": " ".join(words).capitalize(),
        "@TITLE@": " ".join(words).capitalize() + " attention",
        "@LABEL@": "-".join(words),
    }


def fill(template: str, name: str) -> str:
    """The template's text for one name."""
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    for mark, word in marks(name).items():
        text = text.replace(mark, word)
    return text


def add_to_catalog(text: str, name: str) -> str:
    """The catalog with the topic imported, sorted as ruff wants it, and at the end of ``TOPICS``."""
    imports = re.search(r"(?m)^from attn_course\.mechanisms import \(\n((?:    \w+,\n)+)\)$", text)
    topics = re.search(r"(?m)^TOPICS = \(\n((?:    \w+,\n)+)\)$", text)
    if not imports or not topics:
        raise ValueError(f"{CATALOG} has no list of imports and no TOPICS: add {name} by hand")
    listed = sorted([*imports[1].splitlines(), f"    {name},"])
    text = text.replace(topics[0], f"TOPICS = (\n{topics[1]}    {name},\n)")
    return text.replace(imports[0], imports[0].replace(imports[1], "\n".join(listed) + "\n"))


def make(root: Path, name: str) -> list[Path]:
    """Write the skeleton. Raises ValueError, before anything is written, for a name that can't be used."""
    check_name(name)
    package = root / "src" / "attn_course"
    taken = [path for path in (*package.rglob(name), *package.rglob(f"{name}.py")) if "__pycache__" not in path.parts]
    made = {root / FOLDER.format(name=name) / f"{part}.py": part for part in ("__init__", "reference", "pytorch", "tf")}
    made[root / "tests" / "mechanisms" / f"test_{name}.py"] = "test"
    if taken := [*taken, *(path for path in made if path.exists())]:
        raise ValueError(f"{taken[0].relative_to(root)} exists: choose another NAME")
    catalog = root / CATALOG
    listed = add_to_catalog(catalog.read_text(encoding="utf-8"), name)
    for path, part in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fill(f"{part}.py.txt", name), encoding="utf-8")
    catalog.write_text(listed, encoding="utf-8")
    if root == ROOT:
        api_sections.write()
    return [*made, catalog, *faces.write(root / "src" / "attn_course")]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="lower-case words joined by _")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        made = make(options.root, options.name)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for path in made:
        print(path.relative_to(options.root))
    print(NEXT.format(places=places(options.name), name=options.name), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
