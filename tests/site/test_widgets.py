"""Interactive figures in a real browser, on a small site of their own: mouse, keys, fingers, dark, print, no script."""

import html
import math
import re
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
from test_pages import COLORS, too_wide, violations
from widget_figures import (
    CHARACTERS,
    KEYS,
    LENGTHS,
    MAPS,
    MEMORY,
    ONE_ROW,
    POOL,
    POOLED,
    POSITIONS,
    REQUESTS,
    SCORES,
    SERIES,
    VALUES,
    WEIGHTS,
    WORDS,
    WRITTEN,
    X,
    figures,
    softmax,
    write_site,
)

from attn_course.course.plots.explore import PARTS, code
from attn_course.course.plots.explore.schedules import BUDGETS, pool_of, timeline
from attn_course.masks import causal_mask, sliding_window_mask
from attn_course.reference import alibi_slopes, local_window, rotary_frequencies

NEEDS_BOOK = False  # says conftest.py
NAMES = list(figures())


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    return write_site(tmp_path_factory.mktemp("widgets"))


@pytest.fixture
def figure(visit):
    """Opens one figure alone: `with figure("window") as (tab, ui)`."""

    @contextmanager
    def opened(name, **options):
        with visit(f"alone-{name}.html", **options) as tab:
            yield tab, tab.locator(".ui")
            assert tab.faults == []

    return opened


def facts(ui, which=0):
    """The list of terms and values below a figure."""
    lists = ui.locator("dl").nth(which)
    terms, values = lists.locator("dt").all_text_contents(), lists.locator("dd").all_text_contents()
    return dict(zip(terms, values, strict=True))


def slide(ui, name, value):
    ui.get_by_role("slider", name=name).fill(str(value))


def number(text):
    return float(re.search(r"[−-]?[\d.,]+", text)[0].replace("−", "-").replace(",", "").rstrip("."))


def spoken(tab, pattern):
    """Waits until the live region says it, and gives the text."""
    region = tab.locator(".ui [role=status]")
    tab.wait_for_function(
        "([pattern]) => new RegExp(pattern).test(document.querySelector('.attn-widget').shadowRoot"
        ".querySelector('[role=status]').textContent)",
        arg=[pattern],
    )
    return region.text_content()


def arrow_weights(query):
    """The weights, by hand: the dot products over the root of 2, then a softmax."""
    exponential = np.exp(KEYS @ np.array(query) / math.sqrt(2))
    return exponential / exponential.sum()


@pytest.mark.parametrize("by", ["preset", "sliders", "click"])
def test_arrows_say_what_numpy_says(figure, by):
    """The query is chosen, turned and stretched, or put where the pointer is."""
    with figure("arrows", width=1280) as (_, ui):
        if by == "preset":
            ui.get_by_text("fresh", exact=True).click()
            query = [1, 2]
        elif by == "sliders":
            slide(ui, "direction", -160)
            slide(ui, "length", 1.5)
            query = 1.5 * np.array([math.cos(math.radians(-160)), math.sin(math.radians(-160))])
        else:
            box = ui.locator(".board .plane").bounding_box()
            ui.locator(".board .plane").click(position={"x": box["width"] * 0.25, "y": box["height"] * 0.75})
            query = [-1.6, -1.6]  # a quarter of 6.5 units from the middle, in steps of 0.05
        weights = arrow_weights(query)
        shown = [float(text) for text in ui.locator(".rows b.num").all_inner_texts()]
        np.testing.assert_allclose(shown, weights, atol=0.021 if by == "click" else 0.0051)
        furry, wet = weights @ VALUES
        told = re.search(r"furry (\d+\.\d+), wet (\d+\.\d+)", ui.locator(".read").inner_text())
        np.testing.assert_allclose(
            [float(told[1]), float(told[2])], [furry, wet], atol=0.25 if by == "click" else 0.051
        )


# --- Site -------------------------------------------------------------------------------------------------------------


def test_one_copy_of_the_code_on_a_page_and_none_where_no_figure_is(site):
    page = (site / "figures.html").read_text(encoding="utf-8")
    assert "KINDS" not in page and "data-attn-widgets" not in page
    loaded = re.findall(r'<script[^>]* src="_static/(attn_widgets[\w-]+\.js)\?v=\w+"', page)
    assert loaded == [f"attn_widgets-{'-'.join(PARTS)}.js"]
    assert page.count('class="attn-widget"') == len(NAMES)
    assert "attn_widgets" not in (site / "plain.html").read_text(encoding="utf-8")
    assert (site / "_static" / loaded[0]).read_text(encoding="utf-8") == code()
    (other,) = re.findall(r'src="_static/(attn_widgets[\w-]+\.js)', (site / "one.html").read_text(encoding="utf-8"))
    assert other == "attn_widgets-window.js"
    assert (site / "_static" / other).read_text(encoding="utf-8") == code("window")


