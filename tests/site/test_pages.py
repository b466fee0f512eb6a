"""Every page, from its first visit on a slow connection (1.6 Mb/s, 150 ms) and a quarter of a processor.

Nothing jumps and little loads; no other host, no error, formulas drawn, no wider than a telephone, readable for all.
"""

import gzip
import os
import re
import signal
import time
from contextlib import contextmanager, suppress
from importlib.resources import files
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest
from browser import served
from built_book import OPEN_FOLDS, SITE, choose_framework, settle

MOST_SHIFT = 0.1  # "good" by web.dev/articles/cls
MOST_BYTES, MOST_REQUESTS, MOST_ELEMENTS = 350 * 1024, 25, 16_000  # of a chapter, packed
MOST_OF_ANY = 1_000_000  # bytes of a page with all that it loads: texts compressed, fonts and images as they are
PACKED = (".woff", ".woff2", ".png", ".jpg", ".gif")
SHIFTS = """window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const moved = entry.sources.map((source) => source.node?.className ?? "");
    if (!entry.hadRecentInput) window.shifts.push([entry.value, ...moved]);
  }
}).observe({type: "layout-shift", buffered: true});"""
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
FAST = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


@pytest.fixture(scope="module")
def packed():
    """The book, served as a host of pages does, with its texts packed."""
    with served(SITE, packed=True) as found:
        yield found


@contextmanager
def quarter_of_a_processor(browser):
    """What draws the pages stands still for 30 of 40 ms, where Chromium's own throttle would compute in vain."""
    with_pages = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    processes, done = [each["id"] for each in with_pages if each["type"] == "renderer"], Event()

    def slow():
        while not done.is_set():
            for sign, seconds in ((signal.SIGSTOP, 0.03), (signal.SIGCONT, 0.01)):
                for process in processes:
                    with suppress(ProcessLookupError):
                        os.kill(process, sign)
                time.sleep(seconds)

    beside = Thread(target=slow)
    beside.start()
    try:
        yield
    finally:
        done.set()
        beside.join()


@pytest.fixture
def first_visit(browser, packed, visit):
    """Opens a page as `visit` does, but slowly: nothing jumps while it comes, and little is sent."""

    @contextmanager
    def opened(page, width):
        sizes, inside = [], set()

        def sent(event):
            """What stands in the page itself is no request."""
            if event["request"]["url"].startswith("data:"):
                inside.add(event["requestId"])

        def came(event):
            if event["requestId"] not in inside:
                sizes.append(event["encodedDataLength"])

        with visit("", base="about:blank", width=width) as tab:
            tab.set_default_timeout(60_000)
            tab.emulate_media(reduced_motion="no-preference")
            tab.add_init_script(SHIFTS)
            session = tab.context.new_cdp_session(tab)
            session.send("Network.enable")
            session.on("Network.requestWillBeSent", sent)
            session.on("Network.loadingFinished", came)
            session.send("Network.emulateNetworkConditions", SLOW)
            tab.goto(packed + page, wait_until="commit")
            with quarter_of_a_processor(browser):
                settle(tab)
                tab.wait_for_load_state("networkidle")  # what a script loads later counts too
            shifts, elements = tab.evaluate("[window.shifts, document.getElementsByTagName('*').length]")
            assert sum(shift[0] for shift in shifts) < MOST_SHIFT, sorted(shifts, reverse=True)[:3]
            if re.match(r"book/\d\d_", page):
                assert sum(sizes) <= MOST_BYTES and len(sizes) <= MOST_REQUESTS, sizes
                assert elements <= MOST_ELEMENTS
            session.send("Network.emulateNetworkConditions", FAST)
            tab.emulate_media(reduced_motion="reduce")
            yield tab

    return opened


AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
COLORS = ("color-contrast", "link-in-text-block")  # the rules that may find something else in dark than in light
SCROLLS = ("scrollable-region-focusable",)  # what may be found in the text of a narrow page alone
AROUND = {"exclude": [[".bd-article"]]}  # where a telephone has other elements than a screen
# Code is two thirds of a page's elements, and the same style everywhere: one chapter is looked at with it.
BESIDE_CODE, WITH_CODE = {"exclude": [["pre"]]}, "book/04_scaled_dot_product.html"
# axe passes over what closed folds hold, but reads it all the same; so it does with the marks of code.
ONLY_WHAT_IS_SEEN = """(code) => {
  document.querySelectorAll("details:not([open]) > :not(summary)").forEach((hidden) => hidden.remove());
  if (!code) document.querySelectorAll("pre").forEach((block) => { block.textContent = block.textContent; });
}"""


# These rules sort what stands behind an element: of each style they are shown three, for one may be covered.
THREE_OF_EACH_STYLE = """(colors) => {
  const styleOf = (node) => {
    const own = getComputedStyle(node), link = node.localName === "a" && getComputedStyle(node.parentElement).color;
    const style = [own.color, own.fontSize, own.fontWeight, own.textShadow, own.textDecoration, link];
    style.push(node.offsetParent?.className, /[\\p{L}\\p{N}]{2}/u.test(node.textContent));  // axe passes signs over
    for (let behind = node; behind; behind = behind.parentElement ?? behind.getRootNode().host) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(behind);
      style.push(`${backgroundColor} ${backgroundImage} ${opacity}`);
    }
    return [...new Set(style)].join();
  };
  for (const rule of axe._audit.rules.filter((rule) => colors.includes(rule.id))) {
    const matches = rule.matches, seen = {};
    rule.matches = (node, ...more) => {
      if (!matches(node, ...more)) return false;
      const style = styleOf(node);
      return (seen[style] = (seen[style] ?? 0) + 1) <= 3;
    };
  }
}"""


