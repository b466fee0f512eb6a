"""The built book in a real browser: `make test-site`. `make test` needs no built book and leaves it out."""

import http.server
import os
import shutil
import threading
from contextlib import contextmanager
from functools import partial

import pytest
from built_book import SITE, build_form, settle
from filelock import FileLock

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
FLAGS += ["--disable-sync", "--no-first-run"]


def pytest_generate_tests(metafunc):
    if not SITE.exists() and getattr(metafunc.module, "NEEDS_BOOK", True):
        pytest.exit("there is no book in _build/html: run make book", returncode=2)
    if "page" in metafunc.fixturenames:
        pages = [*sorted(SITE.glob("book/*.html")), SITE / "genindex.html", SITE / "search.html"]
        pages += [SITE / "book" / "api" / f"{topic}.html" for topic in ("gated", "multi_head")]  # all are made alike
        metafunc.parametrize("page", [str(path.relative_to(SITE)) for path in pages])


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def served(folder):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def address():
    """The book, served on this machine."""
    with served(SITE) as found:
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
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.exit("there is no Chromium: install it, or name its program in CHROMIUM", returncode=2)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield running
        running.close()


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
        tab.on("pageerror", lambda error: tab.faults.append(f"error: {error}"))
        tab.on(
            "console",
            lambda line: tab.faults.append(line.text) if line.type in ("error", "warning") else None,
        )
        tab.on("request", lambda request: tab.requests.append(request.url))
        try:
            tab.goto(base + page)
            settle(tab)
            yield tab
        finally:
            context.close()

    return opened