def test_every_figure_starts_asks_no_other_host_and_is_a_picture_in_print(visit, address):
    with visit("figures.html") as tab:
        tab.wait_for_load_state("networkidle")
        assert tab.locator(".attn-widget[data-ready] .ui").count() == len(NAMES)
        assert [url for url in tab.requests if not url.startswith((address, "data:", "blob:"))] == []
        assert tab.faults == []
        assert not tab.locator(".attn-widget > img").first.is_visible()
        tab.emulate_media(media="print")
        assert all(image.is_visible() for image in tab.locator(".attn-widget > img").all())
        assert not any(part.is_visible() for part in tab.locator(".ui").all())


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_accessible_and_no_wider_than_a_telephone(visit, width):
    """In light and in dark, which the figures follow on a ground that lets the page's through."""
    with visit("figures.html", width=width) as tab:
        assert too_wide(tab) == [] and tab.locator(".ui[data-dark]").count() == 0
        for scheme in ("light", "dark"):
            tab.evaluate("(scheme) => { document.documentElement.dataset.theme = scheme; }", scheme)
            tab.wait_for_function(
                "(dark) => [...document.querySelectorAll('.attn-widget')].every("
                "(root) => root.shadowRoot.querySelector('.ui').hasAttribute('data-dark') === dark)",
                arg=scheme == "dark",
            )
            assert width == 320 or violations(tab, *(COLORS if scheme == "dark" else ())) == []
            if scheme == "light":
                for label in tab.locator(".pick label", has_text="Grid").all():
                    label.click()
                assert (width == 320 or violations(tab) == []) and too_wide(tab) == []
        ground = "getComputedStyle(document.querySelector('.attn-widget').parentElement).backgroundColor"
        assert tab.evaluate(ground) == "rgba(0, 0, 0, 0)"
    with visit("figures.html", scheme="dark", width=width) as tab:
        assert tab.locator(".ui[data-dark]").count() == len(NAMES)
        assert width == 320 or violations(tab, *COLORS) == []


def test_several_copies_of_the_code_start_each_figure_once(visit):
    with visit("twice.html") as tab:
        assert tab.locator(".attn-widget .ui").count() == 3
        assert tab.faults == []


# --- Without the script -----------------------------------------------------------------------------------------------


def test_without_javascript_there_is_a_picture_with_its_text(visit):
    with visit("figures.html", javascript=False) as tab:
        images = tab.locator(".attn-widget img")
        assert images.count() == len(NAMES)
        assert images.evaluate_all("(all) => all.every((one) => one.naturalWidth > 0 && one.alt)")
        assert all(image.is_visible() for image in images.all())


def test_data_that_can_not_be_read_leave_the_picture(visit):
    with visit("broken.html") as tab:
        assert tab.locator(".attn-widget > img").is_visible() and tab.locator(".ui").count() == 0
        (fault,) = tab.faults
        assert "stays a picture" in fault


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_frames_that_may_only_run_scripts(site, visit, scheme):
    """As Colab shows outputs: each of another origin, without storage, nothing shared."""
    texts = [html.escape((site / f"alone-{name}.html").read_text(encoding="utf-8")) for name in NAMES]
    frames = "".join(f'<iframe sandbox="allow-scripts" srcdoc="{text}"></iframe>' for text in texts)
    page = f'<html lang="en"><link rel="icon" href="data:,">{frames}'
    (site / f"frames-{scheme}.html").write_text(page, encoding="utf-8")
    with visit(f"frames-{scheme}.html", scheme=scheme) as tab:
        for number in range(len(NAMES)):
            frame = tab.frame_locator("iframe").nth(number)
            frame.locator(".ui").wait_for()
            assert frame.locator(".ui[data-dark]").count() == (scheme == "dark")
        assert [url for url in tab.requests if not url.startswith(("data:", "about:"))] == [tab.url]
        assert tab.faults == []


# --- The attention explorer -------------------------------------------------------------------------------------------


def test_keys_choose_row_view_and_head(figure):
    with figure("attention") as (tab, ui):
        assert "“was” (3 of 5)" in ui.locator(".read").text_content()
        ui.get_by_role("radio", name="was, query").focus()
        tab.keyboard.press("ArrowDown")
        heaviest = np.argsort(-WEIGHTS[1, 0, 3])[0]
        text = spoken(tab, "“too”")
        assert text.startswith("Layer 2, head 1.")
        assert f"“{WORDS[heaviest]}”: {WEIGHTS[1, 0, 3, heaviest]:.2f}" in text
        ui.get_by_role("radio", name="Lines").focus()
        tab.keyboard.press("ArrowRight")
        assert ui.locator(".face").is_visible() and ui.get_by_role("radio", name="Grid").is_checked()
        ui.get_by_role("radio", name="layer 2, head 1", exact=True).focus()
        tab.keyboard.press("ArrowRight")
        tab.keyboard.press("ArrowRight")
        assert ui.locator("legend b").text_content() == "layer 2, head 3, a name"
        assert "“too” (4 of 5)" in spoken(tab, "head 3")


