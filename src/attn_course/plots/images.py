"""Attention over an image: what is looked at stays bright."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from attn_course.plots.style import ACCENT, STYLE, picture

VEIL = 0.85  # how dark a place is that has no weight


def image_attention(image, weights, grid, asking, *, columns=2):
    """The image once for every asking cell, veiled where its weights are small.

    image: (height, width) or (height, width, 3). grid: rows and columns of cells.
    weights: (cells, cells), as ``FeatureMapAttention`` gives them for one image.
    asking: (row, column) of the cells that ask; each has a frame in its panel.
    """
    height, width = grid
    lines = -(-len(asking) // columns)
    size = (2.9 * columns, 2.9 * lines * height / width)
    with plt.rc_context(STYLE), plt.ioff():
        options = {"figsize": size, "layout": "constrained", "squeeze": False}
        figure, axes = plt.subplots(lines, columns, **options)
        for panel in axes.flat:
            panel.axis("off")
        for panel, (row, column) in zip(axes.flat, asking, strict=False):
            looks = weights[row * width + column].reshape(grid)
            where = {"extent": (0, width, height, 0), "interpolation": "nearest"}
            panel.imshow(image, cmap="gray", **where)
            veil = VEIL * (1 - looks / looks.max())
            panel.imshow(np.zeros(grid), cmap="gray", alpha=veil, **where)
            frame = Rectangle((column, row), 1, 1, fill=False, color=ACCENT, lw=3)
            panel.add_patch(frame)
    return picture(figure)
