"""The tools and the builder's own parts on the path, and a small repository with one chapter to try them on."""

import shutil
import sys
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "tools"), str(HERE), str(HERE.parents[1] / "book" / "_ext")]

PYPROJECT = """\
[project.urls]
Repository = "https://github.com/first-org/course"

[tool.attn_course]
ref = "main"
"""


PROJECTS = {"fixtures": PYPROJECT, "form": f'[project]\nversion = "7.8.9"\n\n{PYPROJECT}'}


def repository(root, chapter):
    """A repository with one chapter of a folder beside this file."""
    shutil.copytree(HERE / chapter, root / "book")
    (root / "pyproject.toml").write_text(PROJECTS[chapter], encoding="utf-8")
    return root


@pytest.fixture
def small(tmp_path):
    """A repository with the chapter of fixtures/, which has no notebook yet."""
    return repository(tmp_path / "repository", "fixtures")


@pytest.fixture
def form(tmp_path):
    """A repository with one small chapter that has every element, not executed."""
    return repository(tmp_path / "form", "form")


@pytest.fixture(scope="session")
def executed(tmp_path_factory):
    """Of each chapter a repository with its notebooks: the kernel runs once for all tests."""

    @cache
    def made(chapter):
        from notebooks import build

        root = repository(tmp_path_factory.mktemp(chapter) / "repository", chapter)
        build(root, [])
        return root

    return made


@pytest.fixture
def built(executed, tmp_path):
    """`small` with its notebook."""
    return Path(shutil.copytree(executed("fixtures"), tmp_path / "built"))


@pytest.fixture
def form_built(executed, tmp_path):
    """`form` with its notebooks, those of one framework too."""
    return Path(shutil.copytree(executed("form"), tmp_path / "form_built"))


@pytest.fixture
def change():
    """Replaces a text that must be there in a file."""

    def replace(path, old, new):
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {path.name}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    return replace


@pytest.fixture
def plain():
    """Converts one text, with another page in the book."""
    from converter_cases import OTHER
    from mystmd import Book, Page, close, convert
    from mystmd.citations import Citations
    from publisher import make_publisher

    citations = Citations.read(HERE / "fixtures" / "references.bib")

    def run(text):
        book = Book(make_publisher("https://github.com/an-org/course", "main"), citations)
        book.add_page("02_other", OTHER)
        book.add_page("01_page", text)
        page = Page("book/01_page.md", "01_page", book)
        return "\n\n".join(close([convert(text, page)], page))

    return run
