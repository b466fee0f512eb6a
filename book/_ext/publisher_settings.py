"""Puts where the course is published (pyproject.toml, read by tools/publisher.py) into the settings."""

import json
import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from publisher import COLAB, publisher  # noqa: E402 - found only by the line before


def set_addresses(app, config):
    """Links to the repository, the Colab button and the address of the pages."""
    here = publisher(Path(app.srcdir))
    options = config.html_theme_options
    options["repository_url"] = here.url
    options["repository_branch"] = here.ref
    options["path_to_docs"] = ""  # a document's name begins with book/ already
    options["launch_buttons"] = {"colab_url": COLAB}
    config.html_baseurl = here.pages_url
    config.ogp_site_url = here.pages_url


def serve_clean_notebook(app, pagename, templatename, context, doctree):
    """The download button gives the committed notebook: the builder's copy holds the page's MyST text."""
    notebook = Path(app.srcdir, f"{pagename}.ipynb")
    if "ipynb_source" in context and notebook.exists():
        target = Path(app.outdir, "_sources", f"{pagename}.ipynb")
        shutil.copyfile(notebook, target)
        if os.environ.get("ATTN_COURSE_SOLUTIONS") == "no":
            without_solutions(target)


def without_solutions(path):
    """Take the solutions out of a notebook that the page serves."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = notebook["cells"]
    notebook["cells"] = [cell for cell in cells if "solution" not in cell["metadata"].get("tags", [])]
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


NOT_FOUND = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Page not found</title>
<style>body {{ font: 1.1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem }}</style>
<h1>There is no such page</h1>
<p>It may have moved: <a href="{home}">the course's first page</a> lists all chapters, and
<a href="{home}search.html">the search</a> finds them by a word.</p>
</html>
"""


def write_extra_files(app, error):
    """What a host of pages looks for at the root: robots.txt and the page for addresses that don't exist."""
    if error is None and app.builder.format == "html":
        home = app.config.html_baseurl
        robots = f"User-agent: *\nAllow: /\nSitemap: {home}sitemap.xml\n"
        Path(app.outdir, "robots.txt").write_text(robots, encoding="utf-8")
        Path(app.outdir, "404.html").write_text(NOT_FOUND.format(home=home), encoding="utf-8")


def setup(app):
    app.connect("config-inited", set_addresses, priority=100)
    app.connect("html-page-context", serve_clean_notebook, priority=900)  # after the theme made its copy
    app.connect("build-finished", write_extra_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
