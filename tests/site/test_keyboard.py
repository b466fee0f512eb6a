"""By keyboard: few stops before the text, and a focus that the eye sees on every control, by the pixels."""

import io
from collections import Counter

import pytest
from built_book import OPEN_FOLDS
from PIL import Image, ImageChops

BEFORE = 8  # stops before the text
# What takes the focus: of the head, the side bars, tabs, figures, exercises, folds and the foot.
CONTROLS = (
    "a[href]", "button", "summary", "input:not([type=hidden])", "select", "textarea",
    "[tabindex]:not([tabindex='-1'])",
)  # fmt: skip
# The element that has the focus, in a figure's shadow root or in the page.
WITHIN = "let within = document.activeElement; while (within?.shadowRoot) within = within.shadowRoot.activeElement;"


def test_few_stops_before_the_text(form_page):
    with form_page() as tab:
        names = []
        while not tab.evaluate("!!document.activeElement.closest('article')"):
            tab.keyboard.press("Tab")
            names.append(tab.evaluate("document.activeElement.innerText || document.activeElement.ariaLabel"))
            assert len(names) < 40
        assert names[:2] == ["Skip to main content", "Skip to search and chapters"]
        assert len(names) - 1 <= BEFORE, names


def test_both_skip_links_lead_on(form_page):
    for number, place in ((1, "#main-content"), (2, "#pst-primary-sidebar")):
        with form_page() as tab:
            for _ in range(number):
                tab.keyboard.press("Tab")
            tab.keyboard.press("Enter")
            tab.keyboard.press("Tab")
            assert tab.evaluate("(place) => !!document.activeElement.closest(place)", place)


def test_the_side_bar_is_where_it_was(form_page):
    with form_page() as tab:
        bar, text = (tab.locator(place).bounding_box() for place in ("#pst-primary-sidebar", "article.bd-article"))
        assert bar["x"] < 10 and bar["x"] + bar["width"] <= text["x"] and bar["y"] < 10


def picture(tab, place):
    shot = tab.screenshot(clip=place, animations="disabled", caret="hide")
    return Image.open(io.BytesIO(shot)).convert("RGB")


def changed(one, other):
    """Pixels that differ by more than a shade."""
    difference = ImageChops.difference(one, other).convert("L")
    return sum(difference.histogram()[40:])


# Of controls that are alike, links of a table's column say, the first three tell.
ALIKE = "(one) => `${one.tagName} ${one.className} ${one.type} in ${one.parentElement?.tagName}`"


def unseen(tab, least, where=""):
    """The controls in a part of the page, in figures too, on which the focus changes no pixels."""
    tab.keyboard.press("Tab")  # from here on the browser takes focus for the keyboard's
    places = ", ".join(f"{where} {one}" for one in CONTROLS)
    controls = [one for one in tab.locator(places).element_handles() if one.is_visible()]
    assert len(controls) >= least, len(controls)
    found, seen = [], Counter()
    for control in controls:
        seen[kind := control.evaluate(ALIKE)] += 1
        if seen[kind] > 3:
            continue
        control.scroll_into_view_if_needed()
        control.evaluate(f"(one) => {{ {WITHIN} if (within) within.blur(); }}")
        box = control.bounding_box()
        if box is None:
            continue
        left, top = max(box["x"] - 6, 0), max(box["y"] - 6, 0)
        width, height = min(box["width"] + 12, 1280 - left), min(box["height"] + 12, 900 - top)
        place = {"x": left, "y": top, "width": width, "height": height}
        before = picture(tab, place)
        control.evaluate("(one) => one.focus({preventScroll: true})")
        if not control.evaluate("(one) => one === one.getRootNode().activeElement"):
            continue  # a radio button of a group that is passed over
        if changed(before, picture(tab, place)) < 20:
            found.append(control.evaluate("(one) => one.outerHTML.slice(0, 150)"))
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("shown", "where", "ready", "least"),
    [
        ("book/complexity.html", "article", "th button", 20),
        ("search.html?q=mask", "#main-content", "#search-results li a", 5),
    ],
)
def test_focus_is_seen_on_the_tables_and_in_the_search(visit, shown, where, ready, least, scheme):
    """The buttons that sort and choose families; the field and the results."""
    with visit(shown, scheme=scheme) as tab:
        tab.locator(f"{where} {ready}").first.wait_for()
        assert unseen(tab, least, where) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_focus_is_seen_on_every_control(form_page, scheme):
    with form_page(scheme=scheme) as tab:
        assert unseen(tab, 31) == []
        tab.evaluate(OPEN_FOLDS)
        assert unseen(tab, 31) == []
