"""Where the built book is, and when a page of it is ready."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"
TOC = "format: jb-book\nroot: book/intro\nchapters:\n  - file: book/02_average.md\n"


@cache
def soup(page):
    """A page of the built book, read without a browser."""
    return BeautifulSoup((SITE / page).read_text(encoding="utf-8"), "html.parser")


def build_form(root):
    """Execute and build the small book with the chapter of tests/book/form."""
    shutil.copytree(ROOT / "tests" / "book" / "form", root / "book")
    for name in ("_ext", "_static", "_templates"):
        shutil.copytree(ROOT / "book" / name, root / "book" / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tools", root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "_config.yml"):
        shutil.copy(ROOT / name, root)
    (root / "_toc.yml").write_text(TOC, encoding="utf-8")
    (root / "book" / "intro.md").write_text("# A book\n\nSee {doc}`02_average`.\n", encoding="utf-8")
    for command in ("build", "fill"):
        run(root, sys.executable, root / "tools" / "notebooks.py", "--root", root, command)
    run(root, Path(sys.executable).with_name("jupyter-book"), "build", root, "-W", "-n", "--keep-going")


def build_again(root, other, *options, **settings):
    """Build a copy of a small book with further settings in the environment."""
    shutil.copytree(root, other, ignore=shutil.ignore_patterns("html", ".doctrees"))
    run(other, sys.executable, other / "tools" / "notebooks.py", "--root", other, "fill")
    run(other, Path(sys.executable).with_name("jupyter-book"), "build", other, "-W", "-n", *options, **settings)
    return other / "_build" / "html"


def run(root, *command, **settings):
    command, settings = [str(part) for part in command], {**os.environ, **settings}
    done = subprocess.run(command, cwd=root, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


OPEN_FOLDS = "document.querySelectorAll('details').forEach((block) => { block.open = true; })"


def note_faults(tab, faults):
    """Add what goes wrong in a tab to a list."""
    tab.on("pageerror", lambda error: faults.append(f"error: {error}"))
    tab.on("console", lambda line: faults.append(line.text) if line.type in ("error", "warning") else None)


def choose_framework(tab, key):
    """By the control at the top of the page; code that scrolls then has its stop of the keyboard soon."""
    tab.locator(f'.fw-page input[value="{key}"]').check(force=True)
    tab.wait_for_function(f"() => !{SCROLLS_WITHOUT_A_STOP}")


SCROLLS_WITHOUT_A_STOP = """[...document.querySelectorAll("pre")].some((code) =>
  code.checkVisibility() && code.scrollWidth > code.clientWidth && code.tabIndex < 0)"""


def settle(tab):
    """Wait until the page and its fonts are loaded, and no colour fades."""
    tab.wait_for_load_state("load")
    assert tab.evaluate(within_20_seconds("document.fonts.ready")), "fonts do not come"
    # allSettled: a fade that the page itself cancels ends in an AbortError, and has ended all the same.
    fades = "Promise.allSettled(document.getAnimations().map((fade) => fade.finished))"
    assert tab.evaluate(within_20_seconds(fades)), tab.evaluate(
        """() => document.getAnimations().filter((fade) => fade.playState !== "finished")
          .map((fade) => [fade.transitionProperty ?? fade.animationName, fade.effect.target?.outerHTML.slice(0, 80)])"""
    )


def within_20_seconds(promise):
    """JavaScript that says whether a promise is kept by then: what is evaluated has no time limit of its own."""
    late = "new Promise((resolve) => setTimeout(resolve, 20_000, false))"
    return f"() => Promise.race([Promise.resolve({promise}).then(() => true), {late}])"
