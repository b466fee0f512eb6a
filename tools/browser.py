"""Chromium, and a folder served on this machine: for pictures of pages and for their tests."""

import gzip
import http.server
import io
import os
import shutil
import threading
from contextlib import contextmanager
from functools import partial
from pathlib import Path

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
FLAGS += ["--disable-sync", "--no-first-run"]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class _Packed(_Quiet):
    """Packs texts, as a host of pages does."""

    def send_head(self):
        path = Path(self.translate_path(self.path))
        if path.suffix not in (".html", ".css", ".js", ".svg", ".json") or not path.is_file():
            return super().send_head()
        content = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        for name, value in (("Type", self.guess_type(path)), ("Encoding", "gzip"), ("Length", str(len(content)))):
            self.send_header(f"Content-{name}", value)
        self.end_headers()
        return io.BytesIO(content)


@contextmanager
def served(folder: Path, packed: bool = False):
    """The address of the folder, with a slash at the end."""
    handler = partial(_Packed if packed else _Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def program() -> str:
    """The path of Chromium. Raises FileNotFoundError where none is installed."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        raise FileNotFoundError("there is no Chromium: install it, or name its program in CHROMIUM")
    return found


@contextmanager
def chromium():
    """A running Chromium. Raises FileNotFoundError where none is installed."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program(), args=FLAGS)
        yield running
        running.close()
