"""The elements of a chapter in a browser, on a small book that has each of them once."""

import re
import sys

import pytest
from built_book import ROOT, build_again, run, settle
from solution_lines import leaks, only_in_solutions
from test_pages import too_wide, violations

sys.path.insert(0, str(ROOT / "tools"))

from epub import faults

PAGE = "book/02_average.html"
WIDTHS = (320, 390, 1280, 1440)
STORY_TABS = ".fw-tabs:not(.look-up *)"  # the card is a closed drawer
CLAIMS = ".bd-article details:is(.fold-check, .fold-both)"


@pytest.fixture
def form_page(visit, form_address):
    def opened(query="", **options):
        return visit(PAGE + query, base=form_address, **options)

    return opened


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("framework", ["torch", "tf", "both"])
def test_nothing_is_wider_than_the_window(form_page, width, framework):
    with form_page(f"?framework={framework}", width=width) as tab:
        assert too_wide(tab) == [] and tab.faults == []
        tab.evaluate("document.querySelectorAll('details').forEach((block) => { block.open = true; })")
        assert too_wide(tab) == []


@pytest.mark.parametrize("width", [1280, 1440])
@pytest.mark.parametrize("framework", ["torch", "both"])
def test_code_does_not_scroll_beside_the_bars(form_page, width, framework):
    """80 characters, 76 in tabs, and 88 of the package: folds are open."""
    with form_page(f"?framework={framework}", width=width) as tab:
        tab.evaluate("document.querySelectorAll('details').forEach((block) => { block.open = true; })")
        wide = tab.evaluate(
            """() => [...document.querySelectorAll(".bd-article pre")]
              .filter((code) => code.offsetParent && code.scrollWidth > code.clientWidth + 1)
              .map((code) => [code.clientWidth, code.scrollWidth, code.textContent.slice(0, 60)])"""
        )
        assert wide == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible(form_page, width, scheme):
    with form_page("?framework=both", width=width, scheme=scheme) as tab:
        tab.evaluate("document.querySelectorAll('details').forEach((block) => { block.open = true; })")
        assert violations(tab) == []


def columns(tab):
    """Left edges of the two panels of the first group."""
    panels = tab.locator(STORY_TABS).first
    return [round(panels.locator(f".fw-{key}").bounding_box()["x"]) for key in ("torch", "tf")]


def test_both_has_two_columns_where_76_characters_fit(form_page):
    """At 13.6 px they are 622 px wide: two columns with their borders need more than 1,280."""
    with form_page("?framework=both", width=1440) as tab:
        one, other = columns(tab)
        assert other > one + 500
    for width in (390, 1280):
        with form_page("?framework=both", width=width) as tab:
            assert columns(tab)[0] == columns(tab)[1]


def test_a_phone_shows_one_framework_at_first(form_page):
    with form_page(width=390) as tab:
        assert (
            tab.locator(f"{STORY_TABS} .fw-torch").first.is_visible()
            and not tab.locator(f"{STORY_TABS} .fw-tf").first.is_visible()
        )


def test_claims_are_counted_folded_and_opened(form_page):
    with form_page("?framework=both") as tab:
        line = tab.locator(".claims")
        assert line.inner_text().startswith("✓ 4 claims on this page are checked whenever the book is tested. Open all")
        claims = tab.locator(CLAIMS)
        assert claims.count() == 6
        assert claims.first.locator("summary").inner_text().startswith("✓\nChecked: Equal to F.scaled_dot")
        assert not claims.first.locator("pre").is_visible()
        tab.locator(".claims-all").click()
        assert all(claims.nth(place).locator("pre").is_visible() for place in range(6))
        tab.get_by_role("button", name="Close all").click()
        assert not claims.first.locator("pre").is_visible()


def test_keyboard_opens_a_fold(form_page):
    with form_page() as tab:
        summary = tab.locator(".fold-package summary").first
        summary.focus()
        tab.keyboard.press("Enter")
        assert tab.locator(".fold-package .highlight").first.is_visible()


def test_the_package_shows_its_source_and_not_the_call(form_page):
    with form_page() as tab:
        fold = tab.locator(".fold-package").first
        assert "def masked_softmax" in fold.text_content() and "source(parts" not in fold.text_content()
        assert fold.locator("details").count() == 0  # highlighted, not the notebook's HTML


