"""Pictures of every page of the built book, light and dark, wide and narrow, into _build/screenshots, and README's.

A figure whose model computes in the page is taken by itself too, with its model loaded. README shows one of them
step by step, as a GIF whose comment holds the words on it: a test asks the built page whether it still says the same.

python tools/screenshots.py [NAME ...]     all pages, or those whose names begin with NAME
"""

import io
import json
import sys
from pathlib import Path

from browser import chromium, served
from PIL import Image
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
TARGET = ROOT / "_build" / "screenshots"
WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
PICTURE, SHOWN, FIGURE = ROOT / "book" / "_static" / "live.gif", "02_bahdanau", "live_dates"


def pages(selected: list[str]) -> list[Path]:
    """The book's pages whose names begin with one of `selected`; all of them without a selection."""
    found = sorted(SITE.glob("book/*.html"))
    return [path for path in found if not selected or path.stem.startswith(tuple(selected))]


def take(browser: Browser, address: str, page: Path, width: int, scheme: str) -> list[Path]:
    """A picture of the whole page, taken after the fonts are there, and one of each live figure."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    tab = context.new_page()
    tab.goto(f"{address}{page.relative_to(SITE)}")
    tab.wait_for_load_state("networkidle")
    tab.evaluate("() => document.fonts.ready.then(() => true)")
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


def steps(tab: Page) -> tuple[str, list[bytes]]:
    """README's figure on its page: the words that stand there, and a picture of each step."""
    tab.set_viewport_size({"width": 1280, "height": 1400})
    figure = tab.locator(f"[data-kind={FIGURE}].attn-widget")
    figure.get_by_role("button", name="Load the model").click()
    figure.get_by_role("button", name="Sonntag").click()
    # The row of examples needs fonts of many languages; in a picture there is nothing to press.
    figure.locator(".chips, .note").evaluate_all("(rows) => rows.forEach((row) => { row.style.display = 'none'; })")
    tab.mouse.move(0, 0)
    figure.locator(".toks input").first.focus()
    caption = tab.locator("figure", has=figure).locator("figcaption strong").inner_text()
    lines, pictures = [tab.title().partition(" \u2014 ")[0], caption, figure.get_by_role("textbox").input_value()], []
    for step in figure.locator(".toks input").all():
        step.check(force=True)
        lines.append(figure.locator(".read").inner_text())
        pictures.append(figure.screenshot())
    return "\n".join(lines), pictures


def write_picture(tab: Page) -> None:
    """README's picture: a second for each step, three for the last."""
    words, pictures = steps(tab)
    frames = [Image.open(io.BytesIO(picture)).convert("RGB").quantize(64) for picture in pictures]
    times = [1000] * (len(frames) - 1) + [3000]
    frames[0].save(
        PICTURE, save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=True, comment=words.encode()
    )


HEIGHTS = ROOT / "book" / "heights.json"  # of each page's figures to drag, wide and narrow: their place is kept
_MEASURE = """() => {
  document.querySelectorAll("details").forEach((fold) => { fold.open = true; });
  return [...document.querySelectorAll(".attn-widget")].map((figure) => {
    figure.style.minHeight = 0;
    return Math.round(figure.getBoundingClientRect().height);
  });
}"""


def heights(browser: Browser, address: str, page: Path) -> list[list[int]]:
    """Of each figure of a page its height where the text is wide, as on a laptop, and on a telephone."""
    found = []
    for width in (730, 390):  # without side bars the text of the first is as wide as with them on 1280
        tab = browser.new_page(viewport={"width": width, "height": 900}, reduced_motion="reduce")
        tab.goto(f"{address}{page.relative_to(SITE)}?framework=both")
        tab.wait_for_function("[...document.querySelectorAll('.attn-widget')].every((figure) => figure.shadowRoot)")
        found.append(tab.evaluate(_MEASURE))
        tab.close()
    return [list(pair) for pair in zip(*found, strict=True)]


def write_heights(browser: Browser, address: str) -> None:
    found = {page.stem: heights(browser, address, page) for page in pages([]) if "attn-widget" in page.read_text()}
    lines = [f'"{name}": {json.dumps(pairs)}' for name, pairs in found.items()]
    HEIGHTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main(selected: list[str]) -> int:
    chosen = pages(selected)
    if not chosen:
        print("no such page in _build/html: run make book", file=sys.stderr)
        return 2
    TARGET.mkdir(parents=True, exist_ok=True)
    try:
        with served(SITE) as address, chromium() as browser:
            if not selected:
                tab = browser.new_page(reduced_motion="reduce")
                tab.goto(f"{address}book/{SHOWN}.html")
                write_picture(tab)
                write_heights(browser, address)
                print(PICTURE.relative_to(ROOT), HEIGHTS.relative_to(ROOT), sep="\n")
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
