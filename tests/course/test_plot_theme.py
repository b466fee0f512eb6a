"""Figures as SVG: the same bytes every time, in six colors that the book's page exchanges."""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

from attn_course.course.plots import style, theme

COLORS = {style.INK, style.PAPER, *style.SERIES}
X = np.arange(5)
RUNS = {"spread": {"a": (X - 1, X + 1)}, "marked": {"b": [0, np.nan, 4, 6, 8]}}


def many(rows, columns):
    return np.random.default_rng(0).random((rows, columns))


FIGURES = {
    "lines": lambda: theme.lines(X, {"a": X, "b": 2 * X}, xlabel="x", ylabel="y", **RUNS),
    "bars": lambda: theme.bars({"a": 0.5, "b": 0.75}, spread={"a": (0.4, 0.6)}),
    "weight_map": lambda: theme.weight_map(many(3, 5), "abc", "vwxyz", mark=[(1, 2)]),
    "large weight_map": lambda: theme.weight_map(many(40, 40), range(40), range(40)),
    "head_grid": lambda: theme.head_grid(many(6, 20).reshape(2, 3, 4, 5), names={(0, 1): "next"}),
    "diagram": lambda: theme.diagram({"a": (0, 0, "a"), "b": (1, 0, "b")}, [("a", "b")], accent=("a",)),
    "signed_map": lambda: theme.signed_map(many(3, 5) - 0.5, xlabel="x", ylabel="y"),
    "image_attention": lambda: theme.image_attention(many(8, 8), np.full((4, 4), 0.25), (2, 2), [(0, 1)]),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_the_same_svg_every_time(name):
    one, other = FIGURES[name](), FIGURES[name]()
    assert one.svg == other.svg == one._repr_svg_() and repr(one) == "Picture"
    assert ElementTree.fromstring(one.svg).tag.endswith("svg")
    assert not re.search(r"<style|<metadata|<!--|<\?xml|20\d\d-\d\d", one.svg)
    assert plt.get_fignums() == []


def test_photographs_are_light():
    """As WebP; numbers drawn as gray cells stay exact."""
    drawn = theme.image_attention(many(8, 24).reshape(8, 8, 3), np.full((4, 4), 0.25), (2, 2), [(0, 1)]).svg
    assert "image/webp" in drawn and "image/png" not in drawn
    assert "image/webp" not in FIGURES["image_attention"]().svg


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_has_the_colors_of_the_book_alone(name):
    found = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", FIGURES[name]().svg))
    # Black only where nothing of it is seen: shapes that matplotlib clips away or names without drawing.
    assert found and found <= COLORS | {"#000000"}, found - COLORS


def test_names_of_lines_do_not_touch():
    svg = theme.lines(X, {"a": X, "b": X, "c": X}, xlabel="x", ylabel="y").svg
    heights = sorted(float(y) for y in re.findall(r'translate\([\d.]+ ([\d.]+)\)">[abc]</text>', svg))
    heights = heights or sorted(float(y) for y in re.findall(r'y="([\d.]+)"[^>]*>[abc]</text>', svg))
    assert len(heights) == 3 and min(np.diff(heights)) > 10


def test_a_run_of_another_framework_is_hollow_circles():
    """In the line's color; none where there was no run."""
    svg = FIGURES["lines"]().svg
    circles = f'style="fill: {style.PAPER}; stroke: {style.SERIES[1]}"/>'
    assert svg.count(circles) == 4


def test_an_axis_of_powers_says_the_numbers():
    """A doubling is a step on it, and no logarithm is written."""
    options = {"xlabel": "x", "ylabel": "y", "powers": "xy", "spread": {"a": ([0.2, 3.0], [0.3, 5.0])}}
    svg = theme.lines([512, 4096], {"a": [0.25, 4.0]}, **options).svg
    written = re.findall(r">([^<>]+)</text>", svg)
    assert {"512", "1k", "2k", "4k", "0.25", "0.5", "1", "2", "4"} <= set(written), written
    assert [theme._spelled(2.0**power) for power in (-9, -4, -3, 14, 22)] == ["1/512", "1/16", "0.125", "16k", "4M"]


def test_weights_are_opacities():
    svg = theme.weight_map(np.array([[0.0, 0.25]]), ["a"], ["b", "c"], numbers=False).svg
    assert re.findall(r"opacity: (0\.25)", svg)


def test_the_page_exchanges_all_six_colors():
    folder = Path(__file__).resolve().parents[2] / "book" / "_ext"
    sys.path.insert(0, str(folder))
    try:
        from inline_figures import COLORS as exchanged, themed
    finally:
        sys.path.remove(str(folder))
    assert set(exchanged.values()) == COLORS
    page = themed(FIGURES["lines"]().svg, 'a "b"', "fig1-")
    assert f"var(--fig-1, {style.ACCENT})" in page and 'aria-label="a &quot;b&quot;"' in page
    assert set(re.findall(r'\bid="([^"]+)"', page)) == set(re.findall(r'\bid="(fig1-[^"]+)"', page))
    style_sheet = (folder.parent / "_static" / "figures.css").read_text(encoding="utf-8")
    assert all(style_sheet.count(f"--fig-{name}:") == 2 for name in exchanged)
