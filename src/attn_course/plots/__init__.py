"""Figures of the chapters: weights as a grid or over an image, lines, diagrams."""

import matplotlib.pyplot as plt
import numpy as np

from attn_course.plots.diagrams import diagram
from attn_course.plots.heads import head_grid
from attn_course.plots.images import image_attention
from attn_course.plots.style import STYLE
from attn_course.plots.waves import signed_map

__all__ = [
    "attention_map",
    "diagram",
    "head_grid",
    "image_attention",
    "lines",
    "signed_map",
]


def attention_map(
    weights, source, target, *, xlabel="source, read", ylabel="target, written"
):
    """Weights (T, S) as a grid, a row for every target; dark is 1.

    A small grid (at most 24 cells) has the numbers in its cells.
    """
    numbers = weights.size <= 24
    longest = max(map(len, source))
    width = max(0.26, 0.145 * longest + 0.1, 0.6 if numbers else 0)  # inches a column
    height = 0.45 if numbers else 0.26
    size = (width * len(source) + 1, height * len(target) + 1)
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=size, layout="constrained")
        axes.imshow(weights, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axes.set_xticks(range(len(source)), list(source))
        axes.set_yticks(range(len(target)), list(target))
        axes.set(xlabel=xlabel, ylabel=ylabel)
        axes.tick_params(length=0)
        for (row, column), weight in np.ndenumerate(weights) if numbers else ():
            color = "white" if weight > 0.5 else "black"
            axes.text(
                column, row, f"{weight:.2f}", ha="center", va="center", color=color
            )
    plt.show()
    return figure


def lines(x, named, *, xlabel, ylabel, ylim=None):
    """One line a name over the same x; the names stand beside the axes."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
        for (name, y), marker in zip(named.items(), "osD^v<>", strict=False):
            axes.plot(x, y, marker=marker, label=name)
        axes.set(xlabel=xlabel, ylabel=ylabel, ylim=ylim, xticks=x)
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    plt.show()
    return figure
