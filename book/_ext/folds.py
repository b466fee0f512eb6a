"""Checks, the package's source, solutions and the code of figures are folded; exercises say "Your turn".

By the tags of a cell, on pages that have a section "Look it up":

    check      a tick on the frame of the cell right before it, else a line; the cell's first comment is the claim
    package    the first comment as title, then the output alone: the source that the cell shows
    solution   the title "Solution" and nothing of what it says; left out where ATTN_COURSE_SOLUTIONS is "no"
    exercise   a bar "Your turn", no output
    hide-input the figure, and a sign on its frame that opens its code
"""

import html
import re
from functools import cached_property
from pathlib import Path

from docutils import nodes
from html_nodes import EPUB, OTHERS, Html, HtmlLine, nothing, raw
from publisher_settings import publisher
from solutions import HIDDEN
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

LOG = logging.getLogger(__name__)
CARD = "Look it up"
MORE = "More"
CLAIMS = '<p class="claims"><span aria-hidden="true">✓</span> {counted} checked whenever the book is tested.'
CLAIMS += "</p>\n" if EPUB else ' <button type="button" class="claims-all" hidden>Open all</button></p>\n'
READ = (
    '<p class="mark-read" data-page="{page}" hidden><button type="button" aria-pressed="false">'
    'Mark this chapter as read</button> It gets a tick on <a href="intro.html#the-map">the map</a>.</p>'
)
TURN = '<p class="your-turn">Your turn: <a href="{colab}">open in Colab</a>'
TURN += "</p>" if EPUB else ' or <a href="../_sources/{page}.ipynb" download>download</a></p>'
MARKS = {"check": "✓", "both": "✓✓", "package": "{ }", "record": "≡", "more": "+", "solution": "◆", "code": "</>"}
SIGNS = ("check", "both", "code")  # where they can, they cost no line: their title is a name, and shown when open


class Fold(Html):
    """A block that opens on a click; its first child is the line that is shown of a closed one."""


def card_of(document: nodes.document) -> nodes.section | None:
    """What is for those who come back, the last section of a chapter; None on other pages."""
    found = (section for section in document.findall(nodes.section) if section[0].astext().startswith(CARD))
    return next(found, None)


def tags_of(node: nodes.Node) -> set[str]:
    """The tags of a code cell; none for any other node."""
    if not isinstance(node, nodes.container) or "cell" not in node["classes"]:
        return set()
    return {name.removeprefix("tag_") for name in node["classes"] if name.startswith("tag_")}


def part(cell: nodes.Element, name: str) -> nodes.Element | None:
    """The cell's source ("cell_input") or its outputs ("cell_output")."""
    return next((child for child in cell.children if name in child.get("classes", [])), None)


def first_comment(cell: nodes.Element) -> str:
    """The comment in the cell's first line, without its mark; empty where there is none."""
    source = part(cell, "cell_input")
    line = source.astext().lstrip("\n").partition("\n")[0] if source else ""
    return line.lstrip("#").strip() if line.startswith("#") else ""


def words(text: str) -> list[nodes.Node]:
    """Text with `code` in it as nodes."""
    parts = re.split(r"`([^`]+)`", text)
    return [nodes.literal(part, part) if place % 2 else nodes.Text(part) for place, part in enumerate(parts) if part]


LATER = () if EPUB else ("package", "code", "solution")  # made when it is opened (folds.js); without a script at once


def fold(kind: str, title: str, body: list[nodes.Node]) -> Fold:
    if kind in LATER:
        body = [raw("<noscript>"), *body, raw("</noscript>")]
    mark, name, sign = html.escape(MARKS[kind]), html.escape(title.replace("`", "")), kind in SIGNS and not EPUB
    # A sign is drawn by its style: as text it would be a word that the name does not hold.
    drawn = f' data-mark="{mark}">' if sign else f">{mark}"
    named = f' aria-label="{name}" title="{name}"' if sign else ""
    before = f'<summary{named}><span class="fold-mark" aria-hidden="true"{drawn}</span><span>'
    # One box for the words, or inline code would stand in columns.
    heading = HtmlLine("", "", *words(title), before=before, after="</span></summary>\n")
    return Fold("", heading, *body, classes=["fold", f"fold-{kind}"])


