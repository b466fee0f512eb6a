"""Grids of cells: attention over an image, and numbers of both signs."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from attn_course.course.plots.style import ACCENT, STYLE, picture

VEIL = 0.85  # how dark a place is that has no weight
# Blue below 0, brown above, transparent at 0: the middle is a light page's white and a
# dark page's black.
SIGNS = LinearSegmentedColormap.from_list(
    "signs", [(0.12, 0.42, 0.75, 1), (0.5, 0.5, 0.5, 0), ACCENT]
)


def image_attention(
    image, weights, grid, asking, *, columns=2, names=None, original=False
):
    """The image once for every asking cell, veiled where its weights are small.

    image: (height, width) or (height, width, 3). grid: rows and columns of cells.
    weights: (cells, cells), as ``FeatureMapAttention`` gives them for one image.
    asking: (row, column) of the cells that ask; each has a frame in its panel. names:
    a title for each. original: the image without a veil comes first, with all frames.
    """
    height, width = grid
    framed = [[cell] for cell in asking]
    titles = list(names or [""] * len(asking))
    if original:
        framed, titles = [list(asking), *framed], ["", *titles]
    lines = -(-len(framed) // columns)
    size = (2.9 * columns, 2.9 * lines * height / width)
    with plt.rc_context(STYLE), plt.ioff():
        options = {"figsize": size, "layout": "constrained", "squeeze": False}
        figure, axes = plt.subplots(lines, columns, **options)
        for panel in axes.flat:
            panel.axis("off")
        where = {"extent": (0, width, height, 0), "interpolation": "nearest"}
        for panel, cells, title in zip(axes.flat, framed, titles, strict=False):
            panel.imshow(image, cmap="gray", **where)
            panel.set_title(title, fontsize=12)
            for row, column in cells:
                frame = {"fill": False, "color": ACCENT, "lw": 3}
                panel.add_patch(Rectangle((column, row), 1, 1, **frame))
            if original and panel is axes.flat[0]:
                continue
            looks = weights[row * width + column].reshape(grid)
            veil = VEIL * (1 - looks / looks.max())
            panel.imshow(np.zeros(grid), cmap="gray", alpha=veil, **where)
    return picture(figure, photographs=np.ndim(image) == 3)


def signed_map(values, *, xlabel, ylabel):
    """Values (rows, columns) as a grid; the colours span plus and minus the largest."""
    most = abs(values).max()
    with plt.rc_context(STYLE), plt.ioff():
        figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
        options = {"cmap": SIGNS, "vmin": -most, "vmax": most, "aspect": "auto"}
        drawn = axes.imshow(values, interpolation="nearest", **options)
        axes.set(xlabel=xlabel, ylabel=ylabel)
        figure.colorbar(drawn)
    return picture(figure)
