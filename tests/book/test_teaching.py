"""The teacher's page: its minutes are those of the chapters and of their exercises."""

import re

import pytest
from chapters import sources
from publisher import ROOT

from attn_course.exercises import EXERCISES

PAGE = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
ROWS = re.findall(r"(?m)^\| \{doc\}`(\w+) <(\w+)>` \| .* \| (\d+) \| (\d+) \|$", PAGE)


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
