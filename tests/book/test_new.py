"""`make new-mechanism`, `new-part`, `new-chapter` and `new-exercise` on a copy: what they write is what others ask for.

The skeleton of an exercise loads and is judged.
"""

import py_compile
import re
import shutil
import subprocess
import sys
import tomllib

import derived
import new
import pytest
from chapters import toc
from mystmd import Book
from notebooks import build
from page_rules import complaints, leftover_faults, text_of
from publisher import ROOT
from render import render

from attn_course.exercises import judge
from attn_course.exercises.engine.files import Bank
from attn_course.exercises.engine.run import FRAMEWORKS
from attn_course.exercises.engine.sources import cells

TOC = """\
format: jb-book
root: book/intro
parts:
  - caption: One
    chapters:
      - file: book/01_fixture.md
  - caption: Reference
    chapters:
      - file: book/notation.md
"""
MAP = """\
# A course

:::{course-map}
1 | 01_fixture | core | 1 | all
3 | 03_later | after 1 | 2 | more
:::

Text.
"""
NAME = "rotary_memory"


@pytest.fixture
def repository(small):
    (small / "_toc.yml").write_text(TOC, encoding="utf-8")
    (small / "book" / "notation.md").write_text("# Notation\n", encoding="utf-8")
    (small / "book" / "intro.md").write_text(MAP, encoding="utf-8")
    shutil.copytree(ROOT / "src" / "attn_course", small / "src" / "attn_course", ignore=shutil.ignore_patterns("*.npz"))
    (small / "tests" / "mechanisms").mkdir(parents=True)
    shutil.copytree(ROOT / new.ANSWERS, small / new.ANSWERS)
    for path in ("pyproject.toml", "src/ruff.toml"):  # 88 columns in src
        shutil.copy(ROOT / path, small / path)
    return small


EACH = [(kind, "04.total" if kind == "exercise" else NAME) for kind in new.MAKERS]
TOPIC = pytest.mark.parametrize("kind", ["mechanism", "part"])


def make(kind, root, name=NAME):
    return new.main([kind, name, "--root", str(root)])


def folder(root, kind="mechanism", name=NAME):
    return root / new.FOLDERS[kind].format(name=name)


@TOPIC
def test_all_files_are_there_and_compile(repository, capsys, kind):
    assert make(kind, repository) == 0
    printed = capsys.readouterr().out
    names = sorted(path.name for path in folder(repository, kind).iterdir())
    assert names == ["__init__.py", "pytorch.py", "reference.py", "tf.py"]
    test = repository / "tests" / "mechanisms" / f"test_{NAME}.py"
    for path in [*folder(repository, kind).iterdir(), test]:
        py_compile.compile(str(path), cfile=str(repository / "compiled.pyc"), doraise=True)
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"@(?!pytest|keras| value)", text), "a mark of the template is left"
        assert str(path.relative_to(repository)) in printed
    source = repository / "src" / "attn_course"
    assert not derived.stale(source)
    for face in ("pytorch", "tf"):
        name = folder(repository, kind).relative_to(repository / "src").as_posix().replace("/", ".")
        assert f"{name}.{face} import *" in (source / f"{face}.py").read_text(encoding="utf-8")


@TOPIC
def test_the_places_are_those_that_it_writes_and_at_most_seven(repository, capsys, kind):
    make(kind, repository)
    listed = re.findall(r"(?m)^\d\. `(.*?)`", new.places(kind, NAME=NAME))
    assert 5 < len(listed) <= 7 and all((repository / path).exists() for path in listed)
    assert new.places(kind, NAME=NAME) in capsys.readouterr().out