def test_a_verb_names_columns_and_no_weight(figure):
    """No small picture tells what a map holds before it is chosen."""
    with figure("waits") as (_, ui):
        read, named = ui.locator(".read").text_content().split(" waits for ")
        assert read.endswith("(3 of 4)") and named == "“-” · “0” · “4”"
        assert "1.00" not in ui.locator(".stage").text_content()
        drawn = "(all) => all.map((one) => one.getContext('2d').getImageData(0, 0, 4, 4).data.some(Boolean))"
        assert ui.locator(".head canvas").evaluate_all(drawn) == [False, False]
        ui.get_by_role("radio", name="other").check(force=True)
        assert ui.locator(".read").text_content().endswith("waits for nothing")


def test_the_mouse_looks_and_a_click_stays(figure):
    with figure("characters") as (tab, ui):
        box = ui.locator(".lines [role=radiogroup]").bounding_box()
        at = {"x": box["x"] + box["width"] * 0.65, "y": box["y"] + box["height"] / 2}
        tab.mouse.move(at["x"], at["y"])
        assert ui.locator(".read").text_content().startswith("“4” (7 of 10)")
        tab.mouse.move(5, 5)
        assert ui.locator(".read").text_content().startswith("“1” (1 of 10)")
        tab.mouse.click(at["x"], at["y"])
        tab.mouse.move(5, 5)
        assert ui.locator(".read").text_content().startswith("“4” (7 of 10)")
        ui.locator(".pick label", has_text="Grid").click()
        box = ui.locator(".face").bounding_box()
        tab.mouse.move(box["x"] + box["width"] * 2.5 / 18, box["y"] + box["height"] * 8.5 / 10)
        text = ui.locator(".read").text_content()
        assert text.startswith("“0” (9 of 10)") and f"“d” at 3: {CHARACTERS[8, 2]:.2f}; most" in text


# --- The pattern ------------------------------------------------------------------------------------------------------

PATTERNS = [
    (12, 3, 0, 0, True, 2),
    (12, 3, 0, 0, False, 1),
    (7, 0, 0, 0, True, 3),
    (17, 4, 4, 0, True, 2),
    (13, 2, 0, 2, False, 2),
    (19, 2, 0, 1, True, 12),
]


def test_counts_and_reach_are_those_of_the_masks(figure):
    with figure("pattern") as (_, ui):
        for n, window, stride, tokens, causal, layers in PATTERNS:
            row, column = np.indices((n, n))
            mask = sliding_window_mask(n, n, window, causal=False) if window else np.zeros((n, n), bool)
            mask |= (row < tokens) | (column < tokens)
            if stride:
                mask |= (row - column) % stride == 0
            if not (window or stride or tokens):
                mask[:] = True
            if causal:
                mask &= causal_mask(n, n)
            reached = np.linalg.matrix_power((mask | np.eye(n, dtype=bool)).astype(int), layers) > 0
            sliders = {"window": window, "stride": stride, "global tokens": tokens, "layers": layers, "length n": n}
            for name, value in sliders.items():
                slide(ui, name, value)
            ui.get_by_role("checkbox", name="causal").set_checked(causal)
            found = facts(ui)
            assert found["allowed pairs"] == f"{mask.sum()} of {n * n}"
            assert math.isclose(number(found["share of n²"]), 100 * mask.mean(), abs_tol=0.051)
            assert found[f"query {n} sees"] == f"{mask[-1].sum()} keys"
            name = "1 layer" if layers == 1 else f"{layers} layers"
            assert found[f"and reaches after {name}"] == f"{reached[-1].sum()} of {n}"
            assert math.isclose(number(found[f"pairs reached after {name}"]), 100 * reached.mean(), abs_tol=0.051)


def test_keys_paint_a_pair_and_undo(figure):
    with figure("pattern") as (tab, ui):
        before = number(facts(ui)["allowed pairs"])
        ui.get_by_role("application").focus()
        for key in ["ArrowUp", *["ArrowLeft"] * 8]:
            tab.keyboard.press(key)
        assert "Query 11 sees 3 keys" in spoken(tab, "Key 4 is closed")
        tab.keyboard.press("Space")
        assert f"{before + 1:.0f} of 144 pairs" in spoken(tab, "Key 4 is open")
        ui.get_by_role("button", name="Undo painting").click()
        assert number(facts(ui)["allowed pairs"]) == before
        assert ui.get_by_role("button", name="Undo painting").is_disabled()


def test_a_preset_sets_the_sliders(figure):
    with figure("pattern") as (_, ui):
        ui.get_by_role("combobox").select_option("Longformer")
        assert ui.get_by_role("slider", name="global tokens").input_value() == "2"
        assert not ui.get_by_role("checkbox", name="causal").is_checked()
        slide(ui, "window", 5)
        assert ui.get_by_role("combobox").input_value() == ""


