"""Formulas and figures where no script runs: MathML, pictures at rest, markup that XML takes.

In the e-book (ATTN_COURSE_BUILDER is "epub") formulas are MathML. On the site MathJax draws them; a `noscript` element
within each formula, which MathJax passes over, holds the same as MathML for browsers without JavaScript.
"""

from __future__ import annotations

import html
import os
import re
from functools import cache
from urllib.parse import unquote

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)
# What latex2mathml writes in another way.
SPELLINGS = (
    (r"\\(begin|end)\{aligned\}", r"\\\1{align*}"),
    (r"\\arg\b", r"\\operatorname{arg}"),
    (r"\\[dt]frac\b", r"\\frac"),
    (r"\\!", ""),
)
_STATIC = re.compile(r'<img alt="([^"]*)" src="data:image/svg\+xml,([^"]*)"')


@cache
def mathml(text: str, display: str) -> str:
    """A formula in TeX as MathML. Raises what the converter raises for a command that it does not know."""
    from latex2mathml.converter import convert

    for pattern, replacement in SPELLINGS:
        text = re.sub(pattern, replacement, text)
    return convert(text, display=display)


def in_lines(text: str) -> str:
    """A formula of several lines within its environment, as MathJax is given it; one that has its own stays."""
    bare, before = text, ""
    while bare != before:  # what stands in environments, the inner ones first
        before, bare = bare, re.sub(r"\\begin\{(\w+\*?)\}(?:(?!\\begin\{).)*?\\end\{\1\}", "", bare, flags=re.DOTALL)
    return rf"\begin{{aligned}} {text} \end{{aligned}}" if "&" in bare or "\\\\" in bare else text


def visit_inline(writer, node) -> None:
    writer.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def block(text: str) -> str:
    return mathml(re.sub(r"\\label\{[^}]*\}", "", in_lines(text)), "block")


def visit_block(writer, node) -> None:
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    identity = f' id="{node["ids"][0]}"' if node["ids"] else ""
    writer.body.append(f'<div class="math"{identity}>{block(node.astext())}{number}</div>\n')
    raise nodes.SkipNode


def beside(drawn, convert):
    """The renderer `drawn` with MathML for browsers without JavaScript before its closing tag."""

    def visit(writer, node) -> None:
        try:
            drawn(writer, node)
        except nodes.SkipNode:
            try:
                still = convert(node.astext()).replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
            except Exception as error:  # each of the converter's own kinds
                LOG.warning("no MathML for this formula (%s: %s)", type(error).__name__, error, location=node)
                raise
            inner, tag, end = writer.body.pop().rpartition("</")
            writer.body.append(f"{inner}<noscript>{still}</noscript>{tag}{end}")
            raise

    return visit


def at_rest(text: str) -> str:
    """HTML that a cell wrote, as an e-book shows it: the picture of what can be dragged, and no script."""
    if found := _STATIC.search(text):
        svg = unquote(html.unescape(found[2]))
        svg = re.sub(r"var\(--[\w-]+,\s*([^)]+)\)", r"\1", svg)
        return f'<div role="img" aria-label="{html.escape(html.unescape(found[1]))}">{svg}</div>'
    if "<svg" in text:
        return text
    made = BeautifulSoup(text, "html.parser")
    for gone in made.find_all(["script", "style", "button"]):
        gone.decompose()
    return made.decode(formatter="minimal")


def for_xml(app: Sphinx, doctree: nodes.document, _page: str) -> None:
    for node in doctree.findall(nodes.raw):
        if "html" in node.get("format", ""):
            node.children = [nodes.Text(at_rest(node.astext()))]


def add_to_mathjax(app: Sphinx) -> None:
    kinds = (
        (app.registry.html_inline_math_renderers, lambda text: mathml(text, "inline")),
        (app.registry.html_block_math_renderers, block),
    )
    for renderers, convert in kinds:
        drawn, depart = renderers["mathjax"]
        renderers["mathjax"] = (beside(drawn, convert), depart)


def setup(app: Sphinx) -> dict:
    if os.environ.get("ATTN_COURSE_BUILDER") == "epub":
        app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
        app.connect("config-inited", lambda _, config: config.__setattr__("html_math_renderer", "mathml"))
        app.connect("doctree-resolved", for_xml, priority=900)
    else:
        app.connect("builder-inited", add_to_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
