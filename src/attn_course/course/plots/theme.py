"""Figures of the chapters as SVG that follows a light or a dark page.

Each function returns a ``Picture``: make the call a cell's last line.
"""

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from attn_course.course.plots import style
from attn_course.course.plots.diagrams import diagram
from attn_course.course.plots.images import image_attention, signed_map
from attn_course.course.plots.style import (
    ACCENT,
    INK,
    SERIES,
    Picture,
    drawing,
    picture,
)

__all__ = [
    "Picture",
    "bars",
    "diagram",
    "drawing",
    "head_grid",
    "image_attention",
    "lines",
    "picture",
    "say_powers",
    "signed_map",
    "weight_map",
]


def lines(
    x,
    named,
    *,
    xlabel,
    ylabel,
    ylim=None,
    spread=None,
    marked=None,
    title="",
    powers="",
    ticks=None,
):
    """One line per name over the same x; each line's name stands at its end.

    spread: {name: (lowest, highest)}, drawn as a band: the range over the seeds.
    marked: {name: y}, drawn as hollow circles: a run of another framework.
    ticks: the numbers on the x axis; None: matplotlib chooses.
    powers: "x", "y" or "xy", the axes on which every doubling takes the same space.
    """
    if "x" in powers:
        x = np.log2(x)
    if "y" in powers:
        named = {name: np.log2(y) for name, y in named.items()}
        spread = {name: np.log2(ends) for name, ends in (spread or {}).items()}
        marked = {name: np.log2(y) for name, y in (marked or {}).items()}
    with drawing() as (figure, axes):
        for (name, y), color in zip(named.items(), _colors(len(named)), strict=True):
            axes.plot(x, y, color=color, linewidth=2)
            if spread and name in spread:
                axes.fill_between(x, *spread[name], color=color, alpha=0.2, linewidth=0)
            if marked and name in marked:
                axes.plot(x, marked[name], "o", color=color, mfc=style.PAPER)
        axes.set(xlabel=xlabel, ylabel=ylabel, ylim=ylim, title=title)
        for letter in powers:
            say_powers(getattr(axes, f"{letter}axis"))
        if ticks is not None:
            axes.set_xticks(ticks)
        _names_at_the_ends(axes, x, named)
        return picture(figure)


def say_powers(axis):
    """Write 1/512, 4, 1k at the places -9, 2, 10 of an axis of logarithms to base 2."""
    axis.set_major_locator(MaxNLocator(6, integer=True))
    axis.set_major_formatter(lambda power, _: _spelled(2.0**power))


def _spelled(number):
    """A power of two as it is said: 1/512, 0.25, 512, 16k, 4M."""
    for unit, size in (("M", 2**20), ("k", 2**10)):
        if number >= size:
            return f"{number / size:g}{unit}"
    return f"{number:g}" if number > 0.1 else f"1/{1 / number:g}"


def bars(named, *, ylabel="", ylim=None, spread=None, title=""):
    """One bar per name with its number; spread: {name: (lowest, highest)}."""
    with drawing(height=0.42 * len(named) + 0.8) as (figure, axes):
        values = list(named.values())
        ends = [
            (spread or {}).get(name, (value, value)) for name, value in named.items()
        ]
        axes.barh(range(len(named)), values, color=ACCENT, height=0.6)
        for row, (value, (low, high)) in enumerate(zip(values, ends, strict=True)):
            axes.plot((low, high), (row, row), color=INK, linewidth=2)
            axes.annotate(
                f"{value:.3g}", (max(high, value), row), (4, 0),
                textcoords="offset points", va="center",
            )  # fmt: skip
        axes.set_yticks(range(len(named)), list(named))
        axes.set(xlabel=ylabel, xlim=ylim, title=title)
        axes.invert_yaxis()
        return picture(figure)


