"""The page of all exercises: a row for each of the bank, under the headings of the pages; its links lead to these."""

import re
from itertools import pairwise
from types import SimpleNamespace

import exercise_list
import needed_links
import pytest
from chapters import sources
from docutils import nodes
from publisher import ROOT

from attn_course.exercises import EXERCISES

PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sources()}
ROWS = [(page, *row) for page, text in PAGES.items() for row in exercise_list.rows_of(text, EXERCISES)]
LINKED = [re.search(r"\{exercise\}`(.+) <([\w.]+)>` `\2`$", row[1]).groups() for row in ROWS]


def test_every_exercise_of_the_bank_is_listed_once_in_its_order():
    files = [*(ROOT / "src" / "attn_course" / "exercises" / "bank").glob("*/*.py")]
    assert len(ROWS) == len(files) and [name for _, name in LINKED] == list(EXERCISES)
    assert exercise_list.told(EXERCISES.values()).startswith(f"**{len(files)} exercises, about ")
    for (_, name), (_, _, level, minutes, _) in zip(LINKED, ROWS, strict=True):
        own = EXERCISES[name]
        assert level == f'<span data-family="level {own.level}"><data value="{own.level}">{own.level}</data></span>'
        assert minutes == f'<data value="{own.minutes}">{own.minutes}</data>'


@pytest.mark.parametrize("page", dict.fromkeys(row[0] for row in ROWS))
def test_its_rows_are_the_headings_of_the_page(page):
    text = PAGES[page]
    rows = [link for link, row in zip(LINKED, ROWS, strict=True) if row[0] == page]
    assert [heading for heading, _ in rows] == re.findall(r"(?m)^##+ (?:Exercise )?((?:Part )?\d+: .+)$", text)
    begins = [*(text.index(f" {heading}\n") for heading, _ in rows), len(text)]
    for (_, name), (begin, end) in zip(rows, pairwise(begins), strict=True):
        assert begin < text.index(f'\ncheck("{name}"') < end


def test_a_name_is_a_link_to_its_heading(monkeypatch):
    """And a warning, which is an error of the build, where no page has the exercise."""
    said = []
    monkeypatch.setattr(exercise_list, "LOG", SimpleNamespace(warning=lambda *words, location: said.append(words)))
    section = nodes.section("", nodes.literal_block("", 'check("04.x", x)'), ids=["exercise-1"])
    app = SimpleNamespace(env=SimpleNamespace(docname="book/04_x"))
    app.builder = SimpleNamespace(get_relative_uri=lambda _, page: page.removeprefix("book/") + ".html")
    needed_links.collect(app, nodes.container("", section))
    page = nodes.paragraph("", "", *(exercise_list.ExerciseNode("", name, name=name) for name in ("04.x", "04.y")))
    exercise_list.resolve(app, page, "book/exercises")
    (link,) = page.findall(nodes.reference)
    assert link["refuri"] == "04_x.html#exercise-1" and page.astext() == "04.x04.y"
    assert [words[1:] for words in said] == [("04.y",)]
