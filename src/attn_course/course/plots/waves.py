"""Numbers of both signs as a grid: blue below 0, brown above, the page at 0."""

import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap

from attn_course.course.plots.style import ACCENT, STYLE, picture

# Transparent at 0, so that the middle is a light page's white and a dark page's black.
SIGNS = LinearSegmentedColormap.from_list(
    "signs", [(0.12, 0.42, 0.75, 1), (0.5, 0.5, 0.5, 0), ACCENT]
)


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
