"""Look-ups, as people type them: the first result is the section that answers. And the search's other sides."""

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from built_book import SITE, choose_framework, settle
from test_pages import too_wide, violations

# A line each: the words; the page; how the headings begin that answer.
TABLE = Path(__file__).with_name("look_ups.tsv").read_text(encoding="utf-8")
# The first edition's; those of who serves or trains in 2026; those written down before anybody had searched for them.
LOOK_UPS, LATER, UNSEEN = ([line.split("\t") for line in part.splitlines()] for part in TABLE.split("\n\n"))
# How many there are, and may be missed: a search that is tuned to its own test says little about the words that come
# next. Of the unseen, when the last fifty were new, 33 had their section first, and 37 of the fifty before.
ASKED = [(LOOK_UPS, 41, 4), (LATER, len(LATER), 0), (UNSEEN, 162, 32)]


def listed(tab, words):
    """Address and heading of what the search page lists for what is typed, the best first."""
    tab.locator("#main-content input[name=q]").fill(words)
    links = tab.locator("#search-results li > a")
    return links.evaluate_all("(links) => links.map((link) => [link.getAttribute('href'), link.textContent])")


@pytest.fixture(scope="module")
def found(browser):
    """What is listed for each of the words, in a book that is opened from a disk."""
    context = browser.new_context()
    tab = context.new_page()
    faults = []
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.goto(f"{SITE.resolve().as_uri()}/search.html")
    tab.locator("#search-results [role=status]").wait_for(state="attached")
    results = {words: listed(tab, words) for words, _, _ in LOOK_UPS + LATER + UNSEEN}
    context.close()
    assert faults == []
    return results


@pytest.mark.parametrize(("rows", "count", "misses"), ASKED, ids=["first", "later", "unseen"])
def test_the_first_result_answers(found, rows, count, misses):
    wrong = []
    for words, page, heading in rows:
        address, title = (found[words] or [("", "nothing")])[0]
        if not (re.search(rf"/{page}", address) and re.match(heading, title.partition(" > ")[2])):
            wrong.append(f"{words}: {address} {title}")
    assert len(rows) == count and len(wrong) <= misses, "\n".join(wrong)


def test_the_section_that_answers_is_there():
    """A row whose heading was changed would be a miss for good. Bibliographies are no part of a section."""
    text = (SITE / "_static" / "search_sections.js").read_text(encoding="utf-8")
    sections = json.loads(text.removeprefix("const SECTIONS = ").rstrip(";\n"))
    for words, where, heading in LOOK_UPS:
        there = [one for one in sections if re.search(rf"/{where}", one["page"]) and re.match(heading, one["title"])]
        assert there, f"{words!r}: no section begins with {heading!r}"
    assert "Advances in Neural" not in text and not (SITE / "searchindex.js").exists()
    assert not [one for one in sections if re.search(r"\bShow\b|Checked: |Code of this|\\", one.get("text", ""))]


def test_a_public_name_leads_to_its_entry(visit):
    """Written as in code: before the chapters that use it."""
    with visit("search.html?q=mask") as tab:
        tab.locator("#search-results li").first.wait_for()
        for name in ("KVCache", "MultiHeadAttention", "SlidingWindowAttention", "padding_mask", "RotaryEncoding"):
            first = tab.evaluate("(name) => window.findSections(name)[0]", name)
            assert first["kind"] == "name" and first["title"].split(" ")[0] == name
        for name in ("from_keras", "from_torch", "new_cache", "prune_heads", "KVCache.truncate"):
            first = tab.evaluate("(name) => window.findSections(name)[0]", name)
            assert first["kind"] == "method" and re.search(rf"\b{name} \(", first["title"])
            assert f'id="{first["anchor"]}"' in (SITE / f"{first['page']}.html").read_text(encoding="utf-8")