def test_the_mouse_paints_a_row_of_pairs(figure):
    with figure("pattern") as (tab, ui):
        before = number(facts(ui)["allowed pairs"])
        box = ui.get_by_role("application").bounding_box()
        cell = box["width"] / 12
        y = box["y"] + 11.5 * cell
        drag(tab, (box["x"] + 2.5 * cell, y), (box["x"] + 5.5 * cell, y))
        tab.mouse.move(box["x"] + 7.5 * cell, box["y"] + 3.5 * cell)
        assert number(facts(ui)["allowed pairs"]) == before + 4


# --- Fingers ----------------------------------------------------------------------------------------------------------


def swipe(tab, start, end):
    client = tab.context.new_cdp_session(tab)
    send = partial(client.send, "Input.dispatchTouchEvent")
    send({"type": "touchStart", "touchPoints": [{"x": start[0], "y": start[1]}]})
    for step in range(1, 11):
        x, y = (a + (b - a) * step / 10 for a, b in zip(start, end, strict=True))
        send({"type": "touchMove", "touchPoints": [{"x": x, "y": y}]})
    send({"type": "touchEnd", "touchPoints": []})
    tab.wait_for_timeout(100)


def drag(tab, start, end):
    tab.mouse.move(*start)
    tab.mouse.down()
    tab.mouse.move(*end, steps=12)
    tab.mouse.up()


TOUCH = {"has_touch": True, "width": 390}
BY = pytest.mark.parametrize(("by", "options"), [(drag, {}), (swipe, TOUCH)], ids=["mouse", "finger"])


def test_a_finger_taps_and_paints_sideways(figure):
    with figure("pattern", **TOUCH) as (tab, ui):
        before = number(facts(ui)["allowed pairs"])
        box = ui.get_by_role("application").bounding_box()
        cell = box["width"] / 12
        at = lambda row, column: (box["x"] + (column + 0.5) * cell, box["y"] + (row + 0.5) * cell)  # noqa: E731
        tab.touchscreen.tap(*at(2, 9))
        assert number(facts(ui)["allowed pairs"]) == before + 1
        swipe(tab, at(0, 4), at(0, 8))
        assert number(facts(ui)["allowed pairs"]) == before + 6


def test_a_finger_that_scrolls_the_page_neither_paints_nor_chooses(visit):
    with visit("figures.html", **TOUCH) as tab:
        for name, read in (("pattern", "dl"), ("window", ".read"), ("attention", ".read")):
            root = tab.locator(f".attn-widget[data-kind={name}]").first
            root.locator(".face, .lines").first.scroll_into_view_if_needed()
            box = root.locator(".face, .lines").first.bounding_box()
            before, place = root.locator(read).first.text_content(), tab.evaluate("scrollY")
            x, y = box["x"] + box["width"] * 0.7, max(150, min(box["y"] + box["height"] * 0.7, 800))
            swipe(tab, (x, y), (x, y - 120))
            assert tab.evaluate("scrollY") > place + 40, name
            assert root.locator(read).first.text_content() == before, name


def test_a_scroll_that_begins_on_a_slider_leaves_it_alone(visit):
    with visit("figures.html", **TOUCH) as tab:
        slider = tab.locator(".attn-widget[data-kind=arrows]").first.get_by_role("slider", name="length")
        slider.evaluate("(input) => scrollBy(0, input.getBoundingClientRect().y - 500)")
        before, box, place = slider.input_value(), slider.bounding_box(), tab.evaluate("scrollY")
        x, y = box["x"] + 0.2 * box["width"], box["y"] + box["height"] / 2
        swipe(tab, (x, y), (x, y - 120))
        assert tab.evaluate("scrollY") > place + 40 and slider.input_value() == before
        # A finger that moves along it still moves it.
        box = slider.bounding_box()
        y = box["y"] + box["height"] / 2
        swipe(tab, (box["x"] + 0.7 * box["width"], y), (box["x"] + 0.2 * box["width"], y))
        assert float(slider.input_value()) < float(before)


# --- The other figures: their numbers ---------------------------------------------------------------------------------


def test_scale(figure):
    data = figures()["scale"].data
    with figure("scale") as (tab, ui):
        slide(ui, "width dₖ", 4)
        scores = np.array(data["scores"][4]) / 1000
        for which, scale in ((0, 1), (1, 4)):
            expected = softmax(scores / scale)
            bits = -(expected * np.log2(expected)).sum()
            assert facts(ui, which)["largest weight"] == f"{expected.max():.2f}"
            assert facts(ui, which)["entropy"] == f"{bits:.2f} of {math.log2(5):.2f} bits"
        ui.get_by_role("slider", name="temperature").focus()
        tab.keyboard.press("End")
        hot = softmax(scores / 4 / 10)
        spoken(tab, f"Scaled.*largest weight {hot.max():.2f}\\.$")


