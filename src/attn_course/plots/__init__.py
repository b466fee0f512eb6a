"""Figures of the chapters: weights as a grid, lines, and diagrams of data flow."""

import matplotlib.pyplot as plt

from attn_course.plots.diagrams import diagram
from attn_course.plots.style import STYLE

__all__ = ["attention_map", "diagram", "lines"]


def attention_map(weights, source, target, *, title=""):
    """Weights (T, S) as a grid, a row for every output; dark is 1."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(
            figsize=(0.26 * len(source) + 1, 0.26 * len(target) + 1),
            layout="constrained",
        )
        axes.imshow(weights, cmap="Blues", vmin=0, vmax=1, aspect="equal")
        axes.set_xticks(range(len(source)), list(source))
        axes.set_yticks(range(len(target)), list(target))
        axes.set(xlabel="source, read", ylabel="target, written", title=title)
        axes.tick_params(length=0)
    plt.show()
    return figure


def lines(x, named, *, xlabel, ylabel, ylim=None):
    """One line a name over the same x; the name stands in the legend."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
        for (name, y), marker in zip(named.items(), "osD^v<>", strict=False):
            axes.plot(x, y, marker=marker, label=name)
        axes.set(xlabel=xlabel, ylabel=ylabel, ylim=ylim)
        axes.legend(frameon=False)
    plt.show()
    return figure
