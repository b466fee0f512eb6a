"""Cells that nbval does not compare are few; what counts as an assertion that can fail."""

import pytest
from chapter_rules import MOST_IGNORED, can_fail, ignored_share, imported_names, run_nodes, tree
from chapters import sources
from nbformat.v4 import new_code_cell, new_notebook

CHAPTERS = sources()


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


def asserts(code):
    setup = "import attn_course.parity\nfrom attn_course.exercises import check_softmax as check, tools"
    cells = [new_code_cell(setup), new_code_cell(code)]
    imported = imported_names(new_notebook(cells=cells))
    return any(can_fail(node, imported) for node in run_nodes(tree(cells[1])))


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
    assert asserts(code)


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
    assert not asserts(code)