DRAWN = "all => all.map(line => [...line.children].map(one => one.className))"


def test_server(figure):
    with figure("server") as (tab, ui):
        for entry, places, budget in ((0, 2, 6), (0, 3, 2), (1, 2, 6), (1, 3, 2)):
            ui.get_by_label(("in batches", "as places become free")[entry]).check(force=True)
            slide(ui, "requests at once", places)
            slide(ui, "tokens a step, at most", budget)
            options = {"at_once": places, "budget": BUDGETS[budget], "continuous": entry == 1}
            states, tokens = timeline(REQUESTS, **options)
            expected = [[["", "reads", "writes", "idle"][state] for state in row] for row in states.tolist()]
            assert ui.locator(".line").evaluate_all(DRAWN) == expected
            steps = states.shape[1]
            assert facts(ui, 0) == {
                "steps": str(steps),
                "tokens written per step": f"{23 / steps:.1f}",
                "places held for nothing": str((states == 3).sum()),
                "most tokens in one step": str(tokens.max()),
            }
        spoken(tab, f"steps: {steps}, .*most tokens in one step: {tokens.max()}$")


def test_blocks(figure):
    """Every cell has its holders; the buttons step, and the voice says whose each block is."""
    states, pool = pool_of(POOLED, at_once=3, budget=8, **POOL)
    held = [["+".join(str(one + 1) for one in step[n] or ()) for step in pool] for n in range(5)]
    with figure("blocks") as (tab, ui):
        numbers = "cell => [...cell.children].map(one => one.textContent).join('+')"
        texts = ui.locator(".line").evaluate_all(f"all => all.map(line => [...line.children].map({numbers}))")
        assert texts[3:] == held
        kinds = [["", "reads", "writes", "kept back"][state] for state in states[2].tolist()]
        drawn = ui.locator(".line").nth(2).evaluate("line => [...line.children].map(one => one.className.trim())")
        assert [one.replace(" now", "").replace("now", "") for one in drawn] == kinds
        step = next(n for n, row in enumerate(pool) if any(len(who or ()) > 1 for who in row))
        for _ in range(step):
            ui.get_by_role("button", name="Next step").click()
        shared = ", ".join(str(n + 1) for n, who in enumerate(pool[step]) if len(who or ()) > 1)
        assert f"shared: {shared}" in spoken(tab, f"^Step {step + 1} of {len(pool)}")
        slide(ui, "step", len(pool) - 1)
        kept = ", ".join(str(n + 1) for n, who in enumerate(pool[-1]) if who == [])
        assert f"known by name alone: {kept}" in spoken(tab, f"^Step {len(pool)} of")
        assert ui.get_by_role("button", name="Next step").is_disabled()


def test_sink(figure):
    scores, values = np.array([-1, -2, -1.5]), np.array([1, -1, 2])
    with figure("sink") as (tab, ui):
        for added, sink in ((0, 1.0), (2, 1.0), (2, 6.0)):
            slide(ui, "add to all scores", 10 * added)
            slide(ui, "sink b", 10 * sink)
            lse = np.log(np.exp(scores + added).sum())
            share = 1 / (1 + np.exp(sink - lse))
            plain = softmax(scores) @ values
            assert facts(ui, 0) == {"row sum": "1.00", "output": f"{plain:.2f}"}
            assert facts(ui, 1) == {"row sum": f"{share:.2f}", "output": f"{share * plain:.2f}"}
            assert facts(ui, 2)["sigmoid(lse − b)"] == f"{share:.2f}"
        spoken(tab, f"With a sink: row sum {share:.2f}, output {share * plain:.2f}\\.$")


def test_steps(figure):
    with figure("steps") as (tab, ui):
        ui.get_by_role("button", name="Next step").click()
        weights = softmax(SCORES[4])
        best = weights.argmax()
        text = spoken(tab, "Step 5")
        assert f"writes “{WRITTEN[4]}”" in text and f"({best + 1}) {weights[best]:.2f}" in text
        context = weights @ MEMORY
        pixels = (
            ui.locator("canvas")
            .nth(2)
            .evaluate("(one) => [...one.getContext('2d').getImageData(0, 0, one.width, one.height).data]")
        )
        opacity = np.array(pixels).reshape(-1, 4)[:, 3] / 255
        np.testing.assert_allclose(opacity, np.abs(context) / np.abs(MEMORY).max(), atol=0.01)
        ui.get_by_role("slider", name="step").focus()
        tab.keyboard.press("End")
        assert ui.get_by_role("button", name="Next step").is_disabled()
        ui.locator(".out .tok").nth(1).click()
        assert "Step 2 of 10" in ui.locator(".read").text_content()
        strips = ui.locator("canvas")
        assert [one.is_visible() for one in strips.all()] == [True] * 3
        ui.get_by_role("checkbox", name="scores and vectors").uncheck()
        assert [one.is_visible() for one in strips.all()] == [False] * 3
        assert [one.is_visible() for one in ui.locator(".decode .bars").all()] == [False, True]  # the weights alone


