"""Nodes whose children stand between two pieces of HTML, `before` and `after`; elsewhere the children stand alone."""

import os

from docutils import nodes
from sphinx.application import Sphinx

EPUB = os.environ.get("ATTN_COURSE_BUILDER") == "epub"  # an e-book has no scripts and no buttons
OTHERS = ("latex", "text", "man", "texinfo")


class Html(nodes.General, nodes.Element):
    """Blocks between two pieces of HTML."""


class HtmlLine(nodes.General, nodes.TextElement):
    """Words between two pieces of HTML."""


def raw(text: str) -> nodes.raw:
    """HTML without children."""
    return nodes.raw("", text, format="html")


def visit(writer, node):
    writer.body.append(node["before"])


def depart(writer, node):
    writer.body.append(node["after"])


def nothing(writer, node):
    """The children alone."""


def setup(app: Sphinx):
    for kind in (Html, HtmlLine):
        app.add_node(kind, html=(visit, depart), **dict.fromkeys(OTHERS, (nothing, nothing)))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
