"""What a page shows of an exercise is what its file holds, and what is checked."""

import ast
import re
from pathlib import Path

import pytest

from attn_course.exercises import EXERCISES
from attn_course.exercises.engine.sources import source_of

BOOK = Path(__file__).parents[2] / "book"
CELL = re.compile(r"^```\{code-cell\} ipython3\n:tags: \[([^\]]*)\]\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CALL = re.compile(r'^(?:check|shown)\(\s*"([\w.]+)"', re.MULTILINE)
LEVEL = re.compile(r"^Level (\d), (\d+) minutes\.", re.MULTILINE)


def functions(code):
    """The functions and classes of a text, without its imports, calls and comments.

    A project's reader writes ``my_pad``, so that the page's ``pad`` doesn't take its place.
    """
    body = ast.parse(code.replace("def my_", "def ")).body
    return [ast.dump(node) for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]


def parts():
    """name -> the text of its part of a page: from its heading to the next one."""
    found = {}
    for path in sorted(BOOK.glob("[0-9]*.md")):
        for part in re.split(r"^(?=###? )", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            names = set(CALL.findall(part))
            assert len(names) <= 1, f"two exercises under one heading: {names}"
            found |= dict.fromkeys(names, part)
    return found


PARTS = parts()


def test_every_part_is_of_an_exercise():
    assert PARTS.keys() == set(EXERCISES)


@pytest.mark.parametrize("name", EXERCISES)
def test_a_page_shows_what_is_checked(name):
    exercise, part = EXERCISES[name], PARTS[name]
    solutions = exercise.answers or {"numpy": source_of(exercise.solution)}
    for tag, texts in (("exercise", exercise.starters), ("solution", solutions)):
        cells = {tags: code for tags, code in CELL.findall(part) if tag in tags}
        assert len(cells) == len(texts)
        for framework, text in texts.items():
            (code,) = [code for tags, code in cells.items() if framework == "numpy" or f"tab-{framework}" in tags]
            shown, held = functions(code), functions(text)
            # A project's solutions call what earlier parts of the page define.
            assert shown and shown == (held[-1:] if exercise.kind == "part" else held)


@pytest.mark.parametrize("name", EXERCISES)
def test_a_page_says_what_the_file_says(name):
    exercise, part = EXERCISES[name], PARTS[name]
    assert [tuple(map(int, each)) for each in LEVEL.findall(part)] == [(exercise.level, exercise.minutes)]
    assert exercise.title == re.match(r"(?:### Exercise|## Part) \d+: (.*)", part)[1]
    (hint,) = re.findall(r":::\{dropdown\} Hint\n(.*?)\n:::", part, re.DOTALL)
    assert " ".join(hint.split()).startswith(f'{exercise.hints[0]} More: `hint("{name}", 2)`')


def test_the_core_path_builds_on_itself_and_the_shorter_way_on_two_of_the_chapters_that_it_leaves_out():
    text = (BOOK / "intro.md").read_text(encoding="utf-8")
    core = {number.zfill(2) for number in re.findall(r"(?m)^(\d+) \| \w+ \| core \|", text)}
    left_out, needed = {"01", "02", "03"}, {}
    for name, each in EXERCISES.items():
        chapter = name[:2]
        if chapter in core:
            needed[chapter] = needed.get(chapter, set()) | {one for one in each.before.split(", ") if one in EXERCISES}
    assert {one[:2] for some in needed.values() for one in some} <= core
    found = {one for chapter in core - left_out for one in needed[chapter] if one[:2] in left_out}
    assert found == {"01.padding_mask", "02.masked_weights"}
    assert "exercise 3 of chapter 1 (a padding mask) and 4\nof chapter 2 (a masked softmax)" in text
    for name, number in {"01.padding_mask": 3, "02.masked_weights": 4}.items():
        assert PARTS[name].startswith(f"### Exercise {number}: ")
        # And these on nothing that is left out.
        assert {one[:2] for one in EXERCISES[name].before.split(", ") if one in EXERCISES} <= {"00", "01"}