def test_steps_play(figure):
    with figure("steps") as (tab, ui):
        slide(ui, "step", 8)
        ui.get_by_role("button", name="Play").click()
        tab.wait_for_function(
            "document.querySelector('.attn-widget').shadowRoot.querySelector('.read').textContent.startsWith('Step 10')"
        )
        ui.get_by_role("button", name="Play").wait_for()


@pytest.mark.parametrize("gaussian", [True, False])
def test_window_is_the_reference(figure, gaussian):
    scores = np.array([0.5, 1, 0, -1, 0.25])
    with figure("window") as (_, ui):
        slide(ui, "center p", 31)
        slide(ui, "half width D", 5)
        if not gaussian:
            ui.get_by_role("checkbox").uncheck()
        inside = local_window(np.array(3.1), 5, half_width=2.5, gaussian=False) > 0
        content = softmax(np.where(inside, scores, -np.inf))
        weights = content * local_window(np.array(3.1), 5, half_width=2.5, gaussian=gaussian)
        found = facts(ui)
        assert found["positions in the window"] == "4 of 5"
        assert found["sum of the weights"] == f"{weights.sum():.2f}"
        best = weights.argmax()
        assert f"“{WORDS[best]}” ({best}): {weights[best]:.2f}" in ui.locator(".read").text_content()


@BY
def test_the_window_is_dragged(figure, by, options):
    with figure("window", **options) as (tab, ui):
        box = ui.locator(".face").bounding_box()
        y = box["y"] + box["height"] / 2
        by(tab, (box["x"] + 0.5 * box["width"], y), (box["x"] + 0.9 * box["width"], y))
        assert ui.locator(".slide b").first.text_content() == "4.0"


def outputs(order, told):
    inputs = X[order] + (POSITIONS if told else 0)
    query, key, value = (inputs @ MAPS[name] for name in ("query", "key", "value"))
    return softmax(query @ key.T / np.sqrt(3)) @ value


def test_order(figure):
    with figure("order") as (tab, ui):
        ui.get_by_role("button", name="Move the token to the right").click()
        ui.get_by_role("button", name="Reverse").click()
        order = [4, 3, 2, 0, 1]
        assert ui.locator(".drag .tok").all_text_contents() == [WORDS[token] for token in order]
        change = "largest change of any token's output"
        assert facts(ui)[change] == "0.000"
        assert "No token's output changed" in spoken(tab, "^tired too was the animal")
        told = np.abs(outputs(order, True) - outputs(range(5), True)[order]).max()
        ui.get_by_role("checkbox", name="add positions").check()
        assert facts(ui)[change] == f"{told:.3f}" and told > 0.1
        ui.get_by_role("button", name="As written").click()
        assert facts(ui)[change] == "0.000"


def test_an_output_with_names(figure):
    with figure("named") as (_, ui):
        first = ", ".join(
            f"{name} {value:.2f}".replace("-", "−")
            for name, value in zip("abc", outputs(range(5), False)[0], strict=True)
        )
        ui.get_by_role("button", name="Reverse").click()
        term = f"output of “{WORDS[0]}” at place 1"
        assert facts(ui) == {term: first, "at place 5 in your order": first}
        assert ui.locator(".thin").count() == 0


@BY
def test_a_token_is_dragged(figure, by, options):
    with figure("order", **options) as (tab, ui):
        box = ui.locator(".drag").bounding_box()
        y, step = box["y"] + box["height"] / 2, box["width"] / 5
        by(tab, (box["x"] + 0.5 * step, y), (box["x"] + 2.5 * step, y))
        assert ui.locator(".drag .tok").all_text_contents() == ["animal", "was", "the", "too", "tired"]


def test_heads(figure):
    with figure("heads") as (tab, ui):
        assert ui.locator(".big").text_content() == "0.900"
        ui.get_by_role("checkbox", name="head 2").focus()
        tab.keyboard.press("Space")
        assert "exact match: 0.700. Off: head 2." in spoken(tab, "0.700")
        assert facts(ui) == {"heads on": "2 of 3", "with all heads": "0.900", "difference": "−0.200"}
        assert ui.locator(".answers tr").first.text_content() == "rightwrong✗ wrong"
        assert ui.locator(".switches .open").count() == 2  # two heads off were not measured
        ui.get_by_role("button", name="All off").click()
        assert ui.locator(".big").text_content() == "not measured"
        ui.get_by_role("button", name="All on").click()
        assert ui.locator(".big").text_content() == "0.900"


