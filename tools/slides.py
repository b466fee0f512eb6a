"""Slides of chapters, from the built pages: figures, formulas, tables and code as they stand in the book.

    python tools/slides.py [04 ...]     after make book; writes _build/slides, eight core chapters by default

A section of a page becomes a column of slides: its claim with its first paragraph, then a slide for each figure,
formula, table, list, question and short cell. The whole prose goes into the speaker's notes (key S). Checks, solutions
and the package's source stay in the book. reveal.js, the formulas' fonts and all the rest lie beside the decks.
"""

import argparse
import html
import re
import shutil
import sys
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from chapters import sources
from publisher import ROOT, authors, publisher

CORE = ("02", "04", "05", "06", "07", "09_transformer", "13", "14")
LINES, ROWS, WORDS = 20, 10, 70  # what fits on a slide: of code, of a table, of text
LEFT_OUT = {"tag_check", "tag_package", "tag_exercise", "tag_solution", "folded"}
TEMPLATES = Path(__file__).with_name("templates")
PAGE, INDEX = ((TEMPLATES / name).read_text(encoding="utf-8") for name in ("slides.html", "slides_index.html"))


class Deck:
    """The slides of one page: columns, each a list of slides, each its heading, its parts and its notes."""

    def __init__(self, article: Tag) -> None:
        clean(article)
        self.title = words_of(article.h1)
        self.columns: list[list[dict]] = []
        self.heading = self.title
        intro = article.h1.parent.find_all("p", class_=lambda name: name != "claims", recursive=False)
        self.columns.append([{"head": "", "parts": [self._cover(intro)], "notes": []}])
        for section in article.h1.parent.find_all("section", recursive=False):
            self.columns.append([])
            self._section(section)
        self.columns = [column for column in self.columns if column]

    def _cover(self, intro: list[Tag]) -> str:
        lead = inside(intro[0]) if intro else ""
        return f'<h1>{html.escape(self.title)}</h1><div class="lead">{lead}</div>'

    def _section(self, section: Tag) -> None:
        self.heading = heading = words_of(section.find(["h2", "h3", "h4"], recursive=False))
        if self.heading.startswith("Exercises"):
            listed = [words_of(title) for title in section.find_all("h3")]
            self._add("<ul>" + "".join(f"<li>{html.escape(title)}</li>" for title in listed) + "</ul>")
            return
        said = None
        for part in section.find_all(recursive=False):
            if part.name == "p":
                if said is None:
                    self._add(f'<p class="lead first">{shortened(part, WORDS)}</p>', inside(part))
                else:
                    self.columns[-1][-1]["notes"].append(inside(part))
                said = part
            elif part.name == "section":
                self._section(part)
                self.heading = heading
            elif shown := show(part):
                if self._waits(said):
                    self.columns[-1][-1]["parts"].append(shown)
                else:
                    told = f"<p>{shortened(said, WORDS // 3)}</p>" if said else ""
                    self._add(told + shown)

    def _waits(self, said: Tag | None) -> bool:
        """Whether the slide before has a section's first words alone, and so room for what follows them."""
        column = self.columns[-1]
        first = '<p class="lead first">'
        return said is not None and bool(column) and [part[: len(first)] for part in column[-1]["parts"]] == [first]

    def _add(self, part: str, notes: str = "") -> None:
        self.columns[-1].append({"head": self.heading, "parts": [part], "notes": [notes] if notes else []})

    def html(self) -> str:
        return "\n".join(f"<section>\n{''.join(map(slide, column))}</section>" for column in self.columns)


def words_of(title: Tag) -> str:
    return " ".join(title.get_text().split())


def slide(one: dict) -> str:
    """A slide as HTML: what a heading names before its colon stands out."""
    kind, colon, claim = one["head"].partition(": ")
    head = f'<span class="kind">{html.escape(kind)}</span>: {html.escape(claim)}' if colon else html.escape(kind)
    notes = f'<aside class="notes">{"".join(f"<p>{text}</p>" for text in one["notes"])}</aside>' if one["notes"] else ""
    return f"<section>{f'<h2>{head}</h2>' if head else ''}{''.join(one['parts'])}{notes}</section>\n"


def clean(article: Tag) -> None:
    """Take out what works on a page alone: links into the book, anchors, scripts, identifiers, formulas once more."""
    for gone in article.select(".headerlink, .eqno, script, button, fieldset, noscript"):
        gone.decompose()
    for link in article.find_all("a"):
        if not str(link.get("href", "")).startswith("https://"):
            link.unwrap()
    for named in article.find_all(id=True):
        if named.name != "svg" and not named.find_parent("svg"):
            del named["id"]


