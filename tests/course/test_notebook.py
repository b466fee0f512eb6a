"""Helpers of the chapters: a table in three forms, source that a notebook folds, training cut short."""

import subprocess
import sys

import pytest

from attn_course.course.training import progress, short
from attn_course.masks import causal_mask
from attn_course.notebook import CHECKED, UNKNOWN, Table, source

ROWS = [("short", 1, "0.98 ± 0.01"), ("a|b", -12, "0.5")]


def test_table_as_text():
    assert repr(Table(["Name", "Steps", "Right"], ROWS)) == (
        "Name   Steps        Right\nshort      1  0.98 ± 0.01\na|b      -12          0.5"
    )


def test_table_as_markdown():
    assert Table(["Name", "Steps", "Right"], iter(ROWS))._repr_markdown_() == (
        "| Name | Steps | Right |\n| --- | ---: | ---: |\n| short | 1 | 0.98 ± 0.01 |\n| a\\|b | -12 | 0.5 |"
    )


def test_a_column_with_words_stands_to_the_left():
    assert "| --- |" in Table(["A"], [(1,), ("none",)])._repr_markdown_()
    assert "| --- |" in Table(["A"], [])._repr_markdown_() == Table(["A"], [("",)])._repr_markdown_()[:13]
    assert "| ---: |" in Table(["A"], [("",), ("+1",)])._repr_markdown_()


def test_rows_of_another_length_are_refused():
    with pytest.raises(ValueError, match=r"rows must have 2 cells like the header, got \['1'\]"):
        Table(["A", "B"], [(1, 2), (1,)])


def test_source_is_folded_in_a_notebook_and_highlighted_on_the_page():
    shown = source(causal_mask)
    assert shown._repr_markdown_().startswith("```python\ndef causal_mask(")
    html = shown._repr_html_()
    assert html.startswith("<details><summary>Source</summary><pre><code>def causal_mask(")
    assert html.endswith("</code></pre></details>") and "<=" not in html


def test_training_is_cut_short_by_one_variable(monkeypatch):
    monkeypatch.setenv("ATTN_COURSE_QUIET", "1")
    monkeypatch.delenv("ATTN_COURSE_STEPS", raising=False)
    assert short(400) == 400
    monkeypatch.setenv("ATTN_COURSE_STEPS", "20")
    assert short(400) == 20 and short(7) == 7
    assert [*progress(400, "it")] == [*range(1, 21)]


def test_source_reads_a_module_that_cannot_be_imported():
    shown = source("attn_course.mechanisms.flash.triton:scores")
    assert str(shown).startswith("@triton.jit\ndef scores(") and "def forward_kernel" not in str(shown)
    with pytest.raises(ValueError, match="has no function 'nothing'"):
        source("attn_course.mechanisms.flash.triton:nothing")


CELLS = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("from attn_course.notebook import Table; from attn_course.masks import causal_mask")
for cell in {cells!r}:
    print("=" * 9, cell)
    assert shell.run_cell(cell).error_in_exec is not None
"""
FAILING = {
    "assert 1 + 1 == 3": CHECKED,
    "weights_of_a_cell_above": UNKNOWN,
    "assert False, 'own words'": "",
    "Table(['A'], [(1, 2)])": "",  # an error of another kind
    "causal_mask(nothing=1)": "",
}


def test_a_cell_that_fails_says_what_that_means():
    """A check behind a change, a cell whose names are not there; below the traceback, and nothing below others."""
    code = CELLS.format(cells=[*FAILING])
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120).stdout
    parts = told.split("=" * 9)[1:]
    assert len(parts) == len(FAILING)
    for part, words in zip(parts, FAILING.values(), strict=True):
        assert "Error" in part and [x in part for x in (CHECKED, UNKNOWN)] == [x == words for x in (CHECKED, UNKNOWN)]
