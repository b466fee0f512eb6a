"""Puts where the course is published, and its version (pyproject.toml, read by tools/publisher.py), into the settings.

ATTN_COURSE_BUILDER=epub in the environment leaves out what an e-book has no use for: buttons, scripts, feeds.
"""

import html
import re
import shutil
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlsplit

from docutils import nodes
from html_nodes import EPUB

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from changes import FEED, changes, feed  # noqa: E402 - found only by the line before
from publisher import COLAB, description, publisher, version  # noqa: E402

# What stands in book/_static and needs a script, or is for the site alone.
OF_THE_SITE = ["mathjax", "math", "minisearch", "*.js", "*.png", "*.gif", "favicon.svg", "framework.css"]
FOOTER = """\
<p>Version {name} (<a href="{home}versions.html">all versions</a>). A question about this page:
<a href="{url}/discussions/new?category=q-a&amp;title={title}">ask</a>, or read
<a href="{url}/discussions?discussions_q={title}">what others asked</a> in the
<a href="{url}/discussions">Discussions</a>. A mistake: <a href="{url}/issues/new/choose">tell us</a>.</p>
<p>Text: <a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>. Code: MIT.</p>
"""


def set_addresses(app, config):
    """Links to the repository, the Colab button and the address of the pages."""
    root = Path(app.srcdir)
    here, own = publisher(root), version(root)
    options = config.html_theme_options
    options["repository_url"] = here.url
    options["repository_branch"] = here.ref
    options["path_to_docs"] = ""  # a document's name begins with book/ already
    if EPUB:
        config.exclude_patterns += OF_THE_SITE
        config.html_js_files, config.html_favicon = [], None
        config.epub_show_urls, config.epub_basename = "no", "attn_course"
    else:  # the theme reads it for every kind of output and fails where there are no buttons
        options["launch_buttons"] = {"colab_url": COLAB}
    # What is not released has the name of its branch.
    config.version = config.release = own if here.ref == f"v{own}" else here.ref
    config.html_baseurl = here.pages_url
    config.ogp_site_url = here.pages_url


def keep_sources(app, env):
    """sphinx_last_updated_by_git takes its source, and with it the buttons, from a page that git does not know."""
    for name, told in env.git_last_updated.items():
        env.git_last_updated[name] = (told[0] if told else None, True)


def executed_again(app, env, added, changed, removed):
    """Pages whose notebook is newer than what was read of them, though their text is the same."""
    notebooks = {page: Path(app.srcdir, f"{page}.ipynb") for page in env.all_docs}
    read = {page: env.all_docs[page] / 1e6 for page, path in notebooks.items() if path.exists()}
    return [page for page, then in read.items() if notebooks[page].stat().st_mtime > then]


def serve_clean_notebook(app, pagename, templatename, context, doctree):
    """The download button gives the committed notebook: the builder's copy holds the page's MyST text.

    Beside it lie those of one framework, which the button gives when one is chosen.
    """
    notebook = Path(app.srcdir, f"{pagename}.ipynb")
    if "ipynb_source" in context and notebook.exists():
        target = Path(app.outdir, "_sources", f"{pagename}.ipynb")
        shutil.copyfile(notebook, target)
        for alone in Path(app.srcdir, "_build", "notebooks").glob(f"{notebook.stem}_t*.ipynb"):
            shutil.copyfile(alone, target.with_name(alone.name))


def about(doctree):
    """What a page says of itself elsewhere: its first paragraph, in whole sentences of together about 200 letters."""
    for paragraph in doctree.findall(nodes.paragraph):
        around = paragraph.parent
        if isinstance(around, nodes.section) and "look-up" not in around["classes"]:
            text = " ".join(paragraph.astext().replace("\\", "").split())
            return re.match(r"(.{40,200}[.?!](?= |$)|.{1,200}(?: |$))", text)[0].strip()
    return ""


def describe(app, pagename, templatename, context, doctree):
    """The page's description for search engines and cards, and links to its own discussion."""
    here = publisher(Path(app.srcdir))
    title = quote(re.sub(r"<.*?>", "", context.get("title", "")))
    context["theme_extra_footer"] = FOOTER.format(
        name=app.config.release, home=here.home_url, url=here.url, title=title
    )
    root = pagename == app.config.root_doc  # its address is shared by those who have not seen its first lines
    if doctree is not None and (told := html.escape(description(Path(app.srcdir)) if root else about(doctree))):
        context["meta"] = {**(context.get("meta") or {}), "og:description": told}
        context["metatags"] = f'{context.get("metatags", "")}\n<meta name="description" content="{told}">'


