"""The book shows the notebooks' outputs and executes nothing."""

import os
import shutil
import subprocess
import sys

import pytest
from chapters import read_source, sources
from jupyter_cache import get_cache
from notebooks import CACHE, fill, main
from publisher import ROOT

CONF = """\
project = "tiny"
extensions = ["myst_nb", "sphinxcontrib.bibtex", "sphinx_exercise"]
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "tasklist"]
nb_execution_mode = "cache"
nb_execution_cache_path = "_build/.jupyter_cache"
nb_execution_raise_on_error = True
bibtex_bibfiles = ["references.bib"]
master_doc = "01_fixture"
exclude_patterns = ["*.ipynb"]
html_theme = "basic"
numfig = True
"""
# Runs wherever the variable is not set: a builder that executed the cell would fail.
POISON = 'import os\n\nprint("from the notebook", 6 * int(os.environ["ANTIDOTE"]))'


def build_page(root):
    """Build the small book in another process; returns its exit code, messages and page."""
    (root / "book" / "conf.py").write_text(CONF, encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if key != "ANTIDOTE"}
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "book", "_build/html"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    page = root / "_build" / "html" / "01_fixture.html"
    return done.returncode, done.stderr, page.read_text(encoding="utf-8") if page.exists() else ""


@pytest.fixture
def poisoned(small, change, monkeypatch):
    """The small repository, its notebook executed with an antidote that no builder has."""
    change(small / "book" / "01_fixture.md", 'print("one")', POISON)
    monkeypatch.setenv("ANTIDOTE", "7")
    assert main(["--root", str(small), "build"]) == 0
    return small


def test_outputs_are_shown_and_nothing_is_executed(poisoned):
    fill(poisoned)
    code, messages, page = build_page(poisoned)
    assert code == 0, messages
    assert "from the notebook 42" in page
    assert "A line: " in page  # the caption, so the metadata of the .md's cells were used
    assert "find_spec" not in page  # no install cell

    # The same book without the cache does execute the cell, so the poison works.
    shutil.rmtree(poisoned / "_build")
    code, messages, page = build_page(poisoned)
    assert code != 0 and "Executing notebook failed" in messages
    assert "from the notebook 42" not in page


@pytest.mark.parametrize(("old", "new"), [('print("other")', "print(2)"), ("hide-cell", "hide-input")])
def test_fill_refuses_a_changed_chapter(built, change, capsys, old, new):
    change(built / "book" / "01_fixture.md", old, new)
    assert main(["--root", str(built), "fill"]) == 1
    assert "book/01_fixture: run make notebooks CH=01" in capsys.readouterr().err
    assert not (built / CACHE).exists()


def test_what_has_not_changed_is_filled_in_once(poisoned, change, capsys):
    """A title of another page is a link's text; so all are new with it."""
    for new in (1, 0):
        fill(poisoned)
        assert f"1 notebooks, {new} new" in capsys.readouterr().out
    change(poisoned / "book" / "01_fixture.md", "A line", "Some line")
    fill(poisoned)
    assert "1 notebooks, 1 new" in capsys.readouterr().out


def test_fill_refuses_a_chapter_that_was_not_executed(small, capsys):
    assert main(["--root", str(small), "build", "--no-execute"]) == 0
    assert main(["--root", str(small), "fill"]) == 1
    assert "not executed top to bottom" in capsys.readouterr().err


def test_every_chapter_is_found_in_the_cache(tmp_path):
    """What the book's builder asks for each chapter, asked beforehand."""
    root = tmp_path / "copy"
    shutil.copytree(ROOT / "book", root / "book", ignore=shutil.ignore_patterns("_*"))
    for name in ("pyproject.toml", "_toc.yml"):
        shutil.copy(ROOT / name, root)
    fill(root)
    cache = get_cache(str(root / CACHE))
    for source in sources(root):
        cache.match_cache_notebook(read_source(source))  # raises KeyError when it is not there
