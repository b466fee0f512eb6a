"""Reference pages that are made of tables: their lines are filled in before a page is read.

    {shown}`13_mqa_gqa#Where it breaks`

links to the section of a page whose heading begins with these words, and names the chapter and the section; with
`#` and the first words of a claim behind it, to the check whose claim begins so. What is not there is a warning, and so
an error of the build.
"""

import re
import sys
from pathlib import Path

from docutils import nodes
from folds import Fold
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from misconceptions import with_entries
from phrasebook import with_phrases
from status import with_tables

LOG = logging.getLogger(__name__)


class ShownNode(nodes.Inline, nodes.TextElement):
    """A link that is made when all pages are read."""


class Shown(SphinxRole):
    def run(self):
        page, words, *claim = self.text.split("#")
        return [ShownNode(page=page, words=words, claim="".join(claim), line=self.lineno)], []


def put_entries(app, docname, source):
    """Before a page is read."""
    source[0] = with_tables(with_phrases(with_entries(source[0])))


def section_of(doctree, words):
    """The section whose heading begins so; None without one."""
    for section in doctree.findall(nodes.section):
        if section[0].astext().replace("’", "'").startswith(words):  # the builder bends apostrophes
            return section
    return None


def check_of(section, claim):
    """The first check of a section whose claim begins so; None without one."""
    for fold in section.findall(Fold):
        if fold["ids"] and fold[0].astext().replace("’", "'").startswith(f"Checked: {claim}".replace("`", "")):
            return fold
    return None


def link(app, doctree, docname):
    """Every link of a page, with the chapter's number and the heading as its text."""
    doctrees = {}
    for node in [*doctree.findall(ShownNode)]:
        page = f"book/{node['page']}"
        if page not in doctrees:
            doctrees[page] = app.env.get_doctree(page) if page in app.env.found_docs else None
        tree = doctrees[page]
        section = None if tree is None else section_of(tree, node["words"])
        if section is None:
            LOG.warning("%s has no section %r", page, node["words"], location=docname)
            node.replace_self(nodes.Text(node["words"]))
            continue
        if node["claim"]:
            if (check := check_of(section, node["claim"])) is None:
                LOG.warning("%s has no check %r", page, node["claim"], location=docname)
                continue
            address = f"{app.builder.get_relative_uri(docname, page)}#{check['ids'][0]}"
            said = check[0].astext().removeprefix("Checked: ")
            node.replace_self(nodes.reference("", "", nodes.Text(f"“{said}”"), refuri=address, internal=True))
            continue
        number = re.match(r"\d+", node["page"])
        chapter = f"chapter {int(number[0])}" if number else next(tree.findall(nodes.title)).astext()
        heading = section[0].deepcopy()
        address = f"{app.builder.get_relative_uri(docname, page)}#{section['ids'][0]}"
        text = [nodes.Text(f"{chapter}: "), *heading.children]
        node.replace_self(nodes.reference("", "", *text, refuri=address, internal=True))


def setup(app):
    app.add_role("shown", Shown())
    app.connect("source-read", put_entries)
    app.connect("doctree-resolved", link)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
