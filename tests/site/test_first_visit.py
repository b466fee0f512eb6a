"""A first visit on a slow connection (1.6 Mb/s, 150 ms) and a quarter of a processor: nothing jumps, little loads.

Every page, on a telephone and on a screen.
"""

import re

import pytest
from browser import served
from built_book import SITE, settle

MOST_SHIFT = 0.1  # "good" by web.dev/articles/cls
MOST_BYTES, MOST_REQUESTS, MOST_ELEMENTS = 350 * 1024, 25, 16_000  # of a chapter, packed
SHIFTS = """window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const moved = entry.sources.map((source) => source.node?.className ?? "");
    if (!entry.hadRecentInput) window.shifts.push([entry.value, ...moved]);
  }
}).observe({type: "layout-shift", buffered: true});"""
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}


@pytest.fixture(scope="module")
def packed():
    """The book, served as a host of pages does, with its texts packed."""
    with served(SITE, packed=True) as found:
        yield found


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_jumps_and_little_loads(browser, packed, page, width):
    context = browser.new_context(viewport={"width": width, "height": 800})
    context.set_default_timeout(60_000)
    tab, sizes, inside = context.new_page(), [], set()

    def sent(event):
        """What stands in the page itself is no request."""
        if event["request"]["url"].startswith("data:"):
            inside.add(event["requestId"])

    def came(event):
        if event["requestId"] not in inside:
            sizes.append(event["encodedDataLength"])

    tab.add_init_script(SHIFTS)
    session = context.new_cdp_session(tab)
    session.send("Network.enable")
    session.on("Network.requestWillBeSent", sent)
    session.on("Network.loadingFinished", came)
    session.send("Network.emulateNetworkConditions", SLOW)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    tab.goto(packed + page)
    settle(tab)
    tab.wait_for_load_state("networkidle")
    shifts, elements = tab.evaluate("[window.shifts, document.getElementsByTagName('*').length]")
    context.close()
    assert sum(shift[0] for shift in shifts) < MOST_SHIFT, sorted(shifts, reverse=True)[:3]
    if re.match(r"book/\d\d_", page):
        assert sum(sizes) <= MOST_BYTES and len(sizes) <= MOST_REQUESTS, sizes
        assert elements <= MOST_ELEMENTS
