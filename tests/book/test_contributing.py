"""CONTRIBUTING.md, docs and README.md say what is true: the closed list and the commands."""

import ast
import re
import subprocess

import pytest
from mystmd import DIRECTIVES, ROLES
from publisher import ROOT

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
DOCS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("docs/*.md"))}
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
SOURCE = ROOT / "src" / "attn_course"
TARGETS = set(re.findall(r"(?m)^([a-z-]+):.*## ", MAKEFILE))


@pytest.mark.parametrize(("kind", "names"), [("Directives", DIRECTIVES), ("Roles", ROLES)])
def test_the_closed_list_is_the_converters(kind, names):
    listed = re.search(rf"(?s)\n{kind}: (.*?)\.\n", DOCS["chapters"])[1]
    assert sorted(re.findall(r"`([^`]+)`", listed)) == sorted(names)


@pytest.mark.parametrize("text", [CONTRIBUTING, README, *DOCS.values()], ids=["CONTRIBUTING", "README", *DOCS])
def test_commands_files_and_modules_that_are_named_exist(text):
    assert set(re.findall(r"(?:`|\n)make ([a-z-]+)", text)) <= TARGETS
    paths = re.findall(r"`((?:tests|tools|book|experiments|src|docs|\.github)/[\w./-]+)`", text)
    modules = re.findall(r"(?:-m |`)((?:attn_course|experiments)(?:\.[a-z_]+)+)", text)
    places = [*paths, *(f"{'src/' * module.startswith('attn')}{module.replace('.', '/')}" for module in modules)]
    found = [ROOT / name for name in places if not re.search("NAME|NN_", name)]
    missing = [path for path in found if not (path.exists() or path.with_suffix(".py").exists())]
    assert missing == []


def test_the_guide_is_short_and_leads_to_all_others():
    assert len(CONTRIBUTING.encode()) <= 9_000
    assert set(re.findall(r"\]\(docs/(\w+)\.md\)", CONTRIBUTING)) == set(DOCS)


def test_help_says_what_a_command_installs_first():
    said = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    sizes = {line.split()[1]: line[24:30].strip() for line in said.splitlines() if line.startswith("  make ")}
    assert sizes.keys() == TARGETS and set(sizes.values()) == {"", "0.3 GB", "3 GB"}
    before = dict(re.findall(r"(?m)^([a-z-]+):([^#\n]*)## ", MAKEFILE))
    for name, size in sizes.items():
        assert (size == "3 GB") == bool(re.search(r"\.venv/(clients/)?stamp", before[name])), name
    assert {name for name, size in sizes.items() if not size} == {
        "help", "derived", "new-mechanism", "new-part", "new-chapter", "new-exercise", "repository", "clean"
    }  # fmt: skip
    assert "0.3 GB for the book; 3 GB" in said.splitlines()[-1]


def pins(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_the_book_needs_no_framework():
    names = {line.partition("==")[0].lower() for line in pins("requirements/book.txt")}
    assert "jupyter-book" in names
    assert not names & {"torch", "tensorflow", "tensorflow-cpu", "keras", "matplotlib", "pytest"}


ROUTE = re.findall(
    r"(?m)^\| \d+ \| \[(.+)\]\(\1\): (.+?) \| (\d+) \|", (SOURCE / "README.md").read_text(encoding="utf-8")
)


def lines_of(tree, name):
    """How many lines a function has, or a class before its first method."""
    first, _, method = name.partition(".")
    (node,) = [x for x in tree.body if getattr(x, "name", "") == first]
    if method:
        (node,) = [x for x in node.body if getattr(x, "name", "") == method]
    inner = [x for x in node.body if isinstance(x, ast.FunctionDef)] if isinstance(node, ast.ClassDef) else []
    return (inner[0].lineno - 1 if inner else node.end_lineno) - node.lineno + 1


def test_the_route_into_the_code_names_what_there_is():
    """And says within a tenth how long it is."""
    assert len(ROUTE) == 10
    for path, names, told in ROUTE:
        tree = ast.parse((SOURCE / path).read_text(encoding="utf-8"))
        lines = sum(lines_of(tree, name) for name in re.findall(r"`([\w.]+)`", names))
        assert abs(lines - int(told)) <= lines / 10, (path, lines)
