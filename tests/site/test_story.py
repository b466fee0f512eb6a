"""The story in the built book: the drawer, the guess, what is folded behind the story, the map."""

import re

import pytest
import readme
from built_book import OPEN_FOLDS, ROOT, choose_framework, settle
from chapters import sources
from reading_time import lengths
from test_pages import too_wide, violations

PAGE = "book/04_scaled_dot_product.html"
PAGES = [
    f"book/{name}.html"
    for name in ("00_ten_minutes", "01_bottleneck", "02_bahdanau", "03_luong", PAGE[5:-5], "05_self_attention")
]
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
        for state in (None, ""):  # its title shuts it and opens it, as do those of More
            first.locator("h2").click(position={"x": 30, "y": 8})
            assert drawer.get_attribute("open") == state
        more = tab.locator("section.more > section").nth(1)
        more.locator("h3").click(position={"x": 30, "y": 8})
        assert more.locator("> details").get_attribute("open") == ""
        anchor = first.get_attribute("id")
    with visit(f"{PAGE}#{anchor}") as tab:
        assert tab.locator("section.look-up > details").get_attribute("open") is not None


@pytest.mark.parametrize("width", [1280, 390])
def test_the_list_of_chapters_shows_where_one_is(visit, width):
    """After a link to a page far down in it, back up, and when a phone opens it."""
    with visit(MAP, width=width) as tab:
        for page in ("exercises", "17_serving", "04_scaled_dot_product"):
            tab.goto(f"{tab.url.rpartition('/')[0]}/{page}.html")
            if width < 992:
                tab.locator(".primary-toggle").first.click()
            line = tab.locator(".bd-links li.active > a.current").last
            tab.wait_for_timeout(300)
            box = line.bounding_box()
            assert box["y"] >= 0 and box["y"] + box["height"] <= 900, (page, box)


def test_a_chapter_carries_its_number(visit):
    """In title, tab, list of chapters, and where the page before or after leads there; a project has none."""
    with visit(PAGE) as tab:
        name = "4 · Scaled dot-product attention"
        assert tab.locator(".bd-article h1").inner_text().startswith(name) and tab.title().startswith(name)
        chapters = tab.locator(".bd-sidebar-primary .bd-links li > a").all_inner_texts()
        assert name in chapters and "0 · Attention in ten minutes" in chapters
        assert not any("·" in chapter for chapter in chapters if "project:" in chapter)
        assert tab.locator(".next-page, .right-next").first.inner_text().endswith("5 · Self-attention")


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
        guess = tab.locator(".guess").first
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


def test_a_number_is_guessed(visit):
    """Less, more and right have a reply each; Enter answers."""
    with visit(PAGES[1]) as tab:
        guess = tab.locator(".guess").first
        field, said = guess.locator("input[type=number]"), guess.locator("[role=status]")
        assert guess.locator(".guess-check").is_disabled()
        replies = []
        for number in ("9", "16", "36"):
            field.fill(number)
            field.press("Enter")
            replies.append(said.inner_text())
        assert [reply.startswith("Right.") for reply in replies] == [False, True, False] and len(set(replies)) == 3


FIGURE = """(guess) => [...document.querySelectorAll(".attn-widget")]
  .filter((one) => guess.compareDocumentPosition(one) & 2).pop()"""
ABOVE = f"(guess) => ({FIGURE})(guess).scrollIntoView()"
HELD = f"""(guess) => {{
  const above = ({FIGURE})(guess);
  return (guess.dataset.waits ?? "").split(",").map((name) => name.trim()).filter(Boolean).map((name) =>
    [...above.shadowRoot.querySelectorAll(`[aria-label="${{name}}"]`)].map((control) => control.inert));
}}"""
VALUES = f"""(guess) => [...({FIGURE})(guess).shadowRoot.querySelectorAll("input[type=range]")]
  .filter((one) => one.inert).map((one) => one.value)"""
