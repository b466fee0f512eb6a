"""The folders of exercises: each complete, each mistake a change of its solution; how their files are read."""

import ast

import pytest
from answers import BANK

from attn_course.exercises import EXERCISES
from attn_course.exercises.engine import files
from attn_course.exercises.engine.sources import (
    cells,
    changed,
    compiled,
    merged,
    source_of,
    starter_of,
    without_marks,
)

SOLUTION = """\
def total(rows, start):
    ...  # (T, K) and a number; return a number
    found = start
    for row in rows:
        found = found + row.sum()
    return found
"""
FILES = {"exercise.toml", "solution.py", "cases.py", "mistakes.py", "starter.py"}


def test_every_folder_is_listed_once_and_has_its_files():
    folders = {path.parent for path in files.BANK.glob("*/*/exercise.toml")}
    assert folders == set(EXERCISES.places.values()) and len(folders) == len(EXERCISES)
    chapters = {path for path in files.BANK.iterdir() if path.name != "__pycache__"}
    assert {folder.parent for folder in folders} == chapters
    answered = {path.parent.relative_to(BANK) for path in BANK.glob("*/*/right.py")}
    assert answered == {folder.relative_to(files.BANK) for folder in folders}
    for name, folder in EXERCISES.places.items():
        found = {path.name for path in folder.iterdir() if path.suffix != ".pyc" and path.is_file()}
        own = {"cases.py", "mistakes.py"} if EXERCISES[name].kind == "test" else set()  # it takes another's
        assert found <= FILES and found >= FILES - {"starter.py"} - own, folder
        answers = {path.name for path in (BANK / folder.relative_to(files.BANK)).iterdir()}
        assert answers == {"right.py", "wrong.py"}, folder


def test_nothing_is_left_to_do():
    """What `make new-exercise` writes is refused until it is filled."""
    paths = [path for bank in (files.BANK, BANK) for path in bank.rglob("*.*") if path.suffix in (".py", ".toml")]
    assert len(paths) > 400
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
    folder = tmp_path / "04_topic" / "total"
    folder.mkdir(parents=True)
    (folder.parent / "chapter.toml").write_text('order = ["total"]\n')
    bank = files.Bank(tmp_path)
    assert list(bank) == ["04.total"]
    (folder / "exercise.toml").write_text(
        'title = "t"\nlevel = 1\nminutes = 5\nbefore = "b"\nhints = ["a", "b", "c"]\n'
        'statement = """\nin two\nlines\n"""\n'
    )
    (folder / "solution.py").write_text("import numpy as np\n\n\n" + SOLUTION)
    (folder / "cases.py").write_text("def cases(rng):\n    return []\n")
    (folder / "mistakes.py").write_text("# %% it starts at 0\nfound = 0\n")
    exercise = bank["04.total"]
    assert exercise.statement == "in two lines" and exercise.hints == ("a", "b", "c")
    assert exercise.starters == {"numpy": starter_of(SOLUTION)} and exercise.kind == "write"
    assert list(exercise.mistakes) == ["it starts at 0"]
    assert exercise.mistakes["it starts at 0"] == without_marks(SOLUTION).replace("= start", "= 0")
