"""The story in the built book: the drawer, the guess, what is folded behind the story, the map."""

import pytest
from test_pages import too_wide, violations

PAGE = "book/04_scaled_dot_product.html"
MAP = "book/intro.html"


def test_the_card_is_a_closed_drawer_under_the_title(visit):
    """First in the contents, and opened by a click, by its link and by an address."""
    with visit(PAGE) as tab:
        drawer = tab.locator("section.look-up > details")
        first = tab.locator("section > section").first
        assert "look-up" in first.get_attribute("class") and drawer.get_attribute("open") is None
        contents = tab.locator(".bd-sidebar-secondary .nav-link")
        assert contents.first.inner_text().startswith("Look it up")
        contents.first.click()
        assert drawer.get_attribute("open") is not None and drawer.locator(".fw-tabs").first.is_visible()
        anchor = first.get_attribute("id")
    with visit(f"{PAGE}#{anchor}") as tab:
        assert tab.locator("section.look-up > details").get_attribute("open") is not None


def test_a_link_opens_its_part_of_more(visit):
    with visit(PAGE) as tab:
        parts = tab.locator("section.more > section")
        assert parts.count() >= 3
        assert all(one.get_attribute("open") is None for one in parts.locator("> details").all())
        anchor = parts.nth(1).get_attribute("id")
    with visit(f"{PAGE}#{anchor}") as tab:
        state = [one.get_attribute("open") is not None for one in tab.locator("section.more > section > details").all()]
        assert state == [number == 1 for number in range(len(state))]


def test_a_guess_by_keyboard(visit):
    """Arrow keys choose and tell nothing; the button answers, in a live region; another choice can be checked."""
    with visit(PAGE) as tab:
        guess = tab.locator(".guess")
        button, said = guess.locator(".guess-check"), guess.locator("[role=status]")
        assert button.is_disabled() and said.inner_text() == ""
        guess.locator("input").first.focus()
        replies = []
        for key in ("Space", "ArrowDown", "ArrowDown"):
            tab.keyboard.press(key)
            assert said.inner_text() == (replies[-1] if replies else "")
            button.press("Enter")
            replies.append(said.inner_text())
            guess.locator("input:checked").focus()
        assert [reply.startswith("Right.") for reply in replies] == [False, True, False]
        assert len(set(replies)) == 3
        assert tab.evaluate("Object.keys(localStorage).filter((key) => /guess/.test(key)).length") == 0


def test_without_a_script_the_answer_is_a_fold(visit):
    with visit(PAGE, javascript=False) as tab:
        assert not tab.locator(".guess-check").is_visible() and not tab.locator(".guess input").first.is_visible()
        tab.locator(".guess-replies summary").click()
        assert tab.locator(".guess-reply").count() == 3 and tab.locator(".guess-reply.right").is_visible()


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
def test_the_first_screens(visit, width, height):
    """The hook stands on the first screen, the whole figure on the first two; nothing is wider than the window."""
    with visit(PAGE, width=width) as tab:
        hook = tab.locator("section > blockquote").first.bounding_box()
        figure = tab.locator(".attn-widget").first.bounding_box()
        assert hook["y"] + hook["height"] < height
        assert figure["y"] + figure["height"] < 2 * height
        assert too_wide(tab) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("address_of", [PAGE, MAP])
def test_accessible(visit, address_of, width, scheme):
    """Also with all folds open and the guess answered."""
    with visit(address_of, width=width, scheme=scheme) as tab:
        tab.evaluate("document.querySelectorAll('details').forEach((block) => { block.open = true; })")
        if address_of == PAGE:
            tab.locator(".guess-answer").nth(1).click()
            tab.locator(".guess-check").click()
        assert violations(tab) == [] and too_wide(tab) == []


def test_figures_have_one_number_in_each_view(visit):
    """1, 2, 3 ... without a gap, in PyTorch as in TensorFlow."""
    for framework in ("torch", "tf"):
        with visit(f"{PAGE}?framework={framework}") as tab:
            tab.evaluate("document.querySelectorAll('details').forEach((block) => { block.open = true; })")
            texts = tab.locator("figcaption .caption-number:visible").all_inner_texts()
            assert [int(text.split()[-1]) for text in texts] == list(range(1, len(texts) + 1)), framework
            assert len(texts) >= 6


def test_what_the_map_remembers(visit):
    """A chapter that is marked as read has its tick, the next one is where to go on; the browser alone knows it."""
    with visit(MAP) as tab:
        assert tab.locator(".map-next a").inner_text().startswith("Begin at 0")
        tab.goto(tab.url.replace("intro", "00_ten_minutes"))
        button = tab.locator(".mark-read button")
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        tab.goto(tab.url.split("#")[0].replace("00_ten_minutes", "intro"))
        assert tab.locator(".course-map li.read").count() == 1
        assert tab.locator(".map-next a").inner_text().startswith("Continue at 1")
        tab.locator("#map-code").fill("00-3.04-1f")
        tab.locator(".map-form button").click()
        assert tab.locator(".map-said").inner_text() == "7 exercises solved."
        assert "2 of 5 solved" in tab.locator('.course-map li[data-group="00"] .map-done').first.inner_text()
