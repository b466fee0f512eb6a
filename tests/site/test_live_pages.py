"""The chapters' live figures in the built book: beside the page's other figures, served and from a folder."""

import pytest
from built_book import SITE
from test_live import until

PAGES = {
    "live_dates": "02_bahdanau",
    "live_reader": "05_self_attention",
    "live_translate": "09_transformer",
    "live_writer": "13_mqa_gqa",
}
DONE = {"live_reader": "s.copied.length > 2", "live_writer": "s.tokens.length > 2"}


@pytest.mark.parametrize("kind", list(PAGES))
@pytest.mark.parametrize("where", ["served", "folder"])
def test_it_answers_in_its_chapter(visit, address, kind, where):
    base = address if where == "served" else f"{SITE.as_uri()}/"
    with visit(f"book/{PAGES[kind]}.html", base=base) as tab:
        figures = tab.locator(".attn-widget")
        assert tab.locator(".attn-widget[data-ready] .ui").count() == figures.count() > 1
        assert not [url for url in tab.requests if "weights" in url]
        figure = tab.locator(f"[data-kind={kind}].attn-widget")
        assert figure.locator("img").is_visible()
        figure.get_by_role("button", name="Load the model").click()
        figure.get_by_role("textbox").fill("7 mai 2014" if kind == "live_dates" else "the cat 7 as it was thirsty")
        done = DONE.get(kind, "s.steps.length > 2")
        until(tab, figure, done)
        if kind == "live_dates":
            assert figure.locator(".answer").text_content() == "2014-05-07"
        if kind == "live_reader":
            assert figure.locator(".answer").text_content().startswith("cat ")
        assert all(url.startswith((base, "data:", "blob:")) for url in tab.requests) and tab.faults == []
