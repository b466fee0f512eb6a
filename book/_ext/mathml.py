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
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)
_STATIC = re.compile(r'<img alt="([^"]*)" src="data:image/svg\+xml,([^"]*)"')


@cache
def mathml(text: str, block: bool) -> str:
    """A formula in TeX as MathML; in lines, as Sphinx gives it to MathJax. Raises LatexError for an unknown command."""
    text = re.sub(r"\\label\{[^}]*\}", "", text)
    if block and ("&" in text or "\\\\" in text):
        text = rf"\begin{{aligned}} {text} \end{{aligned}}"
    made = LatexToMathML(xml_namespace=True).convert_with_local_state(text, displaystyle=block)
    return re.sub("&(ApplyFunction|InvisibleTimes);", lambda name: html.unescape(name[0]), made)  # XML lacks these


def visit_inline(writer, node) -> None:
    writer.body.append(mathml(node.astext(), block=False))
    raise nodes.SkipNode


def visit_block(writer, node) -> None:
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    identity = f' id="{node["ids"][0]}"' if node["ids"] else ""
    writer.body.append(f'<div class="math"{identity}>{mathml(node.astext(), block=True)}{number}</div>\n')
    raise nodes.SkipNode


def beside(drawn, block: bool):
    """The renderer `drawn` with MathML for browsers without JavaScript before its closing tag."""

    def visit(writer, node) -> None:
        try:
            drawn(writer, node)
        except nodes.SkipNode:
            try:
                still = mathml(node.astext(), block).replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
            except LatexError as error:
                LOG.warning("no MathML for this formula (%s)", error, location=node)
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
    for renderers, block in (
        (app.registry.html_inline_math_renderers, False),
        (app.registry.html_block_math_renderers, True),
    ):
        drawn, depart = renderers["mathjax"]
        renderers["mathjax"] = (beside(drawn, block), depart)


def setup(app: Sphinx) -> dict:
    if os.environ.get("ATTN_COURSE_BUILDER") == "epub":
        app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
        app.connect("config-inited", lambda _, config: config.__setattr__("html_math_renderer", "mathml"))
        app.connect("doctree-resolved", for_xml, priority=900)
    else:
        app.connect("builder-inited", add_to_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
