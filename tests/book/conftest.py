"""The tools on the path, and a small repository with one chapter to try them on."""

import shutil
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "tools"), str(HERE)]

PYPROJECT = """\
[project.urls]
Repository = "https://github.com/first-org/course"

[tool.attn_course]
ref = "main"
"""


def repository(root, chapter, project=PYPROJECT):
    """A repository with one chapter of a folder beside this file."""
    shutil.copytree(HERE / chapter, root / "book")
    (root / "pyproject.toml").write_text(project, encoding="utf-8")
    return root


def repository_of_form(root):
    return repository(root, "form", f'[project]\nversion = "7.8.9"\n\n{PYPROJECT}')


@pytest.fixture
def small(tmp_path):
    """A repository with the chapter of fixtures/, which has no notebook yet."""
    return repository(tmp_path / "repository", "fixtures")


@pytest.fixture
def form(tmp_path):
    """A repository with one small chapter that has every element, not executed."""
    return repository_of_form(tmp_path / "form")


@pytest.fixture(scope="session")
def _form_built(tmp_path_factory):
    from notebooks import build

    root = repository_of_form(tmp_path_factory.mktemp("form") / "repository")
    build(root, [])
    return root


@pytest.fixture
def form_built(_form_built, tmp_path):
    """The same with its notebooks: both frameworks are imported once for all tests."""
    return Path(shutil.copytree(_form_built, tmp_path / "form_built"))


@pytest.fixture
def change():
    """Replaces a text that must be there in a file."""

    def replace(path, old, new):
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {path.name}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    return replace


@pytest.fixture(scope="session")
def _built(tmp_path_factory):
    from notebooks import build

    root = repository(tmp_path_factory.mktemp("built") / "repository", "fixtures")
    build(root, [])
    return root


@pytest.fixture
def built(_built, tmp_path):
    """The small repository with its notebook executed; the kernel runs once for all tests."""
    return Path(shutil.copytree(_built, tmp_path / "built"))


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
