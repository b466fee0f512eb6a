"""The code of the interactive figures once per page, from a file with just the kinds that the page shows.

In a notebook each output carries the code of its figure, because Colab shows every output in a frame of its own. On
the site these copies are taken out of the page. The file is made from the package's present code, so that no page runs
an older one than its pictures and styles expect.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from attn_course.course.plots.explore import MARK, code
from attn_course.course.plots.live import MODELS, script

COPY = re.compile(rf"\s*<script {MARK}>.*?</script>", re.DOTALL)
KIND = re.compile(r'<div class="attn-widget" data-kind="(\w+)"')


def take_copies_out(app: Sphinx, doctree: nodes.document, page: str) -> None:
    kinds, heights = set(), heights_of(app, page)
    for node in doctree.findall(nodes.raw):
        if "html" in node.get("format", "") and KIND.search(node.astext()):
            text = COPY.sub("", node.astext())
            kinds.update(KIND.findall(text))
            if heights:
                wide, narrow = heights.pop(0)
                kept = f'<div class="attn-widget" style="--wide: {wide}px; --narrow: {narrow}px"'
                text = text.replace('<div class="attn-widget"', kept, 1)
            node.children = [nodes.Text(text)]
    if kinds:
        doctree["attn_widgets"] = sorted(kinds)


def heights_of(app: Sphinx, page: str) -> list[list[int]]:
    """Of a page's figures in their order, as `make screenshots` measured them; none where it did not."""
    path = Path(app.srcdir, "book", "heights.json")
    return json.loads(path.read_text(encoding="utf-8")).get(Path(page).name, []) if path.exists() else []


def load_file(app: Sphinx, _page: str, _template: str, _context: dict, doctree: nodes.document | None) -> None:
    kinds = [] if doctree is None else doctree.get("attn_widgets", [])
    if not kinds or app.builder.format != "html":
        return
    name = f"attn_widgets-{'-'.join(kinds)}.js"
    folder = Path(app.outdir, "_static")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(code(*kinds), encoding="utf-8")  # before Sphinx asks for its checksum
    app.add_js_file(name, loading_method="defer")
    for kind in MODELS.keys() & set(kinds):
        name, text = script(kind)
        (folder / "live").mkdir(exist_ok=True)
        (folder / "live" / name).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict:
    app.connect("doctree-resolved", take_copies_out)
    app.connect("html-page-context", load_file)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
