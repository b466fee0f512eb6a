"""What the figures draw: numbers and boxes read back from the axes."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.patches import FancyBboxPatch

from attn_course.course.plots import diagrams, images
from attn_course.course.plots.style import ACCENT, GREY

matplotlib.use("Agg")
BOXES = {"a": (0, 0, "first"), "b": (3, 1, "second"), "c": (1.5, 2, "third")}


@pytest.fixture(autouse=True)
def figures_stay_open(monkeypatch):
    """Each function gives its figure here, not the picture of it."""
    for module in (diagrams, images):
        monkeypatch.setattr(module, "picture", lambda figure, **_: figure)
    yield
    plt.close("all")


def test_diagram():
    figure = diagrams.diagram(BOXES, [("a", "b"), ("b", "c", 0.9)], accent=["b"], notes={"note": (0, 2)})
    (axes,) = figure.axes
    texts = {text.get_text(): text for text in axes.texts if text.get_text()}
    assert texts.keys() == {"first", "second", "third", "note"}
    boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    assert [matplotlib.colors.to_hex(box.get_edgecolor()) for box in boxes] == [GREY, ACCENT, GREY]
    arrows = [text.arrow_patch for text in axes.texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == 2 and arrows[1].get_linewidth() > 3 * arrows[0].get_linewidth()
    figure.canvas.draw()
    for piece in (*boxes, *texts.values()):
        inner, outer = piece.get_window_extent(), figure.bbox
        assert outer.x0 <= inner.x0 and inner.x1 <= outer.x1
        assert outer.y0 <= inner.y0 and inner.y1 <= outer.y1
    for box, (column, row, text) in zip(boxes, BOXES.values(), strict=True):
        extent = box.get_window_extent()
        assert texts[text].get_window_extent().width < extent.width
        assert extent.contains(*axes.transData.transform((column, row)))


def test_an_arrow_to_nowhere():
    with pytest.raises(ValueError, match="an arrow names 'd'; there are a, b, c"):
        diagrams.diagram(BOXES, [("a", "d")])


def luminance(color):
    """Relative luminance, as the Web Content Accessibility Guidelines define it."""
    channels = np.array(matplotlib.colors.to_rgb(color))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("page", ["#ffffff", "#121212"])
@pytest.mark.parametrize("color", [GREY, ACCENT])
def test_colours_stand_out_on_a_light_and_on_a_dark_page(color, page):
    darker, lighter = sorted([luminance(color), luminance(page)])
    assert (lighter + 0.05) / (darker + 0.05) >= 4.2


def test_a_box_is_as_wide_as_its_word_and_none_is_cut_off():
    figure = diagrams.diagram({"a": (0, 0, "a rather long word"), "b": (5, 0, "$x$")}, [("a", "b")], width=9)
    figure.canvas.draw()
    (axes,) = figure.axes
    for box in [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]:
        extent = box.get_window_extent()
        assert figure.bbox.x0 <= extent.x0 and extent.x1 <= figure.bbox.x1
    widths = [box.get_width() for box in axes.patches if isinstance(box, FancyBboxPatch)]
    assert widths[0] > 3 * widths[1]


def test_image_attention():
    """Where a cell looks most there is no veil; where it does not look it is dark; a frame marks the asking cell."""
    weights = np.zeros((6, 6))
    weights[4] = [0.0, 0.5, 0.25, 0.0, 0.0, 0.25]
    weights[0, 0] = 1.0
    figure = images.image_attention(np.ones((4, 6, 3)), weights, (2, 3), [(1, 1), (0, 0)])
    first, second = figure.axes
    picture, veil = first.images
    assert picture.get_array().shape == (4, 6, 3)
    np.testing.assert_allclose(veil.get_alpha(), 0.85 * np.array([[1.0, 0.0, 0.5], [1.0, 1.0, 0.5]]))
    assert [panel.patches[0].get_xy() for panel in (first, second)] == [(1, 1), (0, 0)]
    options = {"columns": 3, "names": ["one", "two"], "original": True}
    figure = images.image_attention(np.ones((4, 6, 3)), weights, (2, 3), [(1, 1), (0, 0)], **options)
    whole, first, second = figure.axes
    assert [len(panel.images) for panel in figure.axes] == [1, 2, 2]
    assert [frame.get_xy() for frame in whole.patches] == [(1, 1), (0, 0)]
    assert [panel.get_title() for panel in figure.axes] == ["", "one", "two"]
    np.testing.assert_allclose(first.images[1].get_alpha(), 0.85 * np.array([[1.0, 0.0, 0.5], [1.0, 1.0, 0.5]]))


def test_signed_map():
    """The page shines through at 0, and the two signs reach equally far."""
    values = np.array([[-3.0, 0.0, 1.0], [2.0, 0.5, -1.0]])
    axes, _ = images.signed_map(values, xlabel="dimension", ylabel="position").axes
    (drawn,) = axes.images
    np.testing.assert_array_equal(drawn.get_array(), values)
    assert drawn.get_clim() == (-3, 3)
    assert drawn.cmap(0.5)[-1] < 0.01 and drawn.cmap(0.0)[-1] == drawn.cmap(1.0)[-1] == 1
