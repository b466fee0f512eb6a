"""Diagrams of data flow: boxes on a grid, and arrows from box to box."""

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

from attn_course.course.plots.style import ACCENT, GREY, STYLE, picture

# Width and height of a box; the columns and rows of the grid are 1 apart.
SIZE = (0.72, 0.56)
LETTER = 0.15  # what a letter of a word takes of a column


def diagram(boxes, arrows, *, accent=(), notes=None, width=5.6):
    """Draw what flows where.

    boxes: name -> (column, row, text); rows count downwards.
    arrows: (from, to), or (from, to, weight): a weight of 0 to 1 sets the thickness.
    accent: names of boxes that stand out, with the arrows that leave them.
    notes: text -> (column, row), without a box.
    width: of the figure, in inches; the height follows from the grid.

    Raises:
        ValueError: an arrow begins or ends at a box that is not there.
    """
    for name in (name for arrow in arrows for name in arrow[:2]):
        if name not in boxes:
            raise ValueError(f"an arrow names {name!r}; there are {', '.join(boxes)}")
    sides = [
        (x - _width(text) / 2, x + _width(text) / 2) for x, _, text in boxes.values()
    ]
    sides += [(x - 0.36, x + 0.36) for x, _ in (notes or {}).values()]
    left, right = min(side[0] for side in sides), max(side[1] for side in sides)
    rows = [place[1] for place in (*boxes.values(), *(notes or {}).values())]
    top, bottom = min(rows), max(rows)
    height = width * (bottom - top + 0.6) / (right - left + 0.28)
    with plt.rc_context(STYLE), plt.ioff():
        figure, axes = plt.subplots(figsize=(width, height), layout="constrained")
        axes.set(xlim=(left - 0.14, right + 0.14), ylim=(bottom + 0.3, top - 0.3))
        axes.axis("off")
        drawn = {
            name: _box(axes, *place, ACCENT if name in accent else GREY)
            for name, place in boxes.items()
        }
        for start, end, *weight in arrows:
            color = ACCENT if start in accent else GREY
            _arrow(axes, drawn[start], drawn[end], color, *weight)
        for text, (x, y) in (notes or {}).items():
            axes.text(x, y, text, ha="center", va="center", fontsize=14)
    return picture(figure)


def _box(axes, x, y, text, color):
    width, height = _width(text), SIZE[1]
    corner = (x - width / 2, y - height / 2)
    style = "round,pad=0,rounding_size=0.12"
    box = FancyBboxPatch(
        corner, width, height, style, facecolor="none", edgecolor=color, linewidth=1.6
    )
    axes.add_patch(box)
    axes.text(x, y, text, ha="center", va="center", fontsize=17, color=color)
    return box


def _width(text):
    """The width of a box; a formula is short, however it is spelled."""
    return SIZE[0] if "$" in text else max(SIZE[0], LETTER * (len(text) + 1))


def _arrow(axes, start, end, color, weight=0.2):
    look = {"arrowstyle": "-|>", "color": color, "linewidth": 0.4 + 5 * weight}
    ends = {"patchA": start, "patchB": end, "shrinkA": 2, "shrinkB": 2}
    places = [_center(box) for box in (end, start)]
    axes.annotate("", *places, arrowprops={**look, **ends})


def _center(box):
    return box.get_x() + box.get_width() / 2, box.get_y() + box.get_height() / 2