def test_ties_stand_in_the_order_of_the_contents(browser):
    """Three sections that answer alike, under titles that the alphabet would turn around; a name goes to its card."""
    alike = [
        {"page": f"book/0{n}_x", "anchor": word, "title": f"{word} mask", "kind": "section", "text": "The mask."}
        for n, word in enumerate(("zebra", "monkey", "ape"))
    ]
    pages = [{"page": one["page"], "title": "Masks", "kind": "page"} for one in alike]
    card = {"page": "book/01_x", "anchor": "card", "title": "Look it up: all", "kind": "card", "names": ["paired mask"]}
    context, tab = searching(browser, [*pages, *alike, card])
    find = "(words) => findSections(words).filter((one) => one.anchor).map((one) => one.anchor)"
    found, named = tab.evaluate(find, "mask"), tab.evaluate(find, "paired mask")
    context.close()
    assert [anchor for anchor in found if anchor != "card"] == ["zebra", "monkey", "ape"]
    assert named[0] == "card"


def searching(browser, sections):
    """A page that searches a list of its own."""
    context = browser.new_context()
    tab = context.new_page()
    tab.set_content("<p>")
    tab.add_script_tag(content=f"const SECTIONS = {json.dumps(sections)};")
    for name in ("language_data.js", "minisearch/minisearch.js", "search.js"):
        tab.add_script_tag(content=(SITE / "_static" / name).read_text(encoding="utf-8"))
    return context, tab


def test_a_word_is_not_taken_for_another_of_its_stem(browser):
    """But for its plural."""
    said = ("An indexer chooses.", "Indexers.", "The index of a row.", "A positive number.", "Two positions.")
    page = {"page": "book/01_x", "kind": "section", "title": "x"}
    context, tab = searching(browser, [page | {"text": text} for text in said])
    found = {
        word: tab.evaluate("(word) => findSections(word).map((one) => one.text)", word)
        for word in ("indexer", "positive")
    }
    context.close()
    assert sorted(found["indexer"]) == sorted(said[:2]) and found["positive"] == [said[3]]


def test_short_and_mistyped_words(browser):
    """A letter is looked for in headings and names alone; two letters are a word's beginning; a slip is mended."""
    page = {"page": "book/01_x", "kind": "section"}
    told = [
        {"title": "Letters", "names": ["R", "W"], "text": "One set."},
        {"title": "A latent", "text": "Of rank R, by attention."},
        {"title": "MLA", "text": "A cache."},
        {"title": "A plot", "text": "A curve or mlp."},
    ]
    context, tab = searching(browser, [page | one for one in told])
    find = "(words) => findSections(words).map((one) => one.title)"
    found = {words: tab.evaluate(find, words) for words in ("r", "x", "ml", "atention", "cahce")}
    context.close()
    assert found == {"r": ["Letters"], "x": [], "ml": ["MLA", "A plot"], "atention": ["A latent"], "cahce": []}


def test_exercises_come_last_and_results_lead_to_places(found):
    for words, results in found.items():
        kinds = [
            bool(re.search(r" > Exercise \d| > Exercises:", title)) and "teaching" not in address
            for address, title in results
        ]
        assert kinds == sorted(kinds), words
        # of more than the one page that is about it: a place in a page
        assert len(results) < 2 or [address for address, _ in results if "#" in address], words


def test_what_is_listed_is_there(found):
    """Every address leads to an element of the page."""
    pages = {}
    for address in {address for results in found.values() for address, _ in results}:
        path, anchor = urlsplit(address).path, unquote(urlsplit(address).fragment)
        pages.setdefault(path, (SITE / path).read_text(encoding="utf-8"))
        assert not anchor or f'id="{anchor}"' in pages[path], address


