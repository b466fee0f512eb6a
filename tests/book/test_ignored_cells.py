"""Cells that nbval does not compare: few, tagged in one way, and each asserts what the text claims."""

import pytest
from chapter_rules import MOST_IGNORED, ignored_share, nbval_faults
from chapters import read_source, sources
from marks import second_edition
from nbformat.v4 import new_code_cell, new_notebook

CHAPTERS = sources()
IGNORE = ["nbval-ignore-output"]


OLDER = [path for path in CHAPTERS if not second_edition(read_source(path))]


@pytest.mark.parametrize("source", OLDER, ids=lambda path: path.stem)
def test_each_asserts(source):
    assert nbval_faults(read_source(source)) == []


def test_cap(record_property):
    ignored, total = ignored_share(CHAPTERS)
    share = f"{ignored} of {total} code cells are not compared ({100 * ignored / max(total, 1):.1f} %)"
    record_property("ignored", share)
    print(share)
    assert ignored <= MOST_IGNORED * total, share


def test_the_cap_counts(small, change):
    source = small / "book" / "01_fixture.md"
    assert ignored_share([source]) == (1, 6)
    change(source, ":tags: [tab-tf]", ":tags: [tab-tf, nbval-ignore-output]")
    assert ignored_share([source]) == (2, 6)


def faults(code, tags=IGNORE):
    setup = "import attn_course.parity\nfrom attn_course.exercises import check_softmax as check, tools"
    cells = [new_code_cell(setup), new_code_cell(code, metadata={"tags": tags})]
    return nbval_faults(new_notebook(cells=cells))


@pytest.mark.parametrize(
    "code",
    [
        "assert loss < 0.1",
        "assert all(x)",
        "with torch.no_grad():\n    assert f(x) == 3",
        "check(x)",
        "tools.assert_close(x)",
        "attn_course.parity.check_same(x)",
        "%time f()\nassert seconds < 1, 'slow'",
    ],
)
def test_accepted(code):
    assert faults(code) == []


@pytest.mark.parametrize(
    "code",
    [
        "print(loss)",
        "assert True",
        "assert 1 < 2",
        "assert (loss < 1, 'always true')",
        "assert f'{loss}'",
        "def later():\n    assert loss < 1",
        "later = lambda: check(x)",
        "check_something(x)",  # not the course's
        "numpy.testing.assert_allclose(x, y)",
        "# assert loss < 1",
        "'assert loss < 1'",
    ],
)
def test_refused(code):
    assert "asserts nothing that can fail" in faults(code)[0]


@pytest.mark.parametrize("tag", ["nbval-skip", "nbval-check-output", "nbval-raises-exception", "NBVAL_SKIP"])
def test_other_tags_are_refused(tag):
    assert "not allowed" in faults("assert loss < 1", [tag])[0]


@pytest.mark.parametrize("mark", ["# NBVAL_SKIP", "#NBVAL_IGNORE_OUTPUT", "# PYTEST_VALIDATE_IGNORE_OUTPUT"])
def test_comments_are_refused(mark):
    assert "not the comment" in faults(f"{mark}\nprint(x)", [])[0]
