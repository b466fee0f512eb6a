"""Where the built book is, and when a page of it is ready."""

from pathlib import Path

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"


def settle(tab):
    """Wait until the page is loaded and MathJax, where it is needed, has drawn the formulas, and no colour fades."""
    tab.wait_for_load_state("load")
    if tab.locator(".math").count():
        tab.evaluate("() => window.MathJax?.startup?.promise?.then(() => true)")
    tab.evaluate("() => Promise.all(document.getAnimations().map((fade) => fade.finished)).then(() => true)")
