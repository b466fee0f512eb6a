"""The files of exercises: each complete, each mistake a change of its solution; how they are read."""

import ast

import pytest
from answers import ANSWERS, BANK, RIGHT, WRONG

from attn_course.exercises import EXERCISES
from attn_course.exercises.engine import files
from attn_course.exercises.engine.sources import cells, changed, compiled, merged, source_of, starter_of, without_marks

SOLUTION = """\
def total(rows, start):
    ...  # (T, K) and a number; return a number
    found = start
    for row in rows:
        found = found + row.sum()
    return found
"""
TEXT = f'''\
"""In two
lines

1. a
2. b
3. c, and
   more
"""

title = "t"
level, minutes = 1, 5
before = "b"


def cases(rng):
    return []


# %% solution
{SOLUTION}

# %% mistake: it starts at 0
found = 0
'''


def test_every_file_is_listed_once_and_has_its_parts():
    paths = list(files.BANK.glob("*/*.py"))
    assert sorted(paths) == sorted(EXERCISES.places.values()) and len(paths) == len(EXERCISES) > 100
    for name, exercise in EXERCISES.items():
        if exercise.kind != "test":  # it takes another's
            assert exercise.cases and exercise.mistakes, name
    chapters = {path.name for path in files.BANK.iterdir() if path.name != "__pycache__"}
    assert chapters == {path.parent.name for path in paths} == {path.stem for path in BANK.glob("*.txt")}
    assert {name for name, _ in ANSWERS} == RIGHT.keys() and {kind for _, kind in ANSWERS} == {"right", "wrong"}
    assert {name for name, kind in ANSWERS if kind == "wrong"} == WRONG.keys()


def test_nothing_is_left_to_do():
    """What `make new-exercise` writes is refused until it is filled."""
    paths = [*files.BANK.glob("*/*.*"), *BANK.glob("*.txt")]
    assert len(paths) > 150
    assert [path for path in paths if "TODO" in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("name", EXERCISES)
def test_mistakes_change_the_solution_and_starters_hide_it(name):
    exercise = EXERCISES[name]
    own = ast.dump(ast.parse(source_of(exercise.solution)))
    sources = [each for each in exercise.mistakes.values() if isinstance(each, str)]
    trees = [ast.dump(ast.parse(source)) for source in sources]
    assert len(set(trees)) == len(trees) and own not in trees
    assert all(compiled(exercise.solution, source) for source in sources)
    for framework, starter in exercise.starters.items():
        assert ast.dump(ast.parse(starter)) != own
        assert starter != exercise.answers.get(framework)
        assert exercise.kind == "bug" or "bug" in exercise.title or "..." in starter


def test_a_file_in_cells():
    first, parts = cells("import x\n\n# %% one\na = 1\n\n\n# %% two, which\n# is longer\nb = 2\n")
    assert first == "import x\n\n"
    assert parts == [("one", "a = 1\n"), ("two, which is longer", "b = 2\n")]


def test_a_starter_is_what_stands_before_the_mark():
    assert starter_of(SOLUTION) == "".join(SOLUTION.splitlines(keepends=True)[:2])
    assert "..." not in without_marks(SOLUTION) and "return found" in without_marks(SOLUTION)


def test_a_changed_line_replaces_the_one_that_is_most_like_it():
    solution = without_marks(SOLUTION)
    assert changed(solution, "found = found * row.sum()\n") == solution.replace("+ row", "* row")
    assert changed(solution, "found = 0\n") == solution.replace("= start", "= 0")
    assert changed(solution, "for row in rows[1:]:\n    ...\n") == solution.replace("in rows", "in rows[1:]")
    both = changed(solution, "found = 0\nreturn found / len(rows)\n")
    assert both == solution.replace("= start", "= 0").replace("return found", "return found / len(rows)")
    with pytest.raises(ValueError, match="the solution has no line like 'while"):
        changed(solution, "while True:\n    ...\n")
    with pytest.raises(ValueError, match="a body that isn't kept"):
        changed(solution, "for row in rows:\n    pass\n")


def test_two_changes_are_merged_where_they_do_not_meet():
    solution = without_marks(SOLUTION)
    one, two = solution.replace("start", "0"), solution.replace("row.sum()", "row.max()")
    assert merged(solution, one, two) == one.replace("row.sum()", "row.max()")
    assert merged(solution, two, solution.replace("row.sum()", "row.min()")) is None


@pytest.mark.parametrize("second", ["lm", "project"])
def test_a_project_has_a_prefix_of_its_own_and_a_place(tmp_path, second):
    """Two projects with an exercise of the same name; the same prefix twice is refused."""
    heads = {"04_topic": "", "project_a": 'prefix = "project"\nafter = "04"\n', "10_more": ""}
    heads["project_b"] = f'prefix = "{second}"\nafter = "10"\n'
    for folder, head in heads.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "chapter.toml").write_text(head + 'order = ["loss"]\n')
    if second == "project":
        with pytest.raises(ValueError, match="another chapter has the prefix 'project'"):
            files.Bank(tmp_path)
    else:
        places = files.Bank(tmp_path).places
        assert list(places) == ["04.loss", "project.loss", "10.loss", "lm.loss"]
        assert [place.parent.name for place in places.values()] == ["04_topic", "project_a", "10_more", "project_b"]


def test_an_exercise_is_read_when_it_is_asked_for(tmp_path):
    folder = tmp_path / "04_topic"
    folder.mkdir()
    (folder / "chapter.toml").write_text('order = ["total", "typo"]\n')
    bank = files.Bank(tmp_path)
    assert list(bank) == ["04.total", "04.typo"]
    (folder / "total.py").write_text(TEXT)
    exercise = bank["04.total"]
    assert exercise.statement == "In two lines" and exercise.hints == ("a", "b", "c, and more")
    assert (exercise.title, exercise.level, exercise.minutes, exercise.before) == ("t", 1, 5, "b")
    assert exercise.starters == {"numpy": starter_of(SOLUTION)} and exercise.kind == "write"
    assert list(exercise.mistakes) == ["it starts at 0"]
    assert exercise.mistakes["it starts at 0"] == without_marks(SOLUTION).replace("= start", "= 0")
    (folder / "typo.py").write_text(TEXT.replace("# %% mistake", "# %% mistakes of people"))
    with pytest.raises(
        ValueError, match=r"typo\.py: a cell is one of solution, starter, mistake, mistakes: 'mistakes of"
    ):
        bank["04.typo"]


def test_what_a_file_raises_names_its_line(tmp_path):
    """Of its cells too: they are run with the lines above them."""
    (tmp_path / "chapter.toml").write_text('order = ["total"]\n')
    text = TEXT + "\n\n# %% mistake: it raises\ndef instead(rows, start):\n    raise KeyError\n"
    (tmp_path / "total.py").write_text(text)
    mistake = files.load(tmp_path / "total.py").mistakes["it raises"]
    code = mistake.__code__
    assert text.splitlines()[code.co_firstlineno - 1] == "def instead(rows, start):"
    assert code.co_filename == str(tmp_path / "total.py")
