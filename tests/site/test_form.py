"""The elements of a chapter in a browser, on a small book that has each of them once."""

import re
import shutil
import sys
from urllib.parse import urlsplit

import pytest
from browser import served
from built_book import OPEN_FOLDS, ROOT, build_again, choose_framework, run, settle
from epub import faults
from solution_lines import leaks, only_in_solutions
from test_pages import COLORS, too_wide, violations

PAGE = "book/02_average.html"
WIDTHS = (320, 390, 1280, 1440)
STORY_TABS = ".fw-tabs:not(.look-up *)"  # the card is a closed drawer
CLAIMS = ".bd-article details:is(.fold-check, .fold-both)"


@pytest.mark.parametrize("width", WIDTHS)
def test_it_fits_and_is_accessible(form_page, width):
    """Nothing is wider than the window; code (80 characters, 76 in tabs, 88 of the package) has no bars on a laptop."""
    with form_page(width=width) as tab:
        for framework in ("torch", "tf", "both"):
            choose_framework(tab, framework)
            assert too_wide(tab) == [] and tab.faults == []
            tab.evaluate(OPEN_FOLDS)
            assert too_wide(tab) == []
            wide = tab.evaluate(
                """() => [...document.querySelectorAll(".bd-article pre")]
                  .filter((code) => code.offsetParent && code.scrollWidth > code.clientWidth + 1)
                  .map((code) => [code.clientWidth, code.scrollWidth, code.textContent.slice(0, 60)])"""
            )
            assert width < 1280 or wide == []
            if framework != "both":
                tab.evaluate(OPEN_FOLDS.replace("true", "false"))
        tab.locator(".guess-answer").nth(1).click()
        tab.locator(".guess-check").first.click()
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)
            settle(tab)
            assert violations(tab, *(COLORS if scheme == "dark" else ())) == [], scheme


def test_claims_are_counted_folded_and_opened(form_page):
    with form_page("?framework=both") as tab:
        line = tab.locator(".claims")
        assert line.inner_text().startswith("✓ 4 claims on this page are checked whenever the book is tested. Open all")
        # Between the head and the first section, on every page.
        assert line.evaluate("(line) => line.nextElementSibling.matches('section')")
        claims = tab.locator(CLAIMS)
        assert claims.count() == 6
        first = claims.first.locator("summary")
        assert first.get_attribute("aria-label").startswith("Checked: Equal to F.scaled_dot")
        assert not claims.first.locator("pre").is_visible()
        tab.locator(".claims-all").click()
        assert all(claims.nth(place).locator("pre").is_visible() for place in range(6))
        tab.get_by_role("button", name="Close all").click()
        assert not claims.first.locator("pre").is_visible()


def test_the_package_shows_its_source_and_not_the_call(form_page):
    with form_page() as tab:
        summary = tab.locator(".fold-package summary").first
        summary.focus()
        tab.keyboard.press("Enter")
        tab.locator(".fold-package .highlight").first.wait_for()  # made when it is opened
        fold = tab.locator(".fold-package").first
        assert "def masked_softmax" in fold.text_content() and "source(parts" not in fold.text_content()
        assert fold.locator("details").count() == 0  # highlighted, not the notebook's HTML


def test_solution_exercise_card_tables_and_figures(form_page):
    with form_page() as tab:
        assert tab.locator(".fold-solution summary").inner_text().split() == ["◆", "Solution"]
        exercise = tab.locator(".cell.tag_exercise")
        bar = exercise.locator(".your-turn")
        assert bar.inner_text() == "Your turn: open in Colab or download"
        assert exercise.locator(".cell_output").count() == 0
        assert tab.locator("section.look-up .fw-tabs").count() == 1
        assert tab.locator(".cell_output table").first.is_visible()
        figures = tab.locator("svg.drawn")
        assert figures.count() == 2
        assert figures.first.get_attribute("aria-label").startswith("One row of two cells;")
        code = tab.locator("#by-hand-two-keys .fold-code summary")
        assert code.bounding_box()["y"] > figures.first.bounding_box()["y"]


def test_a_figure_follows_light_and_dark(form_page):
    colors = []
    with form_page() as tab:
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)
            settle(tab)
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
            """() => [...document.querySelectorAll("div.math :is(mi, mo)")].filter((sign) => {
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
            """() => [...document.querySelectorAll("div.math")].map((formula) =>
              formula.querySelector("math > *").getBoundingClientRect().left - formula.getBoundingClientRect().left)"""
        )
        assert left and min(left) >= -1


@pytest.mark.parametrize(("choice", "shown", "hidden"), [("torch", "torch", "tf"), ("tf", "tf", "torch")])
def test_paper_has_the_chosen_framework_and_what_is_open(form_page, choice, shown, hidden):
    """Never a solution, a check or the package's source, though they be open; the card, if open, comes last."""
    with form_page(f"?framework={choice}") as tab:
        tab.emulate_media(media="print")
        assert tab.locator(f"{STORY_TABS} .fw-{shown}").first.is_visible()
        assert not tab.locator(f"{STORY_TABS} .fw-{hidden}").first.is_visible()
        assert tab.locator(".bd-article details:visible").count() == 0
        assert not tab.locator("section.look-up").is_visible() and not tab.locator(".guess").first.is_visible()
        tab.evaluate(OPEN_FOLDS)
        kinds = ":is(.fold-solution, .fold-check, .fold-package, .fold-code)"
        assert tab.locator(f".bd-article details{kinds}").count() > 3
        assert tab.locator(f".bd-article details{kinds}:visible").count() == 0
        card, title = (
            tab.locator(f"{place}").first.bounding_box()["y"]
            for place in ("section.look-up", "section.summary, article h2 >> nth=-1")
        )
        assert card > title