@pytest.mark.parametrize("name", [NAME, "x", "multi_scale_retained"])
@TOPIC
def test_ruff_has_nothing_to_say(repository, kind, name):
    make(kind, repository, name)
    where = [str(folder(repository, kind, name)), "src/attn_course/catalog.py", "src/attn_course/tf.py", "tests"]
    for check in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *check, "--no-cache", *where]
        done = subprocess.run(command, cwd=repository, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@TOPIC
def test_an_unfilled_skeleton_is_refused_by_its_own_test(repository, kind):
    make(kind, repository)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/mechanisms/test_{NAME}.py"]
    done = subprocess.run(
        command, cwd=repository, capture_output=True, text=True, env={"PYTHONPATH": str(repository / "src")}
    )
    assert done.returncode == 1
    assert "still to be written" in done.stdout and "reference.py: " in done.stdout
    assert "write the specification first" in done.stdout
    assert re.search(r"\b2 failed", done.stdout)


def test_a_skeleton_s_layer_passes_every_option_on_or_refuses_it(repository):
    """Never swallowed: a causal call would see the future."""
    make("mechanism", repository)
    for face in ("pytorch", "tf"):
        text = (folder(repository) / f"{face}.py").read_text(encoding="utf-8")
        head, body = re.search(r"(?s)def attend\(self, (.*?)\):\n(.*)", text).groups()
        for option in (name.strip() for name in head.partition("*,")[2].split(",")):
            assert f"{option}={option}" in body or f'"{option}": {option}' in body, option
        assert "can_drop = False" in text


def test_the_chapter_follows_the_rules_and_is_listed(repository):
    assert make("chapter", repository) == 0
    source = repository / "book" / f"02_{NAME}.md"
    assert complaints(source) == []
    assert len(leftover_faults(text_of(source))) == 42, "what the author has to write is named"
    assert toc(repository) == ["book/intro", "book/01_fixture.md", f"book/02_{NAME}.md", "book/notation.md"]
    assert render(source, Book.read(repository)).cells
    lines = (repository / "book" / "intro.md").read_text(encoding="utf-8").splitlines()
    place = lines.index(f"2 | 02_{NAME} | after 1 | 3 | TODO: what rotary memory adds")
    assert lines[place - 1].startswith("3 | 03_later") and lines[place + 1 :] == [":::", "", "Text."]
    assert source.read_text(encoding="utf-8").endswith("```{bibliography}\n:filter: docname in docnames\n```\n")


def test_a_skeleton_of_an_exercise_is_judged(repository, capsys):
    order = repository / new.BANK / "04_dot_product" / "chapter.toml"
    before = tomllib.loads(order.read_text())["order"]
    assert make("exercise", repository, "04.total") == 0
    assert tomllib.loads(order.read_text())["order"] == [*before, "total"]
    said = capsys.readouterr().out
    assert "bank/04_dot_product/total.py" in said and 'shown("04.total", total)' in said
    exercise = Bank(repository / new.BANK)["04.total"]
    assert judge(exercise, exercise.solution, "numpy", 1) == (None, "")
    (words,) = exercise.mistakes
    assert words in judge(exercise, lambda x: x.sum(axis=0), "numpy", 1)[0]
    text = (repository / new.ANSWERS / "04_dot_product.txt").read_text()
    assert [title for title, _ in cells(text)[1][-3:]] == [f"total, right: {each}" for each in FRAMEWORKS]
    told = new.places("exercise", NAME="total", NN_TOPIC="04_dot_product")
    assert told in said
    places = re.findall(r"(?m)^\d\. `(.*?)`", told)
    assert all((repository / path).exists() for path in places)
    assert said.splitlines()[:3] == places[:3]
    assert all(
        "TODO" in (repository / path).read_text() for path in (places[0], places[2])
    )  # tests/exercises refuse it


def test_an_unfilled_chapter_is_not_built(repository):
    make("chapter", repository)
    with pytest.raises(ValueError, match=f"02_{NAME}.md is a skeleton: still to be written"):
        build(repository, ["02"], run=False)


@pytest.mark.parametrize("kind", new.MAKERS)
@pytest.mark.parametrize("name", ["", "Rotary", "two words", "1st", "../escape", "class", "x" * 31])
def test_names_that_cannot_be_used_write_nothing(repository, kind, name, capsys):
    before = sorted(repository.rglob("*"))
    assert make(kind, repository, name) == 2
    assert sorted(repository.rglob("*")) == before
    assert "NAME" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "words"), [("total", "NAME must"), ("04.T", "NAME must"), ("99.x", "no chapter")])
def test_names_that_no_exercise_can_have(repository, capsys, name, words):
    assert make("exercise", repository, name) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(("kind", "name"), EACH)
def test_nothing_is_overwritten(repository, kind, name, capsys):
    assert make(kind, repository, name) == 0
    taken = {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()}
    assert make(kind, repository, name) == 2
    assert "exists" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in repository.rglob("*") if path.is_file()} == taken


@pytest.mark.parametrize("taken", ["tf", "layer", "window"])
def test_a_module_of_the_package_keeps_its_name(repository, taken, capsys):
    assert make("mechanism", repository, taken) == 2
    assert "exists: choose another NAME" in capsys.readouterr().err


def test_stale_public_modules_are_found(tmp_path):
    source = tmp_path / "attn_course"
    shutil.copytree(ROOT / "src" / "attn_course", source, ignore=shutil.ignore_patterns("*.npz", "tasks", "records"))
    assert not derived.stale(source)
    path = source / "mechanisms" / "blocks" / "tf.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("= []", '= ["attend"]'), encoding="utf-8")
    assert [path.name for path in derived.stale(source)] == ["tf.py"]
    derived.write(source)
    assert not derived.stale(source)
    path.write_text(text.replace("= []", '= ["rotate"]'), encoding="utf-8")
    with pytest.raises(ValueError, match="tf: more than one topic lists rotate"):
        derived.stale(source)


@pytest.mark.parametrize(("kind", "name"), EACH)
def test_the_tools_need_python_alone(repository, kind, name):
    """Nothing that is installed is on the path."""
    path = f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r})"
    program = f"{path}; import new; sys.exit(new.main({[kind, name, '--root', str(repository)]!r}))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
