"""Figures that a cell drew as SVG stand in the page itself, so that they follow its light or dark colors.

`attn_course.course.plots.style` draws with six colors; each becomes a variable that `_static/figures.css` sets.
"""

import html
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

# As attn_course.course.plots.style has them; a test compares. The book is built without the package's parts imported.
COLORS = {"ink": "#7a7a7a", "paper": "#fdfdfc", "1": "#bf5c18", "2": "#3574b8", "3": "#3d8050", "4": "#8a58ae"}
_HEAD = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)


def themed(svg: str, alt: str, prefix: str) -> str:
    """The SVG as a part of an HTML page: own ids, the alt text, colors as variables."""
    svg = _HEAD.sub("", svg).strip()
    own = {*re.findall(r'\bid="([^"]+)"', svg)}
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}\1)", svg)

    def reference(match: re.Match) -> str:
        """To a part of the figure, or to a place on the page."""
        return f'{match[1]}="#{prefix if match[2] in own else ""}{match[2]}"'

    svg = re.sub(r'(xlink:href|href)="#([^"]+)"( target="_blank")?', reference, svg)
    for name, color in COLORS.items():
        svg = re.sub(re.escape(color), f"var(--fig-{name}, {color})", svg, flags=re.IGNORECASE)
    label = html.escape(alt, quote=True)
    role = "group" if "<a " in svg else "img"  # what is in a picture can't be reached by keyboard
    return svg.replace("<svg", f'<svg class="drawn" role="{role}" aria-label="{label}"', 1)


class InlineFigures(SphinxTransform):
    """Replaces the image of a cell's SVG by the SVG."""

    default_priority = 845

    def apply(self, **_) -> None:
        for number, image in enumerate([*self.document.findall(nodes.image)], start=1):
            if image.parent.get("mime_type") != "image/svg+xml":
                continue
            _, path = self.env.relfn2path(image["uri"], self.env.docname)
            svg = Path(path).read_text(encoding="utf-8")
            text = themed(svg, image.get("alt", ""), f"fig{number}-")
            text = re.sub(r'xlink:href="(\w+)\.html"( target="_blank")?', self.page, text)
            image.replace_self(nodes.raw("", text, format="html", classes=["drawn"]))

    def page(self, match: re.Match) -> str:
        """The address of a chapter that a figure leads to; an e-book's files end otherwise."""
        name = self.env.docname.rpartition("/")[0] + "/" + match[1]
        address = self.app.builder.get_relative_uri(self.env.docname, name)
        return f'xlink:href="{address}"'


def setup(app: Sphinx):
    app.add_transform(InlineFigures)
    app.add_css_file("figures.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
