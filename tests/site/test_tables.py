"""The tables of the page of costs: sorted by a click, filtered by a family, plain without a script."""

import json
import re

import pytest
from built_book import OPEN_FOLDS
from test_pages import WIDER, too_wide, violations

from attn_course.course.labs.caches import read_table

PAGE = "book/complexity.html"


def column(table, number):
    return table.locator(f"tbody tr:visible td:nth-child({number})").all_inner_texts()


def cells_of(row):
    return row.locator("td").all_inner_texts()


@pytest.fixture
def caches(visit):
    """The table of checkpoints."""
    with visit(PAGE) as tab:
        yield tab.locator("table.sortable", has_text="Llama 2 7B")


def test_a_click_sorts_and_the_third_gives_the_old_order(caches):
    head = caches.locator("thead th", has_text="Per token")
    first, button = column(caches, 1), head.get_by_role("button")
    button.click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(caches, 3)[0] == "nothing" and column(caches, 1)[-1] == "Llama 2 7B"
    button.press("Enter")
    assert head.get_attribute("aria-sort") == "descending" and column(caches, 3)[-1] == "nothing"
    button.click()
    assert head.get_attribute("aria-sort") is None and column(caches, 1) == first


def test_numbers_and_words_are_sorted_as_such(caches):
    button = caches.locator("thead th", has_text="Ops per byte").get_by_role("button")
    for ends in (["1", "242"], ["242", "1"]):
        button.click()
        found = column(caches, 6)
        assert [found[0], found[-1]] == ends
    caches.locator("thead th", has_text="Checkpoint").get_by_role("button").click()
    names = column(caches, 1)
    assert names == sorted(names, key=str.lower)


def test_orders_are_sorted_with_their_formulas_and_what_has_no_number_stands_last(visit):
    with visit(PAGE) as tab:
        tab.evaluate(OPEN_FOLDS)
        times = tab.locator("table.sortable", has=tab.locator("th:nth-child(2)", has_text="Ops"))
        button = times.locator("thead th").nth(1).get_by_role("button")
        for _ in range(2):
            button.click()
            found = column(times, 2)
            assert found[-1] == "none" != found[0]
        orders = tab.locator("table.sortable", has=tab.locator("th", has_text="Steps"))
        orders.locator("thead th", has_text="Time").get_by_role("button").click()
        values = orders.locator("tbody td:nth-child(2) data").evaluate_all("(all) => all.map((one) => +one.value)")
        assert values == sorted(values) and len(values) == orders.locator("tbody tr").count()


def test_a_family_alone(visit):
    with visit(PAGE) as tab:
        orders = tab.locator("table.sortable", has=tab.locator("th", has_text="Steps"))
        group = tab.get_by_role("group", name="Show one family").first
        rows = orders.locator("tbody tr").count()
        button = group.get_by_role("button", name="sparse")
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        shown = column(orders, 1)
        assert "BigBird's attention" in [words.replace("\u2019", "'") for words in shown] and len(shown) < rows
        assert group.get_by_role("status").inner_text() == f"{len(shown)} of {rows} rows"
        group.get_by_role("button", name="all rows").click()
        assert len(column(orders, 1)) == rows
        assert tab.faults == [] and violations(tab) == []


def test_the_checkpoints_fit_on_a_phone(visit):
    with visit(PAGE, width=390) as tab:
        table = tab.locator("table.sortable", has_text="Llama 2 7B")
        assert table.evaluate("(table) => table.getBoundingClientRect().right <= innerWidth")
        assert too_wide(tab) == []


def test_a_table_that_is_too_wide_is_turned_or_found(visit):
    with visit("book/09_transformer.html?framework=torch", width=1280) as tab:
        assert tab.locator("table.turned").count() == 0 and tab.evaluate(WIDER) == []
        tab.evaluate("document.querySelector('.bd-article table').style.minWidth = '500px'")
        tab.set_viewport_size({"width": 390, "height": 900})
        tab.locator("table.turned").first.wait_for()
        cell = tab.locator("table.turned td").nth(1)
        assert "What it does" in cell.evaluate("(cell) => getComputedStyle(cell, '::before').content")
        assert len(tab.evaluate(WIDER)) == 1  # 500 pixels are too wide for a turned one too
        tab.set_viewport_size({"width": 1280, "height": 900})
        tab.wait_for_function("document.querySelectorAll('table.turned').length === 0")


def test_what_goes_on_beyond_the_edge_fades(visit):
    with visit(PAGE, width=320) as tab:
        box = tab.locator(".goes-on").first
        box.wait_for()
        assert box.evaluate("(box) => box.scrollWidth > box.clientWidth")
        count = tab.locator(".goes-on").count()
        box.evaluate("(box) => { box.scrollLeft = box.scrollWidth; }")
        tab.wait_for_function(f"document.querySelectorAll('.goes-on').length === {count - 1}")


def test_a_comparison_stays_one_on_a_phone(visit):
    """Small letters are enough for most tables; short cells of a turned one stand below those of the row above."""
    with visit("book/10_sparse.html?framework=torch", width=390) as tab:
        tab.evaluate(OPEN_FOLDS)
        writes = tab.locator("table.small:visible", has_text="Right until a slip")
        assert writes.locator("thead").is_visible() and tab.evaluate(WIDER) == []
        fifth = tab.locator("table.side-by-side.turned:visible tr td:nth-child(5)")
        places = fifth.evaluate_all("(all) => all.map((cell) => cell.getBoundingClientRect().left)")
        assert len(places) > 2 and len(set(places)) == 1
        assert (
            tab.locator("table.turned td").evaluate_all("(all) => all.some((cell) => cell.scrollWidth > 360)") is False
        )


