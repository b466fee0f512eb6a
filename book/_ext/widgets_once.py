"""The code of the interactive figures once per page, from a file that only pages with such a figure load.

In a notebook each output carries the code of its figure, because Colab shows every output in a frame of its own. On
the site these copies are taken out of the page. The file holds the package's present code, so that no page runs an
older one than the style sheets around it expect.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from attn_course.plots.explore import MARK, code

FILE = "attn_widgets.js"
COPY = re.compile(rf"\s*<script {MARK}>.*?</script>", re.DOTALL)


def write_file(app: Sphinx) -> None:
    """Before any page is written: Sphinx puts a checksum of the file into each address."""
    if app.builder.format == "html":
        folder = Path(app.outdir, "_static")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_text(code(), encoding="utf-8")


def take_copies_out(app: Sphinx, doctree: nodes.document, _page: str) -> None:
    for node in doctree.findall(nodes.raw):
        if "html" in node.get("format", "") and MARK in node.astext():
            node.children = [nodes.Text(COPY.sub("", node.astext()))]
            doctree["attn_widgets"] = True


def load_file(app: Sphinx, _page: str, _template: str, _context: dict, doctree: nodes.document | None) -> None:
    if doctree is not None and doctree.get("attn_widgets"):
        app.add_js_file(FILE, loading_method="defer")


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", write_file)
    app.connect("doctree-resolved", take_copies_out)
    app.connect("html-page-context", load_file)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