@pytest.mark.parametrize("path", ["search.html?q=cache", "book/13_mqa_gqa.html"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_sign_lies_over_a_query(visit, path, width):
    """In the form of the page, and in the box that opens over any page."""
    with visit(path, width=width) as tab:
        if "search" not in path:
            tab.keyboard.press("Control+k")
        tab.locator("form.bd-search input:visible").first.wait_for()
        gaps = tab.evaluate(
            """() => [...document.querySelectorAll("form.bd-search")]
              .filter((one) => one.checkVisibility()).map((form) => {
              const [field, sign] = [form.querySelector("input"), form.querySelector("i, svg")];
              const text = field.getBoundingClientRect().left + parseFloat(getComputedStyle(field).paddingLeft);
              return text - sign.getBoundingClientRect().right; })"""
        )
        assert gaps and min(gaps) >= 2, "the sign lies over the query"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_result_quotes_and_its_page_scrolls_and_marks(visit, width, scheme):
    with visit("search.html?q=cache+calculator", width=width, scheme=scheme) as tab:
        first = tab.locator("#search-results li").first
        first.wait_for()
        assert "cache" in first.locator(".context mark").first.inner_text().lower()
        assert "13 · " in first.inner_text()
        assert "Contents" not in first.locator(".context").inner_text()
        first.locator("a").click()
        tab.wait_for_url("**/13_mqa_gqa.html*")
        settle(tab)
        tab.wait_for_function("document.querySelectorAll('.bd-article .highlighted').length > 0")
        top = tab.evaluate("document.querySelector(':target').getBoundingClientRect().top")
        assert 0 <= top < 450 and tab.faults == []
        assert tab.evaluate("getComputedStyle(document.querySelector(':target > :is(h2, h3)')).boxShadow") != "none"


def test_results_quote_in_a_book_from_a_disk(visit):
    """Where a page may fetch nothing."""
    with visit("search.html?q=cache+calculator", base=f"{SITE.resolve().as_uri()}/") as tab:
        tab.locator("#search-results [role=status]").wait_for()
        quoted = tab.locator("#search-results li .context").all_inner_texts()
        assert len(quoted) >= 3 and all(len(text) > 30 for text in quoted) and "cache" in quoted[0].lower()
        assert tab.faults == []


def test_nothing_is_found_in_words(visit):
    with visit("search.html?q=zzyzx") as tab:
        assert "Nothing holds “zzyzx”" in tab.locator("#search-results").inner_text()
        assert tab.locator("#search-results li").count() == 0 and tab.faults == []


def test_a_word_that_nothing_holds_is_named(visit):
    """What holds the rest is listed; a word that is still typed is not missed yet."""
    with visit("search.html?q=zzyzx+mask") as tab:
        told, field = tab.locator("#search-results [role=status]"), tab.locator("#main-content input[name=q]")
        told.filter(has_text="Nothing holds “zzyzx”. Listed").wait_for()
        assert "mask" in tab.locator("#search-results .context mark").first.inner_text().lower()
        field.fill("mask softm")
        told.filter(has_text="“mask softm”").wait_for()
        field.fill("mask softmz")
        told.filter(has_text="Nothing holds “softmz”. Listed").wait_for()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_six_hits_while_typing(visit, width, scheme):
    """Loaded when the field is first used; arrows choose, Enter opens, Escape closes."""
    with visit("book/13_mqa_gqa.html", width=width, scheme=scheme) as tab:
        assert not [name for name in tab.requests if re.search("search_sections|minisearch", name)]
        tab.keyboard.press("Control+k")
        tab.keyboard.type("causal mask")
        field, options = tab.locator("#pst-search-dialog [role=combobox]"), tab.locator("#search-hits > [role=option]")
        options.nth(5).wait_for()
        assert options.count() == 6 and field.get_attribute("aria-expanded") == "true"
        assert "Masks: who may attend" in options.first.inner_text()
        tab.keyboard.press("ArrowUp")
        assert options.last.get_attribute("aria-selected") == "true"
        for key in ("ArrowDown", "ArrowDown"):
            tab.keyboard.press(key)
        assert field.get_attribute("aria-activedescendant") == options.first.get_attribute("id")
        assert options.first.evaluate("(one) => getComputedStyle(one).outlineStyle") == "solid"
        assert violations(tab, of="#pst-search-dialog") == [] and too_wide(tab) == []
        tab.keyboard.press("Escape")
        assert not tab.locator("#pst-search-dialog").is_visible()
        tab.keyboard.press("Control+k")
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/04_scaled_dot_product.html#*")
        assert tab.faults == []


def test_a_book_from_a_disk_works(visit):
    base = f"{SITE.resolve().as_uri()}/"
    with visit("book/00_ten_minutes.html", base=base) as tab:
        choose_framework(tab, "tf")
        assert tab.locator(".fw-tf:visible").count() > 0 and tab.locator("article math").count() > 10
        tab.goto(f"{base}book/api.html")
        assert tab.faults == []