@pytest.mark.parametrize(("framework", "shown"), [("torch", False), ("tf", False), ("both", True)])
def test_the_comparison_is_for_both(form_page, framework, shown):
    with form_page(f"?framework={framework}") as tab:
        assert tab.locator(".cell.tag_both").is_visible() is shown


def test_solution_and_exercise(form_page):
    with form_page() as tab:
        assert tab.locator(".fold-solution summary").inner_text().split() == ["◆", "Solution"]
        exercise = tab.locator(".cell.tag_exercise")
        assert exercise.inner_text().startswith("Your turn: edit this cell and run it")
        assert exercise.locator(".cell_output").count() == 0


def test_the_card_tables_and_figures(form_page):
    with form_page() as tab:
        assert tab.locator("section.look-up .fw-tabs").count() == 1
        assert tab.locator(".cell_output table").first.is_visible()
        figures = tab.locator("svg.drawn")
        assert figures.count() == 2
        assert figures.first.get_attribute("aria-label").startswith("One row of two cells;")
        code = tab.locator("#by-hand-two-keys .fold-code")
        assert code.bounding_box()["y"] > figures.first.bounding_box()["y"]


def test_a_figure_follows_light_and_dark(form_page):
    colors = []
    for scheme in ("light", "dark"):
        with form_page(scheme=scheme) as tab:
            colors.append(
                tab.evaluate(
                    """() => [...new Set([...document.querySelectorAll("svg.drawn path, svg.drawn text")].flatMap(
                      (part) => [getComputedStyle(part).stroke, getComputedStyle(part).fill]))].sort()"""
                )
            )
    light, dark = colors
    kept = {color for color in light if color.startswith("rgb")} & {color for color in dark if color.startswith("rgb")}
    assert light != dark and kept <= {"rgb(0, 0, 0)"}  # the initial value of shapes that are only drawn as lines


def test_the_transpose_sign_is_not_clipped(form_page):
    with form_page() as tab:
        hidden = tab.evaluate(
            """() => [...document.querySelectorAll("div.math mjx-c")].filter((sign) => {
              const box = sign.getBoundingClientRect();
              for (let around = sign.parentElement; !around.matches("section"); around = around.parentElement) {
                const room = around.getBoundingClientRect();
                const clips = getComputedStyle(around).overflowY !== "visible";
                if (clips && (box.top < room.top + 2 || box.bottom > room.bottom - 2)) return true;
              }
              return false;
            }).length"""
        )
        assert hidden == 0


def test_a_formula_begins_at_its_beginning_on_a_phone(form_page):
    """What is centered and too wide would hang over at the left, where nothing scrolls to it."""
    with form_page(width=320) as tab:
        left = tab.evaluate(
            """() => [...document.querySelectorAll("mjx-container[display]")].map((formula) =>
              formula.querySelector("mjx-math").getBoundingClientRect().left - formula.getBoundingClientRect().left)"""
        )
        assert left and min(left) >= -1


def test_paper_has_both_frameworks_and_open_folds(form_page):
    with form_page() as tab:
        tab.emulate_media(media="print")
        tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert (
            tab.locator(f"{STORY_TABS} .fw-tf").first.is_visible()
            and tab.locator(f"{STORY_TABS} .fw-torch").first.is_visible()
        )
        assert tab.locator(".bd-article details:not([open])").count() == 0
        tab.evaluate("dispatchEvent(new Event('afterprint'))")
        assert tab.locator(".bd-article details[open]").count() == 0


def test_without_javascript_everything_can_be_read(form_page):
    with form_page(javascript=False) as tab:
        assert tab.locator(f"{STORY_TABS} .fw-torch").first.is_visible()
        tab.locator(STORY_TABS).first.get_by_role("radio", name="TensorFlow").check(force=True)
        assert tab.locator(f"{STORY_TABS} .fw-tf").first.is_visible()
        assert not tab.locator(".claims-all").is_visible()
        assert tab.locator(".cell.tag_both").is_visible()


def test_without_javascript_formulas_are_mathml(form_page):
    """And what MathJax would read takes no room."""
    with form_page(javascript=False) as tab:
        assert tab.locator(".math").count() == tab.locator(".math > noscript > math, .math math").count() > 5
        for formula in tab.locator("span.math:visible").all()[:5]:
            drawn = formula.locator("math").bounding_box()
            assert drawn["width"] > 4 and abs(formula.bounding_box()["width"] - drawn["width"]) < 3
        assert tab.locator("div.math math").first.bounding_box()["height"] > 20
        assert tab.locator("div.math .eqno").first.bounding_box()["width"] > 5
    with form_page() as tab:
        assert tab.locator(".math math:visible").count() == 0 or tab.locator("mjx-assistive-mml").count()
        assert tab.locator("noscript math").count() == 0