def test_a_fold_s_source_comes_when_it_is_opened(form_page):
    """Until then it is text without elements; then it can be copied, and is as without JavaScript."""
    with form_page() as tab:
        fold = tab.locator(".fold-package").first
        assert fold.locator("pre").count() == 0
        fold.locator("summary").click()
        fold.locator("pre").first.wait_for()
        opened = fold.locator("pre").first.inner_text()
        assert fold.locator(".copybtn").first.get_attribute("data-clipboard-target").startswith("#opened-")
    with form_page(javascript=False) as tab:
        fold = tab.locator(".fold-package").first
        fold.locator("summary").click()
        assert fold.locator("pre").first.inner_text() == opened


def test_formulas_need_no_javascript(form_page):
    with form_page(javascript=False) as tab:
        assert not tab.locator(".claims-all").is_visible() and tab.locator(".fold-both > summary").is_visible()
        assert tab.locator(".math").count() == tab.locator(".math > math").count() > 5
        assert tab.locator("div.math math").first.bounding_box()["height"] > 20
        assert tab.locator("div.math .eqno").first.bounding_box()["width"] > 5


def test_mathjax_draws_for_who_asked(visit):
    with visit("book/accessibility.html") as tab:
        tab.locator(".draw-math button").click()
        tab.goto(tab.url.replace("accessibility", "notation"))
        tab.locator("mjx-container").first.wait_for()
        tab.wait_for_function("() => !document.querySelector('.math > math')")
        assert tab.faults == []


def leads(tab, part):
    """Where the links lead that hold a text: at the top, and of an exercise."""
    links = tab.locator(f'a[href*="{part}"][href$=".ipynb"]').all()
    return [link.get_attribute("href") for link in links]


def test_colab_and_the_download_give_the_notebook_of_the_choice(form, form_page):
    with form_page() as tab:
        for key, place in (("tf", "notebooks/main"), ("both", "main/book"), ("torch", "notebooks/main")):
            name = "02_average.ipynb" if key == "both" else f"02_average_{key}.ipynb"
            choose_framework(tab, key)
            assert tab.locator(".fold-both > summary").is_visible() is (key == "both")
            for part, end in (
                ("colab.research.google.com", f"/blob/{place}/{name}"),
                ("_sources/", f"_sources/book/{name}"),
            ):
                links = leads(tab, part)
                assert len(links) >= 2 and all(link.endswith(end) for link in links)
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


def test_the_search_finds_sections_and_claims(form_page):
    headings = {
        "dictionary": "The idea: a dictionary that averages",
        "scores grow": "The reason: scores grow with the width",
        "weighted average": "Look it up: match, normalize, average",  # the chapter's subject: its card
        "average by hand": "By hand: two keys",
    }
    with form_page() as tab:
        page = tab.url
        for words, heading in headings.items():
            assert found(tab, words)[0].endswith(heading)
            tab.goto(page)
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


def test_what_a_host_of_pages_looks_for(form, visit, tmp_path):
    """The page for an address that doesn't exist has the list of chapters, and a search, wherever the address is."""
    built = form / "_build" / "html"
    sitemap = re.search(r"(?m)^Sitemap: (https://.*)sitemap.xml$", (built / "robots.txt").read_text(encoding="utf-8"))
    assert (built / "sitemap.xml").exists() and "404.html" not in (built / "sitemap.xml").read_text(encoding="utf-8")
    site = tmp_path / urlsplit(sitemap[1]).path.strip("/")
    shutil.copytree(built, site)
    (site / "no" / "such").mkdir(parents=True)
    shutil.copy(site / "404.html", site / "no" / "such" / "page.html")
    with served(tmp_path) as host, visit(f"{site.name}/no/such/page.html", base=host) as tab:
        assert tab.get_by_role("heading", level=1).inner_text() == "There is no such page"
        assert tab.get_by_role("link", name="Weighted averages").first.is_visible() and violations(tab) == []
        tab.locator("#main-content input[name=q]").fill("shelves")
        tab.locator("#search-results li > a").first.click()
        tab.wait_for_url(f"{host}{site.name}/book/02_average.html*")
        assert tab.faults == []
