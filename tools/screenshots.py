"""Pictures of every page of the built book, light and dark, wide and narrow, into _build/screenshots.

A figure whose model computes in the page is taken by itself too, with its model loaded.

python tools/screenshots.py [NAME ...]     all pages, or those whose names begin with NAME
"""

from __future__ import annotations

import sys
from pathlib import Path

from browser import chromium, served
from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
TARGET = ROOT / "_build" / "screenshots"
WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")


def pages(selected: list[str]) -> list[Path]:
    """The book's pages whose names begin with one of `selected`; all of them without a selection."""
    found = sorted(SITE.glob("book/*.html"))
    return [path for path in found if not selected or path.stem.startswith(tuple(selected))]


def take(browser: Browser, address: str, page: Path, width: int, scheme: str) -> list[Path]:
    """A picture of the whole page, taken after the formulas were drawn, and one of each live figure."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    tab = context.new_page()
    tab.goto(f"{address}{page.relative_to(SITE)}")
    tab.wait_for_load_state("networkidle")
    tab.evaluate("() => window.MathJax?.startup?.promise?.then(() => true)")
    target = TARGET / f"{page.stem}-{scheme}-{width}.png"
    tab.screenshot(path=target, full_page=True)
    targets = [target]
    for figure in tab.locator("[data-kind^=live_].attn-widget").all():
        figure.get_by_role("button", name="Load the model").click()
        figure.get_by_role("textbox").wait_for()
        tab.wait_for_timeout(500)  # the language model reads its prompt in slices
        tab.set_viewport_size({"width": width, "height": 2000})  # taller than every figure
        targets.append(target.with_stem(f"{target.stem}-{figure.get_attribute('data-kind')}"))
        figure.screenshot(path=targets[-1])
    context.close()
    return targets


def main(selected: list[str]) -> int:
    chosen = pages(selected)
    if not chosen:
        print("no such page in _build/html: run make book", file=sys.stderr)
        return 2
    TARGET.mkdir(parents=True, exist_ok=True)
    try:
        with served(SITE) as address, chromium() as browser:
            for page in chosen:
                for width in WIDTHS:
                    for scheme in SCHEMES:
                        for target in take(browser, address, page, width, scheme):
                            print(target.relative_to(ROOT))
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
