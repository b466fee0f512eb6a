"""The book's figures as SVG files, each with its text, its source and its license in it.

python tools/figures.py     writes _build/figures and _build/figures.zip

They are taken from the committed notebooks, so nothing is executed.
"""

import argparse
import html
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote

from chapters import code_cells, read_notebook, read_source, sources
from packing import folder, pack
from publisher import ROOT, authors, publisher
from repository import text_files

LICENSE = "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/"
TITLE, AUTHORS = "Attention, mechanism by mechanism", authors()
README = """\
# Figures of the course

{count} figures of "{title}" by {authors}, as SVG.

License: {license}, in LICENSE-TEXT. You may change and reuse them, also in what you sell. Name the course, link to the
license, and say what you changed, for example:

> From "{title}" by {authors} ({home}), CC BY 4.0; labels translated.

A figure that shows a photograph shows data of others: its author and its license stand in
`src/attn_course/tasks/photograph/README.md`. Every file has a title (what the figure shows), and a description with its
caption and its page.

| File | Page | Caption |
|---|---|---|
{rows}
"""
_DRAWN = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_STATIC = re.compile(r'<img alt="([^"]*)" src="data:image/svg\+xml,([^"]*)"')


def plain(text: str) -> str:
    """A caption without its markup: roles and links keep their words, formulas their TeX."""
    text = re.sub(r"\{[\w:]+\}`([^`<]*?)\s*(?:<[^>]*>)?`", r"\1", text)
    return " ".join(re.sub(r"[`*]|\$(?=\S)|(?<=\S)\$", "", text).split())


def licensed(svg: str, alt: str, caption: str, page: str) -> str:
    """An SVG that stands alone: namespace, plain colors, and who made it in its head."""
    svg = re.sub(r"var\(--[\w-]+,\s*([^)]+)\)", r"\1", svg.strip())
    svg = re.sub(r"^<\?xml.*?\?>\s*|<!DOCTYPE.*?>\s*", "", svg, flags=re.DOTALL)
    head, _, rest = svg.partition(">")
    if "xmlns=" not in head:
        head += ' xmlns="http://www.w3.org/2000/svg"'
    told = f"{caption} {page}. From: {TITLE}, by {AUTHORS}. {LICENSE}".strip()
    return f"{head}>\n<title>{html.escape(alt)}</title>\n<desc>{html.escape(told)}</desc>{rest}\n"


def _pictures(outputs: list) -> list[tuple[str, str]]:
    """What a cell drew: SVG and, where it stands beside the picture, its text."""
    found = []
    for output in outputs:
        data = output.get("data", {})
        if "image/svg+xml" in data:
            found.append(("".join(data["image/svg+xml"]), ""))
        for alt, address in _STATIC.findall("".join(data.get("text/html", ""))):
            found.append((unquote(html.unescape(address)), html.unescape(alt)))
    return found


def figures(root: Path) -> dict[str, tuple[str, str, str]]:
    """Every figure by its file's name: SVG, page, caption."""
    here, found = publisher(root), {}

    def add(stem: str, name: str, svg: str, alt: str, caption: str) -> None:
        page = here.page_url(f"book/{stem}")
        start = stem[:2] if stem[:2].isdigit() else stem
        name = re.sub(r"^(fig-)?", f"{start}-", name)
        while f"{name}.svg" in found:
            name += "-tf"  # twins come in the order PyTorch, TensorFlow
        found[f"{name}.svg"] = licensed(svg, alt, caption, page), page, caption

    for path in sorted(path for path in text_files(root) if path.parent == root / "book" and path.suffix == ".md"):
        for number, svg in enumerate(_DRAWN.findall(path.read_text(encoding="utf-8")), start=1):
            label = re.search(r'aria-label="([^"]*)"', svg)
            add(path.stem, f"drawn-{number}", svg, html.unescape(label[1]) if label else "", "")
    for source in sources(root):
        pairs = zip(
            code_cells(read_source(source)), code_cells(read_notebook(source.with_suffix(".ipynb"))), strict=True
        )
        for number, (cell, executed) in enumerate(pairs, start=1):
            told = cell.metadata.get("mystnb", {})
            name = told.get("figure", {}).get("name", f"cell-{number}")
            alt = told.get("image", {}).get("alt", "")
            caption = plain(str(told.get("figure", {}).get("caption", "")))
            for svg, own in _pictures(executed.outputs):
                add(source.stem, name, svg, " ".join((own or alt).split()), caption)
    return found


def write_figures(root: Path, out: Path) -> int:
    """Write all figures, a list of them and the license into an empty folder; returns how many there are."""
    made = figures(root)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for name, (svg, _, _) in made.items():
        (out / name).write_text(svg, encoding="utf-8")
    rows = "\n".join(
        f"| {name} | {page} | {caption.replace('|', chr(92) + '|')} |" for name, (_, page, caption) in made.items()
    )
    home = publisher(root).home_url
    text = README.format(count=len(made), title=TITLE, authors=AUTHORS, license=LICENSE, home=home, rows=rows)
    (out / "README.md").write_text(text, encoding="utf-8")
    shutil.copy(root / "LICENSE-TEXT", out)
    return len(made)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    root = parser.parse_args(arguments).root
    out = root / "_build" / "figures"
    count = write_figures(root, out)
    packed = pack(out.with_suffix(".zip"), folder(out, "figures"))
    print(f"{count} figures in {out.relative_to(root)}, {packed.stat().st_size / 1e6:.1f} MB packed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