def leads(tab, part):
    """Where the first link leads that holds a text."""
    return tab.locator(f'a[href*="{part}"][href$=".ipynb"]').first.get_attribute("href")


def test_colab_and_the_download_give_the_notebook_of_the_choice(form, form_page):
    with form_page() as tab:
        for key, place in (("tf", "notebooks/main"), ("both", "main/book"), ("torch", "notebooks/main")):
            name = "02_average.ipynb" if key == "both" else f"02_average_{key}.ipynb"
            tab.locator(f'.fw-page input[value="{key}"]').check(force=True)
            assert leads(tab, "colab.research.google.com").endswith(f"/blob/{place}/{name}")
            assert leads(tab, "_sources/").endswith(f"_sources/book/{name}")
            assert (form / "_build" / "html" / "_sources" / "book" / name).exists()


def found(tab, words):
    """The titles that the search lists, the best one first, for words typed into the page's field."""
    tab.locator(".search-button__button:visible").first.click()
    field = tab.locator('.search-button__search-container input[type="search"], dialog input[type="search"]').first
    field.fill(words)
    field.press("Enter")
    tab.wait_for_url("**/search.html*")
    tab.locator("#search-results li").first.wait_for()
    settle(tab)
    return tab.locator("#search-results li > a").all_inner_texts()


@pytest.mark.parametrize(
    ("words", "heading"),
    [
        ("dictionary", "The idea: a dictionary that averages"),
        ("scores grow", "The reason: scores grow with the width"),
        ("weighted average", "Look it up: match, normalize, average"),  # the chapter's subject: its card
        ("average by hand", "By hand: two keys"),
    ],
)
def test_the_search_finds_sections(form_page, words, heading):
    with form_page() as tab:
        assert found(tab, words)[0].endswith(heading)


def test_the_search_finds_claims(form_page):
    with form_page() as tab:
        assert any("Weighted averages" in title for title in found(tab, "ten times as far"))


def test_icons_are_drawn(form_page):
    """By fonts that hold the icons that are used; each icon has the font's own shape, not an empty box."""
    with form_page() as tab:
        tab.evaluate("() => document.fonts.ready.then(() => true)")
        loaded = tab.evaluate(
            "() => [...document.fonts].filter((font) => font.status === 'loaded').map((f) => f.family)"
        )
        assert any("Font Awesome" in family for family in loaded)
        assert all(re.search(r"\.woff\b", url) for url in tab.requests if "webfonts" in url)
        assert not any("fontawesome.js.map" in url for url in tab.requests)


def test_a_book_for_a_class_holds_no_solution(form, tmp_path):
    """Not in its pages, nor in any file that they serve: sources, notebooks, the search, slides; nor in the e-book."""
    lines = only_in_solutions((form / "book" / "02_average.md").read_text(encoding="utf-8"))
    assert len(leaks(form / "_build" / "html", lines)) >= 3 * len(lines) > 0, "page, source and notebook hold them"
    site = build_again(form, tmp_path / "class", ATTN_COURSE_SOLUTIONS="no")
    run(site.parents[1], sys.executable, ROOT / "tools" / "slides.py", "--root", site.parents[1], "02")
    assert leaks(site.parent / "slides", lines) == []
    assert leaks(site, lines) == [] and "fold-solution" not in (site / PAGE).read_text(encoding="utf-8")
    assert "Your turn" in (site / PAGE).read_text(encoding="utf-8")
    kind = ("--builder", "custom", "--custom-builder", "epub")
    build_again(form, tmp_path / "epub", *kind, ATTN_COURSE_SOLUTIONS="no", ATTN_COURSE_BUILDER="epub")
    (book,) = (tmp_path / "epub" / "_build" / "epub").glob("*.epub")
    assert leaks(book.parent, lines) == []
    assert faults(book) == [], "every element of a chapter is XML in the e-book"


def test_what_a_host_of_pages_looks_for(form):
    site = form / "_build" / "html"
    sitemap = re.search(r"(?m)^Sitemap: (https://.*)sitemap.xml$", (site / "robots.txt").read_text(encoding="utf-8"))
    assert f'<a href="{sitemap[1]}">' in (site / "404.html").read_text(encoding="utf-8")
    assert (site / "sitemap.xml").exists()
