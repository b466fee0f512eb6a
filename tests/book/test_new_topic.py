"""`make new-topic` on a copy: what it writes has the form that the other tests ask for."""

import py_compile
import re
import shutil
import subprocess
import sys

import pytest
from chapter_rules import leftover_faults, text_of
from chapters import toc
from mystmd import Book
from new_topic import main
from page_rules import complaints
from publisher import ROOT
from render import render

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

| No. | Chapter | Path | What it adds |
|---|---|---|---|
| 1 | {doc}`01_fixture` | core | all |
| 3 | Later | branch | more |

Text.
"""


@pytest.fixture
def repository(small):
    (small / "_toc.yml").write_text(TOC, encoding="utf-8")
    (small / "book" / "notation.md").write_text("# Notation\n", encoding="utf-8")
    (small / "book" / "intro.md").write_text(MAP, encoding="utf-8")
    return small


def make(root, name):
    return main([name, "--root", str(root)])


def test_all_files_are_there_and_compile(repository, capsys):
    assert make(repository, "rotary_memory") == 0
    printed = capsys.readouterr().out
    folder = repository / "src" / "attn_course" / "rotary_memory"
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["__init__.py", "pytorch.py", "reference.py", "tf.py"]
    test = repository / "tests" / "topics" / "test_rotary_memory.py"
    for path in [*folder.iterdir(), test]:
        py_compile.compile(str(path), cfile=str(repository / "compiled.pyc"), doraise=True)
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"@(?!pytest|keras| value)", text), "a mark of the template is left"
        assert str(path.relative_to(repository)) in printed


def test_the_chapter_stands_in_the_map(repository):
    make(repository, "rotary_memory")
    lines = (repository / "book" / "intro.md").read_text(encoding="utf-8").splitlines()
    place = lines.index("| 2 | {doc}`02_rotary_memory` | branch | TODO: what rotary memory adds |")
    assert lines[place - 1].startswith("| 1 |") and lines[place + 1].startswith("| 3 |")
    text = (repository / "book" / "02_rotary_memory.md").read_text(encoding="utf-8")
    assert text.endswith("```{bibliography}\n:filter: docname in docnames\n```\n")


@pytest.mark.parametrize("name", ["rotary_memory", "x", "multi_scale_retention_and_xpos"])
def test_ruff_has_nothing_to_say(repository, name):
    make(repository, name)
    for path in ("pyproject.toml", "src/ruff.toml"):  # 88 columns in src
        shutil.copy(ROOT / path, repository / path)
    command, where = [sys.executable, "-m", "ruff"], ["--no-cache", "src", "tests"]
    for check in (["check"], ["format", "--check"]):
        done = subprocess.run([*command, *check, *where], cwd=repository, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_chapter_follows_the_rules_and_is_listed(repository):
    make(repository, "rotary_memory")
    source = repository / "book" / "02_rotary_memory.md"
    assert complaints(source) == []
    assert len(leftover_faults(text_of(source))) == 17, "what the author has to write is named"
    listed = ["book/intro", "book/01_fixture.md", "book/02_rotary_memory.md", "book/notation.md"]
    assert toc(repository) == listed
    assert render(source, Book.read(repository)).cells


def test_the_cells_run_in_a_package_with_the_topic(repository):
    """The chapter shows the source of the new functions, so it can be executed from the start."""
    make(repository, "rotary_memory")
    code = "import rotary_memory.{0} as m, inspect; print(inspect.getsource(m.rotary_memory))"
    folder = repository / "src" / "attn_course"
    for framework in ("pytorch", "tf"):
        done = subprocess.run(
            [sys.executable, "-c", code.format(framework)], cwd=folder, capture_output=True, text=True
        )
        assert "def rotary_memory" in done.stdout, done.stderr


@pytest.mark.parametrize("name", ["", "Rotary", "two words", "1st", "../escape", "class", "fixture", "x" * 31])
def test_names_that_cannot_be_used_write_nothing(repository, name, capsys):
    before = sorted(repository.rglob("*"))
    assert make(repository, name) == 2
    assert sorted(repository.rglob("*")) == before
    assert "NAME" in capsys.readouterr().err


def test_nothing_is_overwritten(repository):
    assert make(repository, "rotary_memory") == 0
    assert make(repository, "rotary_memory") == 2


@pytest.mark.parametrize("taken", ["tf.py", "layers/shared.py"])
def test_a_module_of_the_package_keeps_its_name(repository, taken, capsys):
    path = repository / "src" / "attn_course" / taken
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    assert make(repository, taken.partition("/")[0].removesuffix(".py")) == 2
    assert "exists: choose another NAME" in capsys.readouterr().err