def test_lengths(figure):
    with figure("lengths") as (tab, ui):
        assert ui.locator(".slide b").text_content() == str(LENGTHS[0])
        slide(ui, "length of the source", 2)
        mean, low, high = SERIES[:, 2].mean(), SERIES[:, 2].min(), SERIES[:, 2].max()
        assert f"without attention: {mean:.2f} ({low:.2f} to {high:.2f})" in spoken(tab, " 20\\.")
        assert "srettel␣emos" in ui.locator(".answers").text_content()
        box = ui.locator(".area").bounding_box()
        tab.mouse.click(box["x"] + box["width"] * 0.95, box["y"] + 20)
        assert ui.locator(".slide b").text_content() == "40"


def test_capacity(figure):
    with figure("capacity") as (tab, ui):
        slide(ui, "letters", 1)
        assert "Width 8, short: of strings of 3 letters 30% come back right (20% to 40%" in spoken(tab, "3 letters")
        assert "about 3 letters" in ui.locator(".read").text_content()  # 2 + (0.9 - 0.5) / (0.9 - 0.3)
        # The other width is drawn once the width was moved.
        others = [ui.locator(f'.area path[style*="stroke:var(--s{place})"]') for place in (1, 0)]
        lines = ui.locator(".area small")  # each line has its name: a width, or another training
        assert others[0].count() == 0 and lines.all_inner_texts() == ["long", "width 8"]
        slide(ui, "width", 1)
        assert others[1].count() == 1 and lines.all_inner_texts() == ["long", "8", "width 32"]
        assert "80% come back right (70% to 90%" in spoken(tab, "Width 32")
        ui.locator(".pick label", has_text="long").click()
        assert "Half or more come back right up to 4 letters" in ui.locator(".read").text_content()
        slide(ui, "letters", 2)
        assert ui.locator(".answers tr").nth(2).text_content() == "written ✗dcab"
        assert ui.locator(".answers .off").all_inner_texts() == ["a", "b"]
        box = ui.locator(".area").bounding_box()
        tab.mouse.click(box["x"] + 2, box["y"] + 20)
        assert ui.locator(".answers tr").nth(2).text_content() == "written ✓ba"


def test_positions(figure):
    with figure("positions") as (tab, ui):
        slide(ui, "query position i", 7)
        slide(ui, "key position j", 12)
        slide(ui, "base", 12)  # 10 to the power of 12 / 4
        turns = 1000.0 ** (-np.arange(0, 16, 2) / 16)
        alike = np.cos(5 * turns).mean()
        assert facts(ui)["offset j − i"] == "+5"
        assert math.isclose(number(facts(ui)["score of two vectors of ones"]), alike, abs_tol=6e-4)
        assert ui.locator(".dials svg").count() == 8
        ui.locator(".pick label", has_text="Sinusoids").click()
        assert math.isclose(number(facts(ui)["product of the two codes"]), alike, abs_tol=6e-4)
        slide(ui, "query position i", 27)
        slide(ui, "key position j", 32)
        assert math.isclose(number(facts(ui)["product of the two codes"]), alike, abs_tol=6e-4)
        ui.locator(".pick label", has_text="ALiBi").click()
        slide(ui, "head", 3)
        bias = -alibi_slopes(8)[2] * 5
        assert math.isclose(number(facts(ui)["bias"]), bias, abs_tol=6e-3)
        spoken(tab, r"ALiBi, query 27, key 32, offset \+5: −\d")
        assert not ui.locator(".dials").is_visible() and not ui.get_by_role("slider", name="base").is_visible()


@pytest.mark.parametrize(
    ("words", "method"), [("linear", "linear"), ("NTK", "ntk"), ("YaRN", "yarn"), ("Llama 3", "llama3")]
)
def test_rotations_are_those_of_the_course(figure, words, method):
    with figure("rotation") as (_, ui):
        assert facts(ui)["pairs with less than one turn in training"] == "5 of 8"
        # At 256 pair 3, 8.10 radians, has gone around and is back on the arc of 2.02 that it knows.
        assert facts(ui)["pairs at an angle never met"] == "4"
        slide(ui, "position", 8)  # 128: 4.05 radians
        assert facts(ui)["pairs at an angle never met"] == "5"
        ui.locator(".pick label", has_text=words).click()
        slide(ui, "factor", 8)  # 2 to the power of 8 / 4
        slide(ui, "position", 17)  # 8 * 64 * 17 / 32 = 272
        plain, _ = rotary_frequencies(16)
        found, scale = rotary_frequencies(16, method=method, factor=4.0, trained_length=64)
        share = found / plain
        never = (64 * plain < 2 * np.pi) & (272 * found % (2 * np.pi) > 64 * plain * (1 + 1e-9))
        assert facts(ui)["pairs at an angle never met"] == str(never.sum())
        assert number(facts(ui)["fastest pair: frequency times"]) == pytest.approx(share[0], abs=6e-4)
        assert number(facts(ui)["slowest pair: frequency times"]) == pytest.approx(share[-1], abs=6e-4)
        assert number(facts(ui)["query and key times"]) == pytest.approx(scale, abs=6e-4)
        assert ui.locator(".dials svg").count() == 8