def violations(tab, *rules, of=None):
    """What axe-core finds by these rules, or by all without any, of the page or of parts; one line each."""
    tab.evaluate(AXE)
    tab.evaluate(THREE_OF_EACH_STYLE, COLORS)
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found = tab.evaluate("([of, options]) => axe.run(of ?? document, options)", [of, options])["violations"]
    return [f"{rule['id']}: {node['html'][:150]}" for rule in found for node in rule["nodes"]]


def too_wide(tab):
    """The page's width beyond the window's, and the elements that cause it."""
    return tab.evaluate(
        """() => {
          const extra = document.documentElement.scrollWidth - innerWidth;
          if (extra <= 0) return [];
          const wide = [...document.querySelectorAll("main *")].filter(
            (element) => element.getBoundingClientRect().right > innerWidth + 1);
          return [extra, ...wide.slice(0, 3).map((element) => element.outerHTML.slice(0, 150))];
        }"""
    )


def undrawn(tab):
    """Formulas that are not drawn, or not in the font for them."""
    return tab.evaluate(
        """() => [...document.querySelectorAll(".math")].filter((formula) => {
          const drawn = formula.querySelector("math");
          return !drawn || formula.checkVisibility() && drawn.getBoundingClientRect().width < 3
            || !document.fonts.check("16px 'Latin Modern Math'");
        }).map((formula) => formula.textContent)"""
    )


def weights(urls):
    """Path -> bytes of what these addresses of the book gave, as a server would send it."""
    paths = {urlsplit(url).path.lstrip("/") for url in urls}
    contents = {path: (SITE / path).read_bytes() for path in paths}
    return {
        path: len(content if path.endswith(PACKED) else gzip.compress(content)) for path, content in contents.items()
    }


def test_on_a_screen(first_visit, page, packed):
    """Loaded in light; then dark, which the page follows."""
    with first_visit(page, 1280) as tab:
        own = [url for url in tab.requests if url.startswith(packed)]
        assert [url for url in tab.requests if url not in own and not url.startswith(("data:", "blob:"))] == []
        sizes = weights(own)
        assert sum(sizes.values()) <= MOST_OF_ANY, sizes
        assert "Show code cell" not in tab.content()  # the builder's words for code that shows nothing
        assert undrawn(tab) == [] and tab.faults == []  # axe itself asks for files that are not there
        tab.evaluate(ONLY_WHAT_IS_SEEN, page == WITH_CODE)
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)
            tab.wait_for_function("(scheme) => document.documentElement.dataset.theme === scheme", arg=scheme)
            settle(tab)
            rules, of = COLORS if scheme == "dark" else (), None if page == WITH_CODE else BESIDE_CODE
            assert violations(tab, *rules, of=of) == [], scheme


def test_one_chapter_is_looked_at_with_its_code():
    assert (SITE / WITH_CODE).exists()


# Tables whose box would have to be pushed sideways; some frames after a fold opened, when those have turned that must.
WIDER = """async () => {
  for (const _ of [1, 2, 3]) await new Promise((done) => requestAnimationFrame(done));
  return [...document.querySelectorAll(".bd-article table")]
    .filter((table) => table.checkVisibility())
    .map((table) => [table, table.closest(".pst-scrollable-table-container, div.output") ?? table.parentElement])
    .filter(([table, box]) => table.scrollWidth > box.clientWidth + 1 || box.scrollWidth > box.clientWidth + 1)
    .map(([table, box]) => `${table.scrollWidth} in ${box.clientWidth}: ${table.innerText.slice(0, 99)}`);
}"""


def test_on_a_telephone(first_visit, page):
    """In every view, with all folds open: a chapter's tables are as wide as their box, or turned."""
    with first_visit(page, 390) as tab:
        assert too_wide(tab) == []
        tab.evaluate(OPEN_FOLDS)
        for framework in ("torch", "tf", "both") if tab.locator(".fw-page").count() else ("torch",):
            if framework != "torch":
                choose_framework(tab, framework)
            settle(tab)
            assert too_wide(tab) == [], framework
            assert framework == "both" or not re.match(r"book/\d\d_", page) or tab.evaluate(WIDER) == [], framework
        tab.evaluate(OPEN_FOLDS.replace("true", "false"))
        assert too_wide(tab) == []
        tab.evaluate(ONLY_WHAT_IS_SEEN, False)
        assert violations(tab, *SCROLLS) == violations(tab, of=AROUND) == []


@pytest.mark.parametrize("width", [390, 1280, 1440])
def test_no_cell_of_the_costs_is_cut(visit, width):
    """Every table of the page stands whole, without scrolling sideways; folded ones too."""
    with visit("book/complexity.html", width=width) as tab:
        tab.evaluate(OPEN_FOLDS)
        cut = tab.evaluate(
            """() => [...document.querySelectorAll("article table")]
              .map((table) => [table.scrollWidth, table.parentElement.clientWidth,
                table.rows[0].innerText])
              .filter(([needs, has]) => needs > has + 1)"""
        )
        assert tab.locator("article table").count() >= 5 and cut == []


@pytest.mark.parametrize("framework", ["torch", "both"])
def test_signatures_have_the_width_of_the_text(visit, framework):
    with visit(f"book/api/multi_head.html?framework={framework}", width=1280) as tab:
        shares = tab.evaluate(
            """() => [...document.querySelectorAll(".bd-article dt.sig")].filter((sign) => sign.checkVisibility())
              .map((sign) => sign.clientWidth / document.querySelector(".bd-article h1").clientWidth)"""
        )
        assert shares and min(shares) > 0.9, shares
