"""How figures look, and how one becomes SVG, in a type that a phone can show."""

import base64
import io
import re
from contextlib import contextmanager

import matplotlib.pyplot as plt
from PIL import Image

from attn_course.course.plots.colors import ACCENT, GREY, INK, PAPER, SERIES

__all__ = [
    "ACCENT",
    "GREY",
    "INK",
    "PAPER",
    "SERIES",
    "STYLE",
    "Picture",
    "drawing",
    "picture",
]

STYLE = {
    "font.size": 13,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "text.color": GREY,
    "axes.labelcolor": GREY,
    "axes.edgecolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
DRAWN = {
    **STYLE,
    "font.size": 12,
    "axes.prop_cycle": plt.cycler(color=SERIES),
    "svg.fonttype": "none",  # text stays text: smaller, and read by a search
    "svg.hashsalt": "attn_course",
    "figure.figsize": (5.4, 3.2),
    "figure.constrained_layout.use": True,
}
_PNG = re.compile(r"data:image/png;base64,([^\"]+)")
_WIDE = 5.4  # inches: 12 points are read on a phone then


class Picture:
    """A figure as SVG: the last line of a cell shows it."""

    def __init__(self, svg):
        self.svg = svg

    def __repr__(self):
        return "Picture"

    def _repr_svg_(self):
        return self.svg


def picture(figure, *, photographs=False):
    """A matplotlib figure as a ``Picture``, the same bytes every time; closes it.

    photographs: what is no line in it is one, and takes a quarter of the bytes.
    """
    out = io.StringIO()
    metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with plt.rc_context(DRAWN):
        figure.savefig(out, format="svg", bbox_inches="tight", metadata=metadata)
    plt.close(figure)
    svg = _alone(out.getvalue())
    return Picture(_PNG.sub(_as_webp, svg) if photographs else svg)


def _as_webp(png):
    out = io.BytesIO()
    photograph = Image.open(io.BytesIO(base64.b64decode(png[1])))
    photograph.save(out, "webp", quality=85)
    return "data:image/webp;base64," + base64.b64encode(out.getvalue()).decode()


@contextmanager
def drawing(width=_WIDE, height=3.2, **options):
    """New axes in the book's style; yields (figure, axes), for ``picture``."""
    with plt.rc_context(DRAWN), plt.ioff():
        yield plt.subplots(figsize=(width, height), **options)


def _alone(svg):
    """The SVG without head and comments, its style in the root instead of for all."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", svg, flags=re.DOTALL)
    style = "stroke-linejoin: round; stroke-linecap: butt"
    return svg.replace("<svg ", f'<svg style="{style}" ', 1)