SHOWN = """(id) => [...document.querySelectorAll(`:is(figure, section)[id^="${id}"]`)]
  .map((one) => [...one.querySelectorAll(`img, svg, .attn-widget, table, pre${one.matches("section") ? ", p" : ""}`)]
    .filter((part) => part.checkVisibility({visibilityProperty: true})).length)"""
GUESSES = [MAP, *(f"book/{path.stem}.html" for path in sources() if ":::{guess}" in path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("chapter", GUESSES)
def test_nothing_tells_before_the_guess(visit, chapter):
    """Of every guess: whatever is pressed in its figure, what is held stays; what it hides comes with the answer."""
    with visit(chapter) as tab:
        for guess in tab.locator(".guess").all():
            hides = [name.strip() for name in (guess.get_attribute("data-hides") or "").split(",") if name.strip()]
            shown = [tab.evaluate(SHOWN, name) for name in hides]
            assert all(counts and not any(counts) for counts in shown), hides
            if guess.get_attribute("data-waits"):
                guess.evaluate(ABOVE)
                tab.wait_for_function(f"(guess) => ({HELD})(guess).flat().length", arg=guess.element_handle())
                values, box = guess.evaluate(VALUES), guess.evaluate_handle(FIGURE).as_element().bounding_box()
                for place in range(60):
                    x, y = 0.05 + 0.1 * (place % 10), 0.08 + 0.15 * (place // 10)
                    tab.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
                    assert guess.evaluate(VALUES) == values and all(map(all, guess.evaluate(HELD)))
            answer = guess.locator("input").first
            if answer.get_attribute("type") == "number":
                answer.fill("1")
            else:
                answer.check(force=True)
            guess.locator(".guess-check").click()
            assert not any(map(any, guess.evaluate(HELD)))
            assert all(any(tab.evaluate(SHOWN, name)) for name in hides), hides


@pytest.mark.parametrize("width", [1280, 390])
def test_a_held_control_says_so(visit, width):
    """Where it is touched; the link leads to the guess."""
    with visit(PAGE, width=width) as tab:
        guess = tab.locator(".guess").first
        guess.evaluate(ABOVE)
        tab.wait_for_timeout(600)
        held = tab.locator('.attn-widget [aria-label="width dₖ"]').first.bounding_box()
        tab.mouse.click(held["x"] + held["width"] / 2, held["y"] + held["height"] / 2)
        link = tab.locator(".guess-first")
        assert link.inner_text() == "Guess first" and too_wide(tab) == []
        link.click()
        assert guess.locator("input").first.evaluate("(one) => one === document.activeElement")
        guess.locator(".guess-waits button").click()
        assert link.count() == 0


@pytest.mark.parametrize("framework", ["torch", "both"])
def test_signs_cost_no_line(visit, framework):
    """A tick and a figure's code: no height, a name, a title when open; one beside the other."""
    with visit(f"{PAGE}?framework={framework}") as tab:
        signs = tab.locator(":is(.cell.tag_check > .fold, .cell > .fold-code) > summary:visible")
        of_both = tab.locator(".fold-both > summary:visible").count()
        assert signs.count() >= 10 and bool(of_both) == (framework == "both")
        boxes = [one.bounding_box() for one in signs.all()]
        heights = signs.evaluate_all("(all) => all.map((one) => one.parentElement.getBoundingClientRect().height)")
        assert set(heights) == {0}
        assert all(box["width"] >= 24 and box["height"] >= 24 for box in boxes)
        names = [one.get_attribute("aria-label") for one in signs.all()]
        assert all(name.startswith(("Checked: ", "Code of this ")) for name in names)
        spots = {(round(box["x"]), round(box["y"])) for box in boxes}
        assert len(spots) == len(boxes)
        first = signs.first
        first.press("Enter")
        assert first.inner_text() == names[0]


# Words with folds shut, with folds open, and minutes: at most.
FIRST, LATER = (3800, 9000, 20), (4200, 10_000, 25)
MOST = {MAP: (1300, 9000, 10), PAGES[0]: (2200, 9000, 10)}


@pytest.mark.parametrize("chapter", [MAP, *(f"book/{path.stem}.html" for path in sources())])
def test_how_long_a_page_is(visit, chapter):
    """The minutes at its head are those that tools/reading_time.py computes."""
    words, whole, minutes = MOST.get(chapter, FIRST if chapter < "book/06" else LATER)
    with visit(chapter) as tab:
        for framework in ("torch", "tf"):
            if chapter != MAP:
                choose_framework(tab, framework)
            found = lengths(tab)
            assert found["words"] <= words and found["whole"] <= whole and found["folds"] <= 25, found
            assert round(found["minutes"]) <= minutes, found
            assert not found["told"] or abs(found["told"] - found["minutes"]) < 2, found


def test_without_a_script_the_answer_is_a_fold(visit):
    with visit(PAGE, javascript=False) as tab:
        assert not tab.locator(".guess-check").first.is_visible() and not tab.locator(".guess input").first.is_visible()
        guess = tab.locator(".guess").first
        guess.locator(".guess-replies summary").click()
        assert guess.locator(".guess-reply").count() == 3 and guess.locator(".guess-reply.right").is_visible()


def test_an_exercise_that_comes_before_is_a_link(visit):
    with visit(PAGE) as tab:
        link = tab.locator("p:has-text('You need:') a", has_text="00.weights").first
        link.click()
        assert "00_ten_minutes.html#" in tab.url
        anchor = tab.url.partition("#")[2]
        assert "softmax" in tab.locator(f"[id='{anchor}']").inner_text()


def test_the_contents_mark_where_a_jump_led(visit):
    """Up as well as down, over several headings at once, into the middle of a section."""
    with visit(PAGE) as tab:
        long = "(all) => all.filter((one) => one.offsetHeight > 1000).map((one) => one.id)"
        sections = tab.locator(".bd-article > section > section").evaluate_all(long)
        assert len(sections) > 3
        middle = "(id) => document.getElementById(id).scrollIntoView({behavior: 'instant', block: 'center'})"
        for place in (2, 0, 3, 1):
            tab.evaluate(middle, sections[place])
            tab.locator(f".toc-entry.active > a[href='#{sections[place]}']").wait_for(timeout=5000)
            assert tab.locator("#pst-page-toc-nav a[aria-current]").count() == 1


def test_the_introduction_shows_figures_of_chapters(visit):
    with visit(MAP) as tab:
        pictures = tab.locator(".shown-figure a:has(img)")
        assert pictures.count() == 3 and all(one.get_attribute("alt") for one in tab.locator(".shown-figure img").all())
        for place in range(3):
            page, _, anchor = pictures.nth(place).get_attribute("href").partition("#")
            with visit(f"book/{page}") as other:
                assert other.locator(f"[id='{anchor}']").count() == 1


LABELS = """(figure) => {
  const shown = (one) => one.checkVisibility?.({visibilityProperty: true}) && one.localName !== "style"
    && !one.classList.contains("hide") && one.getBoundingClientRect().width > 2
    && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...figure.shadowRoot.querySelectorAll("*")].filter(shown).map((one) => {
    const svg = one.ownerSVGElement;
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    return [parseFloat(getComputedStyle(one).fontSize) * scale, one.textContent.slice(0, 20)];
  });
}"""


def first_screens(tab, height):
    """The hook stands on the first screen, the whole figure on the first two; nothing is wider than the window."""
    hook = tab.locator("section > blockquote").first.bounding_box()
    figure = tab.locator(".attn-widget").first.bounding_box()
    assert hook["y"] + hook["height"] < height
    assert figure["y"] + figure["height"] < 2 * height
    assert too_wide(tab) == []


@pytest.mark.parametrize("chapter", PAGES)
def test_the_beginning_of_a_chapter(visit, chapter):
    with visit(chapter, width=390) as tab:
        first_screens(tab, 844)
    with visit(chapter) as tab:
        first_screens(tab, 900)
        # Code has at least 13.5 px on a laptop, but the package's own source; the first figure's words 12.
        sizes = tab.evaluate(
            """() => [...document.querySelectorAll(".bd-article div.cell_input pre")]
              .filter((code) => code.offsetParent).map((code) => parseFloat(getComputedStyle(code).fontSize))"""
        )
        assert sizes and min(sizes) >= 13.5
        labels = tab.locator(".attn-widget").first.evaluate(LABELS)
        assert labels and [label for label in labels if label[0] < 12] == []
        # Every control that a guess names is there, and is held until the guess is checked or passed over.
        guess = tab.locator(".guess").first
        guess.evaluate(ABOVE)
        all_held = "held.length && held.every((names) => names.length && names.every(Boolean))"
        held = f"(guess) => {{ const held = ({HELD})(guess); return {all_held}; }}"
        tab.wait_for_function(held, arg=guess.element_handle())
        if chapter == PAGES[0]:
            guess.locator("input").first.fill("0.33")
            guess.locator(".guess-check").click()
        else:
            guess.locator(".guess-waits button").click()
        assert not any(any(names) for names in guess.evaluate(HELD)) and not guess.locator(".guess-waits").is_visible()
        # Figures have the numbers 1, 2, 3 ... without a gap, in PyTorch as in TensorFlow.
        tab.evaluate(OPEN_FOLDS)
        for framework in ("torch", "tf"):
            choose_framework(tab, framework)
            texts = tab.locator("figcaption .caption-number:visible").all_inner_texts()
            assert [int(text.split()[-1]) for text in texts] == list(range(1, len(texts) + 1)), framework
            assert len(texts) >= 3


def test_the_map_counts_what_each_page_says_it_takes(visit):
    """Reading, exercises, and the hours of the capstone, which has none."""
    rows = readme.MINUTES.findall((ROOT / "book" / "teaching.md").read_text(encoding="utf-8"))
    hours = sum(int(minutes) for _, *row in rows for minutes in row) / 60
    with visit(MAP) as tab:
        assert tab.locator(".map-hours").inner_text().endswith(f" everything about {hours:.0f}.")
        told = tab.locator('.course-map li[data-page="03_luong"] .map-told').inner_text()
        assert re.fullmatch(r"●●○level 2 of 3 · after 2 · \d+ \+ \d+ min", told.replace("\n", ""))


@pytest.mark.parametrize("width", [390, 1280])
def test_the_map_is_accessible(visit, width):
    """A chapter's elements are looked at in test_form."""
    with visit(MAP, width=width) as tab:
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)
            settle(tab)
            assert violations(tab) == [] and too_wide(tab) == [], scheme


def test_what_the_map_remembers(visit):
    """A chapter that is marked as read has its tick, the next one is where to go on; the browser alone knows it."""
    with visit(MAP) as tab:
        assert tab.locator(".map-next a").inner_text() == "Begin with chapter 0"
        tab.goto(tab.url.replace("intro", "00_ten_minutes"))
        button = tab.locator(".mark-read button")
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        tab.goto(tab.url.split("#")[0].replace("00_ten_minutes", "intro"))
        assert tab.locator(".course-map li.read").count() == 1
        assert tab.locator(".map-next a").inner_text() == "Continue with chapter 1"
        tab.locator(".map-bar summary").click()
        tab.locator("#map-code").fill("00-3.04-1f")
        tab.locator(".map-form button").click()
        assert tab.locator(".map-said").inner_text() == "7 exercises solved."
        assert "2 of 5 solved" in tab.locator('.course-map li[data-group="00"] .map-done').first.inner_text()
