"""The glossary is sorted and has what a reader looks for; the teacher's page has the minutes of the chapters."""

import re

import pytest
from chapters import sources
from complexity import titled
from publisher import ROOT

from attn_course.catalog import CATALOG
from attn_course.exercises import EXERCISES

TEXT = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
BODY = re.search(r"(?ms)^```\{glossary\}\n(.*?)^```$", TEXT)[1]
WORDS = [line for line in BODY.splitlines() if line and not line.startswith(" ")]
# Names of the catalog that the glossary has under a shorter or another one.
UNDER = {"multi head": "multi-head attention", "delta rule": "delta-rule attention", "performer": "Performer"}
UNDER |= {"linformer": "Linformer", "longformer": "Longformer", "big bird": "BigBird", "local": "local attention"}


def test_the_words_are_sorted():
    assert [word.lower() for word in WORDS] == sorted({word.lower() for word in WORDS})


def test_every_word_is_explained():
    blocks = re.split(r"\n\n(?=\S)", BODY.strip())
    assert [block.split("\n")[0] for block in blocks] == WORDS
    assert all(block.split("\n")[1].startswith("  ") for block in blocks)


NAMES = {name for path in sources() for name in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
TAUGHT = [row for row in CATALOG if {row.name, row.layer or row.name} & NAMES]


@pytest.mark.parametrize("row", TAUGHT, ids=lambda row: row.name)
def test_every_mechanism_of_a_chapter_is_there(row):
    (written,) = titled(row.name)
    name = written.partition("`")[2].partition(" <")[0]
    plain = row.name.removesuffix("_attention").replace("_", " ")
    assert UNDER.get(plain, name) in WORDS


# --- the teacher's page: its minutes are those of the chapters and of their exercises ---

PAGE = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
ROWS = re.findall(r"(?m)^\| \{doc\}`([\w ]+) <(\w+)>` \| .* \| (\d+) \| (\d+) \|$", PAGE)


def test_every_chapter_has_a_row():
    assert [name for _, name, _, _ in ROWS] == [path.stem for path in sources()]


@pytest.mark.parametrize(("number", "name", "reading", "exercises"), ROWS, ids=[row[1] for row in ROWS])
def test_minutes(number, name, reading, exercises):
    text = " ".join((ROOT / "book" / f"{name}.md").read_text(encoding="utf-8").split())
    assert f" {reading} minutes to read" in text
    own = [EXERCISES[each].minutes for each in sorted(set(re.findall(r'[^`]check\("([\w.]+)"', text)))]
    if "project" in name:  # it may ask for work that no exercise checks
        assert f" about {exercises} minutes to do" in text
    assert int(exercises) == sum(own) or name == "09_project_ablation"
    assert int(exercises) > 0
