"""The book on paper: one PDF with outline and tags, printed by Chromium from the built pages and their print styles.

    python tools/pdf.py [--framework tf] [CH ...]      the whole book, or chapters alone, into _build/pdf

Every page becomes a section of one document: folds that are closed, scripts and the other framework are left out.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from browser import program
from bs4 import BeautifulSoup, Tag
from chapters import sources, toc
from publisher import ROOT

OTHER = {"torch": "tf", "tf": "torch"}
PAGE = """\
<!doctype html>
<html lang="en" data-theme="light" data-framework="{framework}" data-mode="light">
<head><meta charset="utf-8"><title>{title}</title><link rel="stylesheet" href="{style}"></head>
<body><div class="bd-content"><article class="bd-article">
{text}
</article></div></body>
</html>
"""


def section(page: Path, framework: str, names: dict[str, str]) -> Tag:
    """A page's text as a section whose names begin with the page's own; names: of the pages that are printed too."""
    text = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").select_one("article.bd-article")
    left_out = (
        f"script, noscript, style, button, details:not([open]), fieldset.guess, .fw-choices, .fw-{OTHER[framework]}"
    )
    for gone in text.select(left_out):
        gone.decompose()
    own = names[page.stem]
    for part in text.find_all(id=True):
        part["id"] = f"{own}-{part['id']}"
    for link in text.find_all("a", href=True):
        path, _, place = link["href"].partition("#")
        there = own if not path else names.get(Path(path).stem)
        if there and not path.startswith("http"):
            link["href"] = f"#{there}-{place}" if place else f"#{there}"
    for picture in text.find_all("img", src=re.compile(r"^\.\.")):
        picture["src"] = (page.parent / picture["src"]).resolve().as_uri()
    text.name, text["id"], text["class"] = "section", own, []
    text["style"] = "break-before: page"
    return text


def write_pdf(root: Path, framework: str = "torch", selected: list[str] | None = None) -> Path:
    """Print the chapters that are named, or the whole book without the package's own pages, in the book's order."""
    site, out = root / "_build" / "html", root / "_build" / "pdf"
    chosen = sources(root, selected) if selected else [Path(name) for name in toc(root)]
    pages = [site / "book" / f"{path.stem}.html" for path in chosen]
    if missing := [page for page in pages if not page.exists()]:
        raise ValueError(f"{missing[0].relative_to(root)} is not there: run make book")
    names = {page.stem: f"p{number}" for number, page in enumerate(pages)}
    text = "\n".join(str(section(page, framework, names)) for page in pages)
    style = (site / "_static" / "styles" / "course.css").as_uri()
    title = "Attention, mechanism by mechanism"
    out.mkdir(parents=True, exist_ok=True)
    made = out / f"attn_course-{'-'.join([*(selected or []), framework])}.html"
    made.write_text(PAGE.format(framework=framework, title=title, style=style, text=text), encoding="utf-8")
    target = made.with_suffix(".pdf")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--generate-pdf-document-outline"]
    command = [program(), *flags, f"--print-to-pdf={target}", made.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if done.returncode or not target.exists():
        raise ValueError(f"Chromium printed nothing:\n{done.stderr[-2000:]}")
    made.unlink()
    return target


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", metavar="CH")
    parser.add_argument("--framework", choices=OTHER, default="torch")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        made = write_pdf(options.root, options.framework, options.chapters)
    except (FileNotFoundError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{made.stat().st_size / 1e6:.1f} MB  {made.relative_to(options.root)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
