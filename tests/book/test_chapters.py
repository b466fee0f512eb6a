"""The form of a chapter: headings, head, short cells without classes, framework cells in pairs."""

import re

import pytest
from chapter_rules import cell_faults, head_faults, heading_faults, leftover_faults, tab_faults, text_of
from chapters import read_source, sources, toc
from marks import second_edition
from publisher import ROOT

CHAPTERS = sources()
OLDER = [path for path in CHAPTERS if not second_edition(read_source(path))]
EACH = pytest.mark.parametrize("source", OLDER, ids=lambda path: path.stem)


def all_faults(source):
    text, notebook = text_of(source), read_source(source)
    return (
        heading_faults(text) + head_faults(text) + leftover_faults(text) + cell_faults(notebook) + tab_faults(notebook)
    )


@EACH
def test_form(source):
    assert all_faults(source) == []


def test_toc_names_the_chapters_in_order():
    listed = [name for name in toc() if re.fullmatch(r"book/\d\d_.*", name)]
    assert listed == [f"book/{path.name}" for path in CHAPTERS], "_toc.yml lists each NN_topic.md, in order"


def test_toc_files_exist():
    missing = [name for name in toc() if not any((ROOT / f"{name}{end}").is_file() for end in ("", ".md"))]
    assert missing == []


def test_the_fixture_is_well_formed(small):
    assert all_faults(small / "book" / "01_fixture.md") == []


TORCH = '```{code-cell} ipython3\n:tags: [tab-torch]\n\nprint("one")\n```\n'


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("## The idea\n", "## An idea\n", "no heading '## The idea'"),
        ("## The idea\n", "## The thought\n\n## The idea\n", "is none of a chapter's"),
        ("## The idea\n", "## By hand\n\n## The idea\n", "another order"),
        ("## By hand\n", "## What it costs\n\n## By hand\n", "another order"),
        ("- a third\n", "", "three objectives"),
        ("**To know before:**", "", "what to know before"),
        ("2 minutes to read", "2 minutes", "minutes to read"),
        ("1 minute to run", "quick", "minutes to run"),
        ("print(x.sum())", "\n" * 15 + "print(x.sum())", "lines, at most 15"),
        ("print(x.sum())", "print(x.sum())" + " " * 75 + "# wide", "characters, at most 88"),
        ("print(x.sum())", "class Layer:\n    pass", "defines the class Layer"),
        (TORCH, "", "does not follow a tab-torch cell"),
        (TORCH, TORCH + "\n" + TORCH, "not followed by a tab-tf cell"),
        (TORCH, TORCH + "\nText between.\n", "not followed by a tab-tf cell"),
        ("[tab-tf]", "[other]", "not followed by a tab-tf cell"),
        ("[tab-tf]", "[tab-tf, tab-torch]", "tagged tab-torch and tab-tf"),
    ],
)
def test_each_rule_bites(small, change, old, new, fault):
    source = small / "book" / "01_fixture.md"
    change(source, old, new)
    assert any(fault in found for found in all_faults(source)), all_faults(source)


@pytest.mark.parametrize("tag", ["solution", "exercise"])
def test_classes_of_exercises_are_allowed(small, change, tag):
    source = small / "book" / "01_fixture.md"
    change(source, ":tags: [solution, hide-cell]\n\n", f":tags: [{tag}]\n\nclass Mine:\n    pass\n")
    assert all_faults(source) == []


def test_long_hidden_cells_are_allowed(small, change):
    source = small / "book" / "01_fixture.md"
    change(source, "plt.plot(x)", "\n".join(["plt.plot(x)"] * 20))
    assert all_faults(source) == []
