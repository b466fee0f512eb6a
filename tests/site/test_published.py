"""What the site has beside its pages: feed, card, footer, robots, the page for what is missing; the slides."""

import re
import shutil
import subprocess
import sys
from urllib.parse import quote
from xml.etree import ElementTree

import pdf
import pytest
import screenshots
from built_book import ROOT, SITE, note_faults, soup
from PIL import Image
from publisher import description, publisher

CHAPTERS = "04_scaled_dot_product", "09_transformer"


def test_every_page_leads_to_versions_questions_and_mistakes(page):
    found, here = soup(page), publisher(ROOT)
    links = {link["href"] for link in found.select("footer a[href]")}
    wanted = {f"{here.url}/discussions", f"{here.url}/issues/new/choose", f"{here.home_url}versions.html"}
    assert wanted <= links
    (mistake,) = {link["href"] for link in found.select('a[href*="/issues/new?"]')} or {""}
    form = ROOT / ".github" / "ISSUE_TEMPLATE" / mistake.partition("template=")[2].partition("&")[0]
    assert not page.startswith("book/") or (form.is_file() and "\n    id: page\n" in form.read_text(encoding="utf-8"))


def test_every_page_has_its_own_description_date_and_discussion(page):
    """The description is the hook; the generated lists have none, and no date."""
    found, here = soup(page), publisher(ROOT)
    links = [link["href"] for link in found.select("footer a[href]")]
    (asked,) = (link for link in links if link.startswith(f"{here.url}/discussions/new?"))
    if page.startswith("book/"):
        title = found.title.string.partition(" \u2014 ")[0].partition(" \u00b7 ")  # without its number
        assert asked.endswith(f"title={quote(title[2] or title[0])}")
        (told,) = (meta["content"] for meta in found.find_all("meta", attrs={"name": "description"}))
        (card,) = (meta["content"] for meta in found.find_all("meta", property="og:description"))
        assert told == card and 20 <= len(told) <= 200 and not told.startswith("Look it up") and "\\" not in told
        assert re.search(r"Last updated on \d{4}-\d\d-\d\d", found.find("footer", class_="bd-footer-content").text)


def test_no_two_chapters_describe_themselves_alike():
    pages = sorted(SITE.glob("book/[0-9]*.html"))
    told = {soup(page).find("meta", property="og:description")["content"] for page in pages}
    assert len(told) == len(pages) > 15


def test_the_address_that_everybody_shares_has_a_title_and_a_card():
    found, first = soup("index.html"), soup("book/intro.html")
    assert found.title.string == first.title.string == "Attention, mechanism by mechanism"
    assert found.find("link", rel="canonical")["href"] == f"{publisher(ROOT).pages_url}book/intro.html"
    for name in ("og:title", "og:description", "og:image"):
        assert found.find("meta", property=name) == first.find("meta", property=name)
    assert found.find("meta", property="og:description")["content"] == description(ROOT)  # before its lines are seen


def test_the_card_and_the_feed_are_there():
    found = soup("book/intro.html")
    card = found.find("meta", property="og:image")["content"].removeprefix(publisher(ROOT).pages_url)
    assert (SITE / card).exists() and found.find("meta", property="og:image:alt")["content"]
    address = found.find("link", type="application/atom+xml")["href"]
    feed = SITE / address.removeprefix(publisher(ROOT).home_url)
    assert ElementTree.parse(feed).getroot().tag.endswith("feed")


def test_the_picture_of_the_readme_is_of_this_edition(visit):
    """The figure still says what stands on the picture."""
    with visit(f"book/{screenshots.SHOWN}.html") as tab, Image.open(screenshots.PICTURE) as picture:
        words, _ = screenshots.steps(tab)
        assert words == picture.info["comment"].decode(), "run make screenshots"


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    """The slides of two chapters, made from the built book."""
    root = tmp_path_factory.mktemp("slides")
    (root / "_build").mkdir()
    (root / "_build" / "html").symlink_to(SITE)
    for name in ("book", "pyproject.toml"):
        (root / name).symlink_to(ROOT / name)
    command = [sys.executable, ROOT / "tools" / "slides.py", "--root", root, *CHAPTERS]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    yield root / "_build" / "slides"
    shutil.rmtree(root / "_build" / "slides")


OVER_THE_TITLE = """() => {
  const title = deck.getCurrentSlide().querySelector("h1, h2").getBoundingClientRect();
  return [...document.querySelectorAll(".controls button.enabled")].filter((button) => {
    const box = button.getBoundingClientRect();
    return box.right > title.left && box.left < title.right && box.bottom > title.top && box.top < title.bottom;
  }).map((button) => button.className);
}"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_slides_fit_and_contact_no_other_host(browser, decks, chapter):
    (path,) = decks.glob(f"{chapter}*.html")
    tab = browser.new_page(viewport={"width": 1280, "height": 720})
    faults = []
    note_faults(tab, faults)
    tab.on("request", lambda request: faults.append(request.url) if request.url.startswith("http") else None)
    tab.goto(path.as_uri())
    tab.wait_for_selector("html[data-ready]", timeout=30_000)
    total, pictures = tab.evaluate(
        "[deck.getTotalSlides(), document.querySelectorAll('figure svg, figure img').length]"
    )
    too_tall, covered = [], []
    for _ in range(total):
        slide = tab.evaluate(
            """() => { const slide = deck.getCurrentSlide();
              return [slide.scrollHeight * (slide.style.zoom || 1), slide.querySelector("h1, h2").textContent] }"""
        )
        too_tall += [slide] if slide[0] > 725 else []
        covered += tab.evaluate(OVER_THE_TITLE)
        tab.evaluate("deck.next()")
    tab.close()
    assert faults == [] and too_tall == [] and covered == []
    assert total > 20 and pictures >= 3


def test_the_pdf_has_outline_and_tags_and_no_solution(form):
    """Printed from the pages, without what is folded and without the other framework."""
    page = form / "_build" / "html" / "book" / "02_average.html"
    text = pdf.section(page, "tf", {page.stem: "p0"})
    assert not text.select(".fw-torch, details, script, noscript, fieldset.guess") and text.select(".fw-tf pre")
    assert {part["id"].partition("-")[0] for part in text.find_all(id=True)} == {"p0"} and text["id"] == "p0"
    printed = pdf.write_pdf(form, "tf").read_bytes()
    assert b"/StructTreeRoot" in printed and b"/Outlines" in printed
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 8