def open_the_form(app, pagename, templatename, context, doctree):
    """The theme's "Open issue" would lead to an empty text: it leads to the form for mistakes, which names the page."""
    page = quote(re.sub(r"<.*?>", "", context.get("title", "")))
    for button in (each for group in context.get("header_buttons", ()) for each in group.get("buttons", ())):
        if button.get("label") == "source-issues-button":
            button["url"] = f"{publisher(Path(app.srcdir)).url}/issues/new?template=mistake.yml&page={page}"


INDEX = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<link rel="canonical" href="{first}">
{tags}
<meta http-equiv="refresh" content="0; url=book/intro.html">
<p><a href="book/intro.html">{title}</a></p>
</html>
"""
NOT_FOUND = """\
<h1>There is no such page</h1>
<p>It may have moved: <a href="book/intro.html">the course's first page</a> lists all chapters. Or find it:</p>
"""


def name_the_feed(app, pagename, templatename, context, doctree):
    """Readers of feeds find it by this line of a page's head."""
    address = publisher(Path(app.srcdir)).home_url + FEED
    line = f'<link rel="alternate" type="application/atom+xml" title="Releases" href="{address}">'
    context["metatags"] = f"{context.get('metatags', '')}\n{line}"


def write_extra_files(app, error):
    """What a host of pages looks for at the root: robots.txt, the first page, the feed."""
    if error is not None or app.builder.name != "html":
        return
    out, root, home = Path(app.outdir), Path(app.srcdir), app.config.html_baseurl
    robots = f"User-agent: *\nAllow: /\nSitemap: {home}sitemap.xml\n"
    (out / "robots.txt").write_text(robots, encoding="utf-8")
    # The address that everybody shares: what stands on the first page of itself stands here too.
    first = (out / "book" / "intro.html").read_text(encoding="utf-8")
    tags = "\n".join(re.findall(r'<meta (?:property="og:|name="description")[^>]*>', first))
    address = f"{home}{app.config.root_doc}.html"
    index = INDEX.format(title=html.escape(app.config.html_title), first=address, tags=tags)
    (out / "index.html").write_text(index, encoding="utf-8")
    if (root / "CHANGELOG.md").exists():
        dates = [int(told[0]) for told in app.env.git_last_updated.values() if told and told[0]]
        newest = datetime.fromtimestamp(max(dates, default=time.time()), UTC).date().isoformat()
        text = feed(app.config.html_title, publisher(root), changes(root), newest)
        (out / FEED).write_text(text, encoding="utf-8")


def not_found(search, home):
    """The page for addresses that don't exist, from that of the search; at whatever depth: no link is relative."""
    title = '<title>Page not found</title>\n<meta name="robots" content="noindex">'
    text = re.sub(r"<title>.*?</title>", title, search)
    text = re.sub(r'\s*<link rel="canonical"[^>]*>', "", text).replace('action="#"', 'action="search.html"')
    text = re.sub(r"<h1>.*?</h1>", NOT_FOUND.strip(), text, count=1)
    return re.sub(r'\b(href|src|action|data-content_root)="(?!#|\w+:)(?:\./)?', rf'\1="{urlsplit(home).path}', text)


def write_not_found(app, error):
    if error is None and app.builder.name == "html":
        out = Path(app.outdir)
        text = not_found((out / "search.html").read_text(encoding="utf-8"), app.config.html_baseurl)
        (out / "404.html").write_text(text, encoding="utf-8")


def setup(app):
    app.connect("config-inited", set_addresses, priority=100)
    app.connect("env-get-outdated", executed_again)
    app.connect("env-updated", keep_sources, priority=900)
    app.connect("html-page-context", serve_clean_notebook, priority=900)  # after the theme made its copy
    if not EPUB:
        app.connect("html-page-context", describe, priority=400)  # before the tags of cards are made
        app.connect("html-page-context", name_the_feed, priority=900)
        app.connect("html-page-context", open_the_form, priority=900)
    app.connect("build-finished", write_extra_files)
    app.connect("build-finished", write_not_found, priority=990)  # behind one_file: the search's page is made
    return {"parallel_read_safe": True, "parallel_write_safe": True}
