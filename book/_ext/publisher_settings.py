"""Puts where the course is published (pyproject.toml, read by tools/publisher.py) into the settings."""

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
        shutil.copyfile(notebook, Path(app.outdir, "_sources", f"{pagename}.ipynb"))


def setup(app):
    app.connect("config-inited", set_addresses, priority=100)
    app.connect("html-page-context", serve_clean_notebook, priority=900)  # after the theme made its copy
    return {"parallel_read_safe": True, "parallel_write_safe": True}
