"""The pages of the package, one a topic of the catalog, with every public name of it.

The line `{api-topics}` of book/api.md becomes the list of all topics. On the pages, which tools/api_sections.py writes,
the directive `{api-topic} NAME` stands for a topic's example and names: those of PyTorch and of TensorFlow as a choice,
as in the chapters, then the specifications. The names are read from the literal `__all__` of the topic's files, so that
a name is listed in one place, and nothing of the package is imported.
"""

import ast
import functools
import re
import sys
from pathlib import Path

import docstrings
from docutils import nodes
from docutils.statemachine import StringList
from html_nodes import EPUB
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from api_sections import EXAMPLES, SOURCE, example, folder, label, overview, told, topics
from derived import names_of as public

INNER = ("attend", "check", "extra_repr", "get_config", "compute_mask", "compute_output_shape", "compute_output_spec")
INNER += ("Sizes",)  # an alias of a class that has no entry
# The steps of a layer over heads, for who writes one: the class that has them says what they are.
INNER += ("like", "make_maps", "normed", "options", "position", "prepare", "project", "remember", "walk")
INNER += ("asks", "attend_absorbed", "gate", "gates", "index_keys", "mask_rows", "parts", "pattern", "turn", "turned")
INNER += ("extend", "kept", "slots")  # of a cache, for who writes one
PAGES = re.compile(r"book/api(/|$)")
FACES = {"pytorch": "torch", "tf": "tf"}  # and the framework of the choice


def names_of(topic, face):
    """The literal `__all__` of a topic's file, classes first, in the file's order; none without a file."""
    path = folder(topic) / f"{face}.py"
    if not path.exists():  # a cache has no specification of its own
        return []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    (listed,) = [node.value for node in assigned if ast.unparse(node.targets[0]) == "__all__"]
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    names = ast.literal_eval(listed)
    return sorted(names, key=lambda name: (not name[0].isupper(), defined.index(name) if name in defined else -1))


def entry(face, name):
    """The lines that document one name of a face."""
    kind = "autoclass" if name[0].isupper() else "autofunction"
    lines = [f".. {kind}:: attn_course.{face}.{name}"]
    if kind == "autofunction":
        return lines
    # What is called stands in a base class for all attention over heads; the frameworks' own bases are left out.
    return [*lines, "   :members:", "   :inherited-members:", f"   :exclude-members: {', '.join(INNER)}"]


