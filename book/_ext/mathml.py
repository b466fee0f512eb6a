"""Formulas as MathML, which browsers draw themselves, with a script or without; an e-book's figures and markup at rest.

The site's font for them is `_static/math`. Who prefers MathJax chooses it on the page "Accessibility"
(`_static/course.js`): it reads MathML too. In the e-book (ATTN_COURSE_BUILDER is "epub") markup is XML.
"""

import html
import re
from functools import cache
from urllib.parse import unquote

from bs4 import BeautifulSoup
from docutils import nodes
from html_nodes import EPUB
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)
_STATIC = re.compile(r'<img alt="([^"]*)" src="data:image/svg\+xml,([^"]*)"')


@cache
def mathml(text: str, block: bool) -> str:
    """A formula in TeX as MathML; in lines, as Sphinx gives it to MathJax. Raises LatexError for an unknown command."""
    text = re.sub(r"\\label\{[^}]*\}", "", text)
    text = re.sub(r"\\\\\[[-.\w]+\]", r"\\\\", text)  # a line's own distance, which the converter would print
    if block and ("&" in text or "\\\\" in text):
        text = rf"\begin{{aligned}} {text} \end{{aligned}}"
    made = LatexToMathML(xml_namespace=True).convert_with_local_state(text, displaystyle=block)
    return re.sub("&(ApplyFunction|InvisibleTimes);", lambda name: html.unescape(name[0]), made)  # XML lacks these


def drawn(node: nodes.Element, block: bool) -> str:
    """A formula as MathML for this kind of output; as TeX, with a warning, where a command is not known."""
    try:
        made = mathml(node.astext(), block)
    except LatexError as error:
        LOG.warning("no MathML for this formula (%s)", error, location=node)
        return html.escape(node.astext())
    return made if EPUB else made.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")


def visit_inline(writer, node) -> None:
    writer.body.append(f'<span class="math">{drawn(node, block=False)}</span>')
    raise nodes.SkipNode


def visit_block(writer, node) -> None:
    writer.body.append(writer.starttag(node, "div", "", CLASS="math"))
    if node.get("number"):
        writer.body.append(f'<span class="eqno">({node["number"]})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append(f"{drawn(node, block=True)}</div>\n")
    raise nodes.SkipNode


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


def glue(app: Sphinx, doctree: nodes.document, _page: str) -> None:
    """A formula with the comma behind it in one box (course.css): browsers would break the line between them."""
    for formula in [*doctree.findall(nodes.math)]:
        after = formula.next_node(descend=False, siblings=True)
        if isinstance(after, nodes.Text) and (signs := re.match(r"[,.;:?!)]+", after)):
            box = nodes.inline("", "", formula.deepcopy(), nodes.Text(signs[0]), classes=["glued"])
            place = formula.parent.index(formula)
            formula.parent[place : place + 2] = [box, nodes.Text(after[signs.end() :])]


def setup(app: Sphinx) -> dict:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("config-inited", lambda _, config: config.__setattr__("html_math_renderer", "mathml"))
    app.connect("doctree-resolved", glue)
    if EPUB:
        app.connect("doctree-resolved", for_xml, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