def test_tiles_end_at_the_exact_weights(figure):
    with figure("tiles") as (_, ui):
        slide(ui, "tile", 7)  # four tiles in a row of blocks: the last of the second, queries 4 to 6
        row = ONE_ROW[3]
        found = facts(ui)
        assert number(found["largest score so far, m"].split("→")[-1]) == pytest.approx(row.max(), abs=6e-3)
        assert number(found["sum so far, ℓ"].split("→")[-1]) == pytest.approx(np.exp(row - row.max()).sum(), abs=6e-3)
        assert "exact weights" in ui.locator(".read").text_content()
        heights = ui.locator(".bars > span").evaluate_all(
            "(all) => all.map((one) => parseFloat(one.children[0].style.height))"
        )
        np.testing.assert_allclose(np.array(heights) / max(heights), softmax(row) / softmax(row).max(), atol=2e-3)
        slide(ui, "tile", 5)
        seen = row[:6]
        assert number(facts(ui)["sum so far, ℓ"].split("→")[-1]) == pytest.approx(
            np.exp(seen - seen.max()).sum(), abs=6e-3
        )


def test_cache(figure):
    with figure("cache") as (tab, ui):
        slide(ui, "context", 12)
        assert ui.locator(".entry b").all_text_contents() == ["2.0 GiB", "0.59 GiB"]
        slide(ui, "context", 17)
        slide(ui, "sequences at once", 1)
        ui.locator(".pick label", has_text="8 bit").click()
        assert ui.locator(".entry b").all_text_contents() == ["64.0 GiB", "4.5 GiB"]
        ui.locator(".pick label", has_text="16 bit").click()
        assert "1 of 2 fit into 80 GiB" in spoken(tab, "batch 2, 16 bit")
        assert ui.locator(".entry.over").count() == 1


def test_calculator_of_an_own_shape(figure):
    """Typed sizes count at once, the bars are sorted, and another GPU has another limit."""
    with figure("calculator") as (tab, ui):
        names = ui.locator(".entry > span")
        slide(ui, "context", 15)
        assert [name.split(",")[0] for name in names.all_text_contents()] == ["a", "your shape", "b"]
        assert ui.locator(".entry b").all_text_contents() == ["16.0 GiB", "4.0 GiB", "1.5 GiB"]
        ui.get_by_role("spinbutton", name="layers of your shape").fill("320")
        assert names.first.text_content() == "your shape"
        assert ui.locator(".entry b").first.text_content() == "40.0 GiB"
        ui.get_by_role("combobox", name="Memory of the GPU").select_option(index=0)
        assert "2 of 3 fit into 24 GiB" in spoken(tab, "24 GiB")
        ui.get_by_role("spinbutton", name="layers of your shape").fill("")
        assert ui.locator(".entry b").first.text_content() == "40.0 GiB"


def test_roofline(figure):
    """Operations per byte: 2 heads / key heads / bytes of a number; the ridge is the processor's.

    What was measured stands on its own device, with its heads, at bytes per second times operations per byte.
    """
    squares = "(all) => all.filter((one) => one.style.strokeLinecap === 'square').map((one) => one.getAttribute('d'))"
    with figure("roofline") as (tab, ui):
        assert ui.locator(".ys small").all_text_contents() == ["0.1%", "1%", "10%", "100%"]
        assert not ui.locator("svg path").evaluate_all(squares)
        assert ui.locator(".entry b").first.text_content() == "0.5 per byte, 17%"
        assert "2.9 operations in the time of a byte" in ui.locator(".read").text_content()
        assert "arithmetic limits MLA, memory the others" in ui.locator(".read").text_content()
        ui.get_by_role("combobox", name="Processor").select_option(index=1)
        assert "memory limits all" in spoken(tab, "H800: 258 operations")
        assert "measured somewhere, in TFLOP/s: MHA 1, GQA 8, MLA 181." in ui.locator(".read").text_content()
        places = [re.findall(r"[\d.]+", each)[:2] for each in ui.locator("svg path").evaluate_all(squares)]
        for (across, up), share, per_byte in zip(places, (1 / 865, 8 / 865, 181.34 / 865), (1, 4, 60.45), strict=True):
            assert float(up) == pytest.approx(100 * math.log10(share) / -3, abs=0.05)
            assert float(across) == pytest.approx(100 * (math.log2(per_byte) + 1) / 12, abs=0.05)
        slide(ui, "heads of the query", 7)
        assert ui.locator(".entry b").all_text_contents() == [
            "1.0 per byte, 0.4%",
            "16 per byte, 6.2%",
            "242 per byte, 94%",
        ]
        assert not ui.locator("svg path").evaluate_all(squares) and "measured" not in spoken(tab, "128 heads")
        slide(ui, "new tokens at once", 1)
        assert "arithmetic limits MLA" in spoken(tab, "128 heads, 2 new tokens")