@functools.cache  # once for all pages: it reads every mechanism
def bases():
    """Class -> the names of its bases, of every mechanism."""
    found = {}
    for path in (SOURCE / "mechanisms").rglob("pytorch.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name] = [ast.unparse(base) for base in node.bases]
    return found


def over_heads(name):
    """Whether a class is a layer over heads."""
    return name == "AttentionLayer" or any(map(over_heads, bases().get(name, ())))


class ApiTopics(SphinxDirective):
    """`{api-topics}`: every topic, its sentence and its chapters, with the anchor that links from notebooks have."""

    def run(self):
        items = nodes.bullet_list()
        for topic in topics():
            title, sentence, chapters = told(topic)
            text = f"{{doc}}`{title} <api/{topic}>`: {sentence[0].lower()}{sentence[1:]}"
            text += "".join(f" {{doc}}`{chapter}`." for chapter in chapters)
            item = nodes.list_item(ids=[label(topic)])
            self.state.nested_parse(StringList([text], source=topic), 0, item)
            items += item
        return [items]


class ApiTopic(SphinxDirective):
    """`{api-topic} NAME`: the folder of the topic in the package."""

    required_arguments = 1

    def run(self):
        topic = self.arguments[0]
        files = [folder(topic) / f"{name}.py" for name in (*FACES, "reference", "__init__")]
        for path in filter(Path.exists, [*files, EXAMPLES]):  # on what is missing, a page is read again
            self.env.note_dependency(str(path))
        both = [name for name in names_of(topic, "pytorch") if name in names_of(topic, "tf")]
        holder = nodes.container(classes=["api-topic"])
        shown = [
            ":::{dropdown} Formula, arguments, parameters, source",
            *([] if any(name[0].isupper() for name in both) else [":open:"]),  # functions alone: little else is there
            "```{eval-rst}",
            *docstrings.converted(overview(topic)),
            "```",
            ":::",
        ]
        if any(map(over_heads, both)):
            shown += ["", "Arguments that are not told there: {ref}`those of every layer over heads <api-layers>`."]
        self.state.nested_parse(StringList(shown, source=topic), 0, holder)
        for face, framework in FACES.items():
            block = nodes.container(classes=["fw-prose", "api-names"], framework=framework)
            shown = ["```python", *example(topic, face), "```"]
            self.state.nested_parse(StringList(shown, source=topic), 0, block)
            self._document(block, topic, [line for name in both for line in (*entry(face, name), "")])
            holder += block
        for name in names_of(topic, "reference"):
            lines = ["**Specification**", "", *entry("reference", name), ""]
            self._document(holder, topic, lines)
        return [holder]

    def _document(self, holder, topic, lines):
        """Through `eval-rst`: autodoc writes reStructuredText, and the page is MyST."""
        if lines:
            self.state.nested_parse(StringList(["```{eval-rst}", *lines, "```"], source=topic), 0, holder)


@functools.cache
def places():
    """What a name in the pages' text leads to: name -> face -> page and anchor."""
    anchors = {"AttentionLayer": "api-layers", "attn_course.core.layer": "api-layers"}
    anchors |= {"attn_course.masks": "api-masks", "attn_course.parity": "module-attn_course.parity"}
    for module, path in (("masks", SOURCE / "core" / "masks" / "__init__.py"), ("parity", SOURCE / "parity.py")):
        anchors |= {name: f"attn_course.{module}.{name}" for name in public(path)}
    found = {name: {"": ("book/api", anchor)} for name, anchor in anchors.items()}
    for topic in topics():
        page = f"book/api/{topic}"
        found[".".join(folder(topic).relative_to(SOURCE.parent).parts)] = {"": (page, label(topic))}
        for face in (*FACES, "reference"):
            for name in names_of(topic, face):
                found.setdefault(name, {})[face] = page, f"attn_course.{face}.{name}"
    return found


def face_of(node):
    """The face whose entry a text is part of, or PyTorch: its links lead to TensorFlow where that is chosen."""
    while node is not None and not isinstance(node, addnodes.desc):
        node = node.parent
    return node[0]["ids"][0].split(".")[1] if node is not None and node[0].get("ids") else "pytorch"


def link_names(app, doctree, docname):
    """Public names in the text of the package's pages are links to their entries."""
    if not PAGES.match(docname):
        return
    for literal in [*doctree.findall(nodes.literal)]:
        of = places().get(literal.astext())
        if of and not isinstance(literal.parent, nodes.reference):
            page, anchor = of.get(face_of(literal)) or next(iter(of.values()))
            address = f"{app.builder.get_relative_uri(docname, page) if page != docname else ''}#{anchor}"
            literal.replace_self(nodes.reference("", "", literal.deepcopy(), refuri=address, internal=True))


def contents(app, doctree):
    """On a page, its classes and functions, as headings do; in the side bar, the topics as in the catalog."""
    if not PAGES.match(app.env.docname):
        return
    for signature in doctree.findall(addnodes.desc_signature):
        _, face, *name = signature["ids"][0].split(".")
        if len(name) == 1 and not EPUB:  # whose one list of contents would name each three times
            signature["_toc_name"] = f"{name[0]} (specification)" if face == "reference" else name[0]
    order = [f"book/api/{topic}" for topic in topics()]
    for listed in doctree.findall(addnodes.toctree):
        listed["entries"].sort(key=lambda one: order.index(one[1]))
        listed["includefiles"].sort(key=order.index)


def setup(app):
    app.add_directive("api-topics", ApiTopics)
    app.add_directive("api-topic", ApiTopic)
    app.connect("doctree-resolved", link_names)
    app.connect("doctree-read", contents, priority=400)  # before they are collected
    return {"parallel_read_safe": True, "parallel_write_safe": True}
