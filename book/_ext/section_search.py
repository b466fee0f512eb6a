"""The search: one document per section, glossary term, name and method of the package, in place of one per page.

The builder's own index knows pages; here each H2 and H3 is found by itself, by its heading, by other names that a
comment below the heading gives it, by its text and by its code:

    ### Paged KV cache: blocks and a table
    % search: paged attention, vLLM block table

`_static/search.js` searches the list with MiniSearch in the reader's browser. The list is a script and not a file that
a page would fetch, so that the search works in a book that is opened from a disk too.
"""

import json
import pickle
import re
from pathlib import Path

from docutils import nodes
from folds import CARD, Fold
from html_nodes import HtmlLine
from sphinx import addnodes

NAMES = re.compile(r"^\s*search:\s*(.+)$", re.DOTALL)
CHAPTER = re.compile(r"(^|/)\d\d_")
SILENT = (nodes.citation, nodes.comment, nodes.math_block, nodes.target)
UNSAID = ("fold-more", "fold-code")  # their first lines are buttons: "Show", "Code of this figure"
SIGNS = {"lfloor": "⌊", "rfloor": "⌋", "lvert": "|", "rvert": "|", "cdot": "·", "times": "×", "odot": "⊙", "top": "⊤"}
SIGNS |= {"infty": "∞", "le": "≤", "ge": "≥", "approx": "≈", "in": "∈", "ldots": "…"}
CALLED = ("build", "call", "forward", "of_config", "reset_parameters")  # methods that every layer has
FACES = {"pytorch": "PyTorch", "tf": "TensorFlow", "reference": "specification"}


class Section:
    """One entry of the list, filled while the page's tree is walked."""

    def __init__(self, page, anchor, title, kind, above=""):
        self.page, self.anchor, self.title, self.kind, self.above = page, anchor, title, kind, above
        self.names, self.text, self.code = [], [], []

    def entry(self):
        """What the browser gets; what is empty is left out."""
        text = " ".join(" ".join(self.text).split())
        code = " ".join(dict.fromkeys(re.findall(r"[A-Za-z_]\w+", " ".join(self.code))))
        held = {"page": self.page, "anchor": self.anchor, "title": self.title, "kind": self.kind}
        held |= {"above": self.above, "names": self.names, "text": text, "code": code}
        return {key: value for key, value in held.items() if value}


def kind_of(page, title, above):
    """What decides, beside the words, how early a section is listed."""
    heading = above or title
    if not CHAPTER.search(page):
        return "reference"
    if title.startswith(CARD):
        return "card"
    return next((kind for kind in ("Exercises", "Summary") if heading.startswith(kind)), "section").lower()


def sections_of(page, doctree):
    """The entries of a page, in the order of its text; its first section is the page itself."""
    found = []
    top = next(doctree.findall(nodes.section), None)
    if top is not None:
        _section(page, top, 1, "", found)
    return found


def _section(page, node, level, above, found):
    title = " ".join(node.next_node(nodes.title).astext().split())
    kind = kind_of(page, title, above) if level > 1 else "topic" if "/api/" in page else "page"
    section = Section(page, "" if level == 1 else node["ids"][0], title, kind, above)
    found.append(section)
    for child in node.children:
        if isinstance(child, nodes.section) and level < 3:
            _section(page, child, level + 1, "" if level == 1 else title, found)
        elif not isinstance(child, nodes.title):
            _walk(child, section, found)


def _formula(tex):
    """A formula in a line, as a result quotes it."""
    tex = re.sub(r"\\(?:math\w+|text\w*|t?frac|left|right|bar|tilde|over\w+)", "", re.sub(r"\\[,;] ?", " ", tex))
    tex = re.sub(r"\\([A-Za-z]+)(\{?)", lambda name: SIGNS.get(name[1], name[1]) + " " * len(name[2]), tex)
    return re.sub(r"[\\{}]", "", tex.replace("}{", "/"))