def test_without_a_script_it_is_a_table(visit):
    with visit(PAGE, javascript=False) as tab:
        assert tab.locator("table.sortable button, .families").count() == 0
        text = tab.locator("table.sortable", has_text="Llama 2 7B").inner_text()
        assert re.search(r"DeepSeek-V3\s+MLA\s+69 KiB\s+8.6 GiB\s+2.7 ms\s+242", text)


def test_the_families_of_the_wall_chart_are_filtered_by_a_part(visit):
    with visit("book/16_one_layer_2026.html") as tab:
        tab.evaluate(OPEN_FOLDS)
        table = tab.locator("table.sortable", has_text="gpt_oss")
        group = tab.get_by_role("group", name="Show one family")
        assert len(column(table, 1)) == 44
        group.get_by_role("button", name="sink", exact=True).click()
        found = column(table, 1)
        assert "gpt_oss" in found and "llama4" not in found and len(found) == 7
        assert group.get_by_role("status").inner_text() == "7 of 44 rows"
        table.locator("thead th", has_text="Family").get_by_role("button").click()
        assert column(table, 1) == sorted(found)


def test_exercises_of_one_level(visit):
    """Chapters without one are hidden; a link to a hidden one shows all again."""
    with visit("book/exercises.html") as tab:
        group = tab.get_by_role("group", name="Show one family")
        group.get_by_role("button", name="level 3").click()
        levels = tab.locator(".exercise-list tbody tr:visible td:nth-child(2)").all_inner_texts()
        assert set(levels) == {"3"} and group.get_by_role("status").inner_text() == f"{len(levels)} of 138 rows"
        assert not tab.get_by_role("heading", name="Attention in ten minutes").is_visible()
        contents = tab.locator("#pst-page-toc-nav a:visible").all_inner_texts()
        assert len(contents) == tab.locator(".bd-article section:visible > h2").count() > 5
        assert violations(tab, of=".families") == []
        tab.evaluate("location.hash = document.querySelector('section[hidden]').id")
        tab.get_by_role("heading", name="Attention in ten minutes").wait_for()
        assert group.get_by_role("button", name="all rows").get_attribute("aria-pressed") == "true"


def test_a_typed_letter_is_explained(visit):
    """By the rows of all tables, folded ones too; a letter of the Greeks by its name."""
    with visit("book/notation.html", width=390) as tab:
        field, found = tab.get_by_label("A letter:"), tab.locator(".letters tbody tr")
        field.fill("W")
        first, where = found.first.locator("td").all_inner_texts(), column(tab.locator(".letters table"), 3)
        assert first == ["W", "window", "Notation"] and any("hapter 2" in words for words in where)
        field.fill("alpha")
        assert any("weights" in text for text in found.all_inner_texts())
        field.fill("E")
        assert "In our shapes: width of the memory" in found.nth(1).text_content()
        assert violations(tab, of=".letters") == [] and too_wide(tab) == []
        field.fill("")
        assert not tab.locator(".letters table").is_visible()


def test_a_pasted_config_is_a_row_of_the_caches(caches):
    """What the box says of every checkpoint that it reads is what the table says; what it does not count is refused."""
    field, told = caches.page.get_by_label("Your config.json"), caches.page.locator(".own-config").get_by_role("status")
    rows = {name: rest for name, *rest in map(cells_of, caches.locator("tbody tr").all())}
    for name, config in ((row["name"], row["config"]) for row in read_table() if "compress_rates" not in row["config"]):
        field.fill(json.dumps({"text_config": config}))
        assert cells_of(caches.locator("tr.own"))[1:] == rows[name], name
    for wrong, words in (("{", "JSON"), ("{}", "no num_hidden_layers"), ('{"mamba_d_state": 16}', "not counted")):
        field.fill(wrong)
        assert words in told.inner_text() and caches.locator("tr.own").count() == 0
    field.fill("")
    assert told.inner_text() == "" and violations(caches.page, of=".own-config") == []


def test_sentences_of_one_reader(visit):
    """A button shows what one reader meets; a link to what is hidden shows all again; without a script all is there."""
    with visit("book/misconceptions.html", width=390) as tab:
        group = tab.get_by_role("group", name="Show what one reader meets")
        group.get_by_role("button", name="You serve one").click()
        shown = tab.locator("section > h2:visible").all_inner_texts()
        assert [words.rstrip("#") for words in shown] == ["Cost", "Caches and models", "Sources"]
        assert (
            group.get_by_role("status").inner_text()
            == f"{tab.locator('h3:visible').count()} of {tab.locator('h3').count()} sentences"
        )
        assert violations(tab, of=".families") == [] and too_wide(tab) == []
        assert tab.locator(".readers li:visible").count() == 1
        topics = tab.locator("#pst-page-toc-nav > ul > li:not([hidden]) > a")  # out of sight on a phone
        assert [words.strip() for words in topics.all_text_contents()] == ["Cost", "Caches and models", "Sources"]
        tab.evaluate("location.hash = 'masks'")
        tab.locator("h2", has_text="Masks").wait_for()
        assert group.get_by_role("button", name="Everybody").get_attribute("aria-pressed") == "true"
        assert topics.count() == tab.locator("section > h2:visible").count()
    with visit("book/misconceptions.html", javascript=False) as tab:
        assert tab.locator(".families").count() == 0 and tab.locator("h2:visible").count() > 8
