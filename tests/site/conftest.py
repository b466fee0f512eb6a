"""The built book in a real browser: `make test-site`. `make test` needs no built book and leaves it out."""

import shutil
import sys
from contextlib import contextmanager

import pytest
from built_book import ROOT, SITE, build_form, note_faults, settle
from filelock import FileLock

sys.path.insert(0, str(ROOT / "tools"))

from browser import chromium, served


def pytest_generate_tests(metafunc):
    if not SITE.exists() and getattr(metafunc.module, "NEEDS_BOOK", True):
        pytest.exit("there is no book in _build/html: run make book", returncode=2)
    if "page" in metafunc.fixturenames:
        pages = [*sorted(SITE.glob("book/*.html")), SITE / "genindex.html", SITE / "search.html"]
        pages += [SITE / "book" / "api" / f"{topic}.html" for topic in ("gated", "multi_head")]  # all are made alike
        metafunc.parametrize("page", [str(path.relative_to(SITE)) for path in pages])


@pytest.fixture(scope="session")
def site():
    """The folder of the book; of a module that needs none, that of a small site of its own."""
    return SITE


@pytest.fixture(scope="module")
def address(site):
    """The site, served on this machine."""
    with served(site) as found:
        yield found


@pytest.fixture(scope="session")
def form(tmp_path_factory, worker_id):
    """A small book with one chapter that has every element: its folder."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared if worker_id == "master" else shared.parent  # the workers build it once
    root = shared / "form"
    with FileLock(shared / "form.lock"):
        if not (root / "_build" / "html").exists():
            shutil.rmtree(root, ignore_errors=True)
            build_form(root)
    return root


@pytest.fixture(scope="session")
def form_address(form):
    with served(form / "_build" / "html") as found:
        yield found


@pytest.fixture(scope="session")
def browser():
    try:
        with chromium() as running:
            yield running
    except FileNotFoundError as error:
        pytest.exit(str(error), returncode=2)


@pytest.fixture
def visit(browser, address):
    """Opens a page: `with visit("book/x.html", width=390) as tab`. The tab notes what went wrong."""

    @contextmanager
    def opened(page, *, width=1280, scheme="light", javascript=True, base=address, **options):
        size = {"width": width, "height": 900}
        context = browser.new_context(
            viewport=size,
            color_scheme=scheme,
            java_script_enabled=javascript,
            reduced_motion="reduce",  # the theme fades from light to dark: a colour half-way fails the contrast check
            **options,
        )
        context.set_default_timeout(10_000)  # milliseconds
        tab = context.new_page()
        tab.faults, tab.requests = [], []
        note_faults(tab, tab.faults)
        tab.on("request", lambda request: tab.requests.append(request.url))
        try:
            tab.goto(base + page)
            settle(tab)
            yield tab
        finally:
            context.close()

    return opened


@pytest.fixture
def form_page(visit, form_address):
    """Opens the chapter of the small book: `with form_page("?framework=both", width=390) as tab`."""
    return lambda query="", **options: visit(f"book/02_average.html{query}", base=form_address, **options)
