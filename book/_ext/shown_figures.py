"""`:::{shown-figure} 02_bahdanau live_dates` shows a chapter's interactive figure as a picture that leads to it.

The picture is the one in the executed notebook, of the first cell that calls the function, so there is no second copy.
The text below the first line is the caption; `:to: fig-live-dates` is the figure's name;
`:part: 0 426 378 200` shows a part of the picture: left, top, width and height.
"""

import html
import json
import re
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_PICTURE = re.compile(r'<div class="attn-widget"[^>]*>(<img alt="([^"]*)" src="(data:image/svg\+xml,[^"]*)"[^>]*>)')


def picture(notebook: Path, call: str) -> tuple[str, str]:
    """(alt, src) of the static picture of the first figure that is drawn by this function or variable."""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if f"{call}(" not in "".join(cell["source"]) and f"({call}," not in "".join(cell["source"]):
            continue
        for output in cell.get("outputs", []):
            if found := _PICTURE.search("".join(output.get("data", {}).get("text/html", []))):
                return html.unescape(found[2]), found[3]
    raise ValueError(f"{notebook.name} has no figure that {call!r} draws")


class ShownFigure(SphinxDirective):
    required_arguments = 2
    has_content = True
    option_spec: ClassVar = {"to": directives.unchanged_required, "part": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        page, call = self.arguments
        notebook = Path(self.env.srcdir) / "book" / f"{page}.ipynb"
        self.env.note_dependency(str(notebook))
        try:
            alt, source = picture(notebook, call)
        except (OSError, ValueError) as error:
            raise self.error(str(error)) from error
        if part := self.options.get("part"):
            *_, width, height = part.split()
            size = f"width='{width}' height='{height}' viewBox='{part}'"
            source = re.sub(r"width='[\d.]+' height='[\d.]+' viewBox='[^']*'", size, source, count=1)
        there = self.env.app.builder.get_relative_uri(self.env.docname, f"book/{page}")
        link = f'<a href="{there}#{self.options["to"]}"><img alt="{html.escape(alt)}" src="{source}" /></a>'
        caption = nodes.container(classes=["shown-caption"])
        self.state.nested_parse(self.content, self.content_offset, caption)
        figure = nodes.container(classes=["shown-figure"])
        figure += [nodes.raw("", link, format="html"), caption]
        return [figure]


def setup(app: Sphinx):
    app.add_directive("shown-figure", ShownFigure)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