def _walk(node, section, found):
    """Add what a node says to the section; terms and names of the package become entries of their own."""
    if isinstance(node, nodes.comment) and (named := NAMES.match(node.astext())):
        section.names += [name.strip() for name in " ".join(named[1].split()).split(",")]
    elif isinstance(node, SILENT) or (isinstance(node, Fold) and "fold-solution" in node["classes"]):
        return
    elif isinstance(node, HtmlLine):
        _paragraph(node, section, found)
        section.text[-1] = re.sub(r"(?<=[\w)])$", ".", section.text[-1].removeprefix("Checked: "))
    elif isinstance(node, Fold) and "fold-package" in node["classes"]:
        _walk(node[0], section, found)  # the source itself is that of the package's page
    elif isinstance(node, Fold) and set(UNSAID) & set(node["classes"]):
        for child in node.children[1:]:
            _walk(child, section, found)
    elif isinstance(node, addnodes.desc):
        _object(node, section.page, found)
    elif isinstance(node, nodes.definition_list_item) and node[0].get("ids"):
        term = Section(section.page, node[0]["ids"][0], node[0].astext(), "term")
        found.append(term)
        _walk(node[-1], term, found)
    elif isinstance(node, nodes.raw):
        if "<table" in node.astext():
            section.text.append(re.sub(r"<style.*?</style>|<[^>]*>", " ", node.astext(), flags=re.DOTALL))
    elif isinstance(node, nodes.literal_block):
        section.code.append(node.astext())
    elif isinstance(node, nodes.math):
        section.text.append(_formula(node.astext()))
    elif isinstance(node, nodes.Text):
        section.text.append(node.astext())
    elif isinstance(node, nodes.TextElement):
        _paragraph(node, section, found)
    else:
        for child in node.children:
            _walk(child, section, found)


def _paragraph(node, section, found):
    """The words of a paragraph without gaps before signs, so that a result can quote them."""
    inner = Section(section.page, "", "", "")
    for child in node.children:
        _walk(child, inner, found)
    section.text.append("".join(inner.text))
    section.names += inner.names
    section.code += inner.code


def _object(node, page, found):
    """A name of the package, its framework, and the first paragraph of its docstring; then a class's methods."""
    if not (signature := node.next_node(addnodes.desc_signature)) or not signature.get("ids"):
        return
    face, _, name = signature["ids"][0].removeprefix("attn_course.").partition(".")
    entry = Section(page, signature["ids"][0], f"{name} ({FACES.get(face, face)})", "method" if "." in name else "name")
    if said := node[-1].next_node(nodes.paragraph):
        entry.text.append(said.astext())
    found.append(entry)
    for method in node[-1].findall(addnodes.desc):
        if method[0]["ids"][0].rpartition(".")[2] not in CALLED:
            _object(method, page, found)


def collect(app, page, _template, _context, doctree):
    if doctree is not None and app.builder.name == "html":
        app.attn_sections[page] = sections_of(page, doctree)


def said_once(entries):
    """Of methods that say the same the first: many classes inherit one."""
    found = {}
    for entry in entries:
        method = entry["kind"] == "method" and (entry["title"].rpartition(".")[2], entry.get("text"))
        found.setdefault(method or len(found), entry)
    return [*found.values()]


def write(app, error):
    """The list as a script, pages in the order of the contents."""
    if error is not None or app.builder.name != "html":
        return
    kept = Path(app.doctreedir, "sections.pickle")  # of pages that are unchanged since the last build
    before = pickle.loads(kept.read_bytes()) if kept.exists() else {}
    app.attn_sections = {
        page: app.attn_sections.get(page) or before[page]
        for page in app.env.found_docs
        if page in {*before, *app.attn_sections}
    }
    kept.write_bytes(pickle.dumps(app.attn_sections))
    order = [page for above in (app.config.root_doc, "book/api") for page in app.env.toctree_includes.get(above, [])]
    pages = sorted(app.attn_sections, key=lambda page: (order.index(page) if page in order else -1, page))
    entries = [section.entry() for page in pages for section in app.attn_sections[page]]
    text = json.dumps(said_once(entries), ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, "_static", "search_sections.js").write_text(f"const SECTIONS = {text};\n", encoding="utf-8")
    Path(app.outdir, "searchindex.js").unlink(missing_ok=True)  # the builder's own, which nothing loads


def no_index(app):
    """The builder's own index is taken away (`write`): a build that reads few pages anew must not miss it."""
    app.builder.load_indexer = lambda docnames: None


def setup(app):
    app.attn_sections = {}
    app.connect("builder-inited", no_index)
    app.connect("html-page-context", collect)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