def weight_map(
    weights, rows, columns, *, xlabel="", ylabel="", title="", mark=(), numbers=None
):
    """Weights (T, S) in 0..1 as a grid, one color: its opacity is the weight.

    rows, columns: the tokens. mark: (row, column) of cells with a frame.
    numbers: whether the cells hold their weights; None: where there are at most 24.
    """
    weights = np.asarray(weights, dtype=float)
    numbers = weights.size <= 24 if numbers is None else numbers
    cell = 0.52 if numbers else 0.3  # inches: the figure's size follows from the cells
    width, height = cell * weights.shape[1], cell * weights.shape[0]
    names = 0.1 * max(len(str(row)) for row in rows)  # long ones leave room for cells
    with drawing(width + max(1.2, names + 0.5), height + 0.9) as (figure, axes):
        _cells(axes, weights, mark)
        if numbers:
            for (row, column), weight in np.ndenumerate(weights):
                color = style.PAPER if weight > 0.55 else INK
                options = {
                    "ha": "center",
                    "va": "center",
                    "color": color,
                    "fontsize": 10,
                }
                axes.text(column, row, f"{weight:.2f}", **options)
        turn = 90 if max(map(len, map(str, columns))) > (4 if numbers else 2) else 0
        axes.set_xticks(range(len(columns)), list(columns), rotation=turn)
        axes.set_yticks(range(len(rows)), list(rows))
        axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
        return picture(figure)


def head_grid(weights, *, names=None, layer_names=True):
    """One small panel per head, one row of panels per layer; solid is 1.

    weights: (layers, heads, T, S), queries downwards; as lists, T and S may differ
    from head to head. names: {(layer, head): text}, written above a panel.
    layer_names: whether "layer 1" stands beside the first row, and so on.
    """
    layers, heads = len(weights), len(weights[0])
    size = 1.35 * heads + 0.4, 1.5 * layers
    options = {"nrows": layers, "ncols": heads, "squeeze": False}
    widths = [np.shape(head)[1] for head in weights[0]]
    if len(set(widths)) > 1:  # cells of one size
        options["width_ratios"] = widths
    with drawing(*size, **options) as (figure, axes):
        for (layer, head), panel in np.ndenumerate(axes):
            panel.imshow(_shade(weights[layer][head]), interpolation="nearest")
            panel.set(xticks=[], yticks=[])
            panel.spines[["top", "right"]].set_visible(True)
            panel.set_title((names or {}).get((layer, head), ""), fontsize=10)
            if head == 0 and layer_names:
                panel.set_ylabel(f"layer {layer + 1}")
        return picture(figure)


def _colors(count):
    return [SERIES[place % len(SERIES)] for place in range(count)]


def _shade(weights):
    """RGBA of the weights: the page itself at 0, the color at 1."""
    shown = np.empty((*np.shape(weights), 4))
    shown[:] = to_rgba(ACCENT)
    shown[..., 3] = np.clip(weights, 0, 1)
    return shown


def _cells(axes, weights, mark):
    """One square per weight, with a thin edge; many of them as one image."""
    rows, columns = weights.shape
    if weights.size > 900:
        axes.imshow(_shade(weights), interpolation="nearest")
    else:
        for (row, column), weight in np.ndenumerate(weights):
            corner = column - 0.5, row - 0.5
            axes.add_patch(
                Rectangle(corner, 1, 1, fill=False, ec=INK, lw=0.3, alpha=0.6)
            )
            if weight >= 0.005:
                square = Rectangle(
                    corner, 1, 1, fc=ACCENT, lw=0, alpha=min(weight, 1.0)
                )
                axes.add_patch(square)
    for row, column in mark:
        frame = Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, fill=False, ec=INK)
        axes.add_patch(frame)
        frame.set_linewidth(2)
    axes.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _names_at_the_ends(axes, x, named):
    """The names to the right of the lines, moved apart where two lines end alike."""
    low, high = axes.get_ylim()
    least = 0.075 * (high - low)
    colors = dict(zip(named, _colors(len(named)), strict=True))
    place = -np.inf
    for name, y in sorted(named.items(), key=lambda item: item[1][-1]):
        place = max(y[-1], place + least)
        axes.annotate(
            name, (x[-1], place), (6, 0), textcoords="offset points",
            color=colors[name], va="center", annotation_clip=False,
        )  # fmt: skip