class FoldCells(SphinxTransform):
    """Wraps the cells; it runs before they are sorted into tabs."""

    default_priority = 840

    def apply(self, **_) -> None:
        card = card_of(self.document)
        if card is None:
            return
        claims = 0
        for cell in [*self.document.findall(tags_of)]:
            tags = tags_of(cell)
            if "check" in tags:
                claims += "tab-tf" not in tags
                kind = "both" if "both" in tags else "check"
                self._fold(cell, kind, f"Checked: {self._title(cell)}", [*cell.children])
                self._name(cell[0])
            elif "package" in tags:
                self._fold(cell, "package", self._title(cell), [part(cell, "cell_output")])
            elif "record" in tags:
                self._fold(cell, "record", self._title(cell), [part(cell, "cell_output")])
            elif "solution" in tags and HIDDEN:
                cell.parent.remove(cell)
            elif "solution" in tags:
                self._fold(cell, "solution", "Solution", [*cell.children])
            elif "exercise" in tags:
                cell.insert(0, raw(self._turn))
            elif "hide-input" in tags:
                self._below(cell)
        title = next(self.document.findall(nodes.title))
        parts = [node for node in title.parent.children if isinstance(node, nodes.section)]
        self._fold_more(parts)
        self._to_the_top(card, title)
        for section in parts:
            if section[0].astext().startswith("Summary") and not EPUB:
                section += raw(READ.format(page=self.env.docname.rpartition("/")[2]))
        if claims:
            counted = f"{claims} claims on this page are" if claims > 1 else "1 claim on this page is"
            title.parent.insert(title.parent.index(parts[0]), raw(CLAIMS.format(counted=counted)))

    def _to_the_top(self, card: nodes.section, title: nodes.title) -> None:
        """The card, last in the source, is shown as a closed drawer under the title, and is first in the contents."""
        card["classes"].append("look-up")
        heading, body = card[0], card.children[1:]
        bibliography = [node for node in body if "bibliography" in type(node).__name__]
        card.children = [heading]
        inside = [node for node in body if node not in bibliography]
        card += fold("more", "Formula, call, masks, built-in, API", inside)
        card.parent.remove(card)
        title.parent += bibliography
        title.parent.insert(title.parent.index(title) + 1, card)

    def _fold_more(self, parts: list[nodes.section]) -> None:
        """What is for those who build stands after the summary; each of its parts opens on a click."""
        for section in parts:
            if not section[0].astext().startswith(MORE):
                continue
            section["classes"].append("more")
            for inner in [*section.findall(nodes.section)]:
                if inner is section:
                    continue
                title, body = inner[0], inner.children[1:]
                inner.children = [title]
                inner += fold("more", "Show", body)

    def _title(self, cell: nodes.Element) -> str:
        title = first_comment(cell)
        if not title:
            LOG.warning("a cell tagged check or package begins with a comment: its title", location=cell)
        return title

    @cached_property
    def _turn(self):
        page = self.env.docname
        return TURN.format(colab=publisher(Path(self.app.srcdir)).colab_url(f"{page}.ipynb"), page=page)

    def _fold(self, cell: nodes.Element, kind: str, title: str, body: list[nodes.Node]) -> None:
        """The cell stays a cell, so that what looks for cells finds it; what it holds is folded."""
        cell.attributes.pop("hide_mode", None)
        cell.children = []
        cell.append(fold(kind, title, [node for node in body if node is not None]))
        cell["classes"].append("folded")

    def _name(self, check: nodes.Element) -> None:
        """What other pages link to; the same claim in another framework is the same place."""
        name = nodes.make_id(f"check {check[0].astext().removeprefix('Checked: ')}")
        if name not in self.document.ids:
            self.document.ids[name] = check
            check["ids"].append(name)

    def _below(self, cell: nodes.Element) -> None:
        """The code of a figure stands below it."""
        source, output = part(cell, "cell_input"), part(cell, "cell_output")
        if source is None or output is None:
            return
        cell.attributes.pop("hide_mode", None)
        drawn = next(output.findall(lambda node: isinstance(node, nodes.figure | nodes.image)), None)
        title = "Code of this table" if drawn is None else "Code of this figure"
        cell.children = []
        cell += [output, fold("code", title, [source])]


def check_sources(app: Sphinx, document: nodes.document) -> None:
    """A page that cites and has no bibliography would link into the list of another page."""
    pending = document.findall(lambda node: isinstance(node, nodes.Element) and node.get("refdomain") == "cite")
    cites = next(pending, None) is not None
    listed = any(type(node).__name__ == "bibliography" for node in document.findall())
    if cites and not listed:
        LOG.warning("this page cites and has no {bibliography}: end it with one", location=document)


def visit_fold(writer, node):
    writer.body.append(writer.starttag(node, "details"))


def depart_fold(writer, node):
    writer.body.append("</details>\n")


def setup(app: Sphinx):
    app.setup_extension("html_nodes")
    app.add_node(Fold, html=(visit_fold, depart_fold), **dict.fromkeys(OTHERS, (nothing, nothing)))
    app.add_transform(FoldCells)
    app.connect("doctree-read", check_sources)
    if not EPUB:
        app.add_js_file("folds.js", loading_method="defer")
    app.add_css_file("folds.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
