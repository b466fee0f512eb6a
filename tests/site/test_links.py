"""Links and buttons of the built pages, read without a browser."""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import api_sections
import pytest
from built_book import ROOT, SITE, soup
from publisher import publisher

CHAPTERS = sorted(path.stem for path in (ROOT / "book").glob("[0-9][0-9]_*.md"))
EACH = pytest.mark.parametrize("chapter", CHAPTERS)


@cache
def names(path):
    """What an anchor may lead to."""
    found = [tag.get("id") for tag in soup(path).find_all(id=True)]
    return frozenset(found + [tag.get("name") for tag in soup(path).find_all("a", attrs={"name": True})])


def broken(page, reference):
    """Why a link of the page leads nowhere, or None. Addresses of other hosts are not looked up."""
    parts = urlsplit(reference)
    if parts.scheme or parts.netloc or not reference:
        return None
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file():
        return f"{reference}: there is no such file"
    if parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in names(target):
        return f"{reference}: no element has this id"
    return None


def test_links_lead_somewhere(page):
    path = SITE / page
    tags = soup(path).find_all(["a", "link", "script", "img"])
    references = {tag.get("href") or tag.get("xlink:href") or tag.get("src") or "" for tag in tags}
    assert [fault for reference in sorted(references) if (fault := broken(path, reference))] == []


def test_the_packages_pages_stand_in_the_order_of_the_catalog_and_their_names_lead_somewhere():
    bar = soup(SITE / "book" / "api.html").select('#pst-primary-sidebar a[href^="api/"]')
    topics = [Path(link["href"]).stem for link in bar]
    assert topics == api_sections.topics()
    for topic in topics:
        page = SITE / "book" / "api" / f"{topic}.html"
        linked = soup(page).select(".bd-article a:has(> code), nav.page-toc a")
        assert not [link["href"] for link in linked if broken(page, link["href"])]
    linked = [link["href"] for link in soup(SITE / "book" / "api" / "window.html").select(".bd-article a:has(> code)")]
    assert {"../api.html#api-layers", "multi_head.html#attn_course.pytorch.MultiHeadAttention"} <= {*linked}


def boxes(chapter):
    """Where the boxes of a chapter's drawing lead that are links, by their words; each leads somewhere."""
    page = SITE / "book" / f"{chapter}.html"
    links = soup(page).select("svg.drawn[role=group] a")
    assert all(link.get_text(strip=True) and not link.get("target") for link in links)
    found = {link.get_text(strip=True): link["xlink:href"] for link in links}
    assert [fault for href in found.values() if (fault := broken(page, href))] == []
    return found


def test_the_boxes_of_the_transformer_lead_to_their_chapters():
    found = boxes("09_transformer")
    assert len(found) == 7 and found["table"].startswith("#") and found["memory"].startswith("08_")
    assert {href[:2] for href in found.values()} == {"02", "04", "06", "07", "08", "#b"}


def test_the_boxes_of_the_layer_lead_to_their_sections():
    found = boxes("16_one_layer_2026")
    own = {href for href in found.values() if href.startswith("#")}
    assert own == {f"#part-{name}" for name in ("gate", "norm", "shared", "cap", "mixes", "sink")}
    assert {href[:2] for href in found.values()} - {"#p"} == {"04", "06", "07"}


def test_ids_are_unique(page):
    found = Counter(tag["id"] for tag in soup(page).find_all(id=True))
    assert [name for name, times in found.items() if times > 1] == []


def test_figures_have_a_text(page):
    images = soup(page).select("article img")
    assert [image["src"] for image in images if not image.get("alt", "").strip()] == []


def button(chapter, text):
    """Where the button of the header leads that says `text`."""
    links = soup(f"book/{chapter}.html").select(".header-article-items__end a[href]")
    found = [link["href"] for link in links if text in link.get_text(" ", strip=True)]
    assert len(found) == 1, (text, [link.get_text(" ", strip=True) for link in links])
    return found[0]


@EACH
def test_colab_opens_the_notebook_at_the_published_ref(chapter):
    assert button(chapter, "Colab") == publisher(ROOT).colab_url(f"book/{chapter}.ipynb")


@EACH
def test_edit_opens_the_source(chapter):
    here = publisher(ROOT)
    assert button(chapter, "Suggest edit") == f"{here.url}/edit/{here.ref}/book/{chapter}.md"


@EACH
def test_download_is_the_committed_notebook(chapter):
    served = (SITE / "book" / button(chapter, ".ipynb")).resolve()
    assert json.loads(served.read_bytes()) == json.loads((ROOT / "book" / f"{chapter}.ipynb").read_bytes())


@EACH
def test_notebooks_of_one_framework_lie_beside_it(chapter):
    served = (SITE / "book" / button(chapter, ".ipynb")).resolve()
    for name in (f"{chapter}_torch.ipynb", f"{chapter}_tf.ipynb"):
        assert served.with_name(name).read_bytes() == (ROOT / "_build" / "notebooks" / name).read_bytes()


@EACH
def test_every_code_cell_shows_its_outputs(chapter):
    """As many outputs stand on the page as in the notebook: nothing was lost or executed on the way."""
    notebook = json.loads((ROOT / "book" / f"{chapter}.ipynb").read_bytes())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    cells = [cell for cell in cells if not {"install", "remove-cell"} & set(cell["metadata"].get("tags", []))]
    page = soup(f"book/{chapter}.html")
    assert len(page.select("article div.cell")) == len(cells)
    with_output = [
        cell for cell in cells if cell["outputs"] and "remove-output" not in cell["metadata"].get("tags", [])
    ]
    assert len(page.select("article div.cell_output")) == len(with_output)


def test_the_repository_stands_in_the_meta_data():
    page = soup("book/intro.html")
    assert page.find("link", rel="canonical")["href"].startswith(publisher(ROOT).pages_url)
    assert page.find("meta", property="og:url")["content"].startswith(publisher(ROOT).pages_url)