def inside(part: Tag) -> str:
    return part.decode_contents()


def short_table(table: Tag) -> bool:
    return len(table.find_all("tr")) <= ROWS


def shortened(paragraph: Tag, most: int) -> str:
    """The first sentences of a paragraph, as many as have `most` words; never less than one."""
    text, kept = inside(paragraph), ""
    for sentence in re.split(r"(?<=[.:?!])\s+(?=[A-Z<])", text):
        longer = f"{kept} {sentence}".strip()
        whole = BeautifulSoup(kept, "html.parser").decode() == kept  # not cut in the middle of an emphasis
        if kept and whole and len(BeautifulSoup(longer, "html.parser").get_text(" ").split()) > most:
            break
        kept = longer
    return kept


def show(part: Tag) -> str:
    """What a slide shows of a part of the page; empty for what stays in the book."""
    kinds = set(part.get("class", []))
    if kinds & LEFT_OUT:
        return ""
    if "fw-tabs" in kinds:
        return two_frameworks(part)
    if "cell" in kinds:
        return cell(part)
    if "math" in kinds:
        return str(part)
    if part.name == "figure":
        return figure(part)
    if part.name in ("ul", "ol"):
        return str(part) if len(part.get_text(" ").split()) <= 2 * WORDS else ""
    if part.name == "details":
        title = part.summary.get_text(" ", strip=True) if part.summary else ""
        return f'<p class="lead">{html.escape(title)}</p>' if title.startswith("Question") else ""
    table = part if part.name == "table" else part.find("table")
    return str(table) if table and short_table(table) else ""


def figure(part: Tag) -> str:
    """A picture with its caption; of one that can be dragged its picture at rest."""
    picture = part.select_one(".attn-widget img") or part.find("svg", class_="drawn") or part.find("img")
    caption = part.find("figcaption") or "<figcaption></figcaption>"
    return f"<figure>{picture}{caption}</figure>" if picture else ""


def cell(part: Tag) -> str:
    """A cell: its picture or its table alone, else its code, if it is short, with what it printed."""
    if shown := figure(part):
        return shown
    if table := part.find("table"):
        return f"<figure>{table}{part.find('figcaption') or ''}</figure>" if short_table(table) else ""
    source = part.select_one(".cell_input pre")
    if "tag_hide-input" in part.get("class", []) or not source or source.get_text().strip().count("\n") >= LINES:
        return ""
    printed = part.select_one(".cell_output .output.stream pre, .cell_output .output pre")
    output = printed if printed and printed.get_text().count("\n") < LINES // 3 else ""
    return f'<div class="highlight">{source}</div><div class="output">{output}</div>'


def two_frameworks(part: Tag) -> str:
    """Both panels side by side, where both have something that fits."""
    columns = []
    for panel in part.select(".fw-panel"):
        name = panel.select_one(".fw-name")
        cells = panel.find_all("div", class_="cell", recursive=False)
        shown = next((text for one in cells if not set(one["class"]) & LEFT_OUT and (text := cell(one))), "")
        if shown:
            columns.append(f'<div><p class="name">{name.get_text(strip=True)}</p>{shown}</div>')
    return f'<div class="two">{"".join(columns)}</div>' if len(columns) == 2 else ""


def write_slides(root: Path, selected: list[str]) -> list[str]:
    """Write the decks into an empty folder; returns a line for each."""
    out, told, items = root / "_build" / "slides", [], []
    chosen = sources(root, selected)
    pages = [root / "_build" / "html" / "book" / f"{source.stem}.html" for source in chosen]
    if missing := [page for page in pages if not page.exists()]:
        raise ValueError(f"{missing[0].relative_to(root)} is not there: run make book")
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(Path(__file__).with_name("reveal"), out / "assets")
    shutil.copytree(root / "book" / "_static" / "math", out / "assets" / "math")
    shutil.copy(root / "_build" / "html" / "_static" / "pygments.css", out / "assets")
    for page in pages:
        deck = Deck(BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").article)
        text = PAGE.format(title=html.escape(f"{deck.title}: slides"), slides=deck.html())
        (out / page.name).write_text(text, encoding="utf-8")
        items.append(f'<li><a href="{page.name}">{html.escape(deck.title)}</a></li>')
        told.append(f"_build/slides/{page.name}: {sum(map(len, deck.columns))} slides")
    text = INDEX.format(items="\n".join(items), home=publisher(root).home_url, authors=html.escape(authors()))
    (out / "index.html").write_text(text, encoding="utf-8")
    return told


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", metavar="CH")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        print("\n".join(write_slides(options.root, options.chapters or [*CORE])))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
