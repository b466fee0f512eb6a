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
import textwrap
from pathlib import Path

import docstrings
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from api_sections import EXAMPLES, SOURCE, example, folder, label, overview, told, topics

INNER = ("attend", "check", "extra_repr", "get_config", "compute_mask", "compute_output_shape", "compute_output_spec")
INNER += ("Sizes",)  # an alias of a class that has no entry
# The steps of a layer over heads, for who writes one: the class that has them says what they are.
INNER += ("like", "make_maps", "normed", "options", "position", "prepare", "project", "remember", "walk")
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


def told_at_length(topic):
    """What the package of a topic says below its first line; lists and code stay as they are."""
    lines = []
    for part in re.split(r"\n\s*\n", overview(topic)):
        listed = re.search(r"(?m)^( +\S|- )", part) and not docstrings.HEAD.match(part)
        lines += docstrings.literal(textwrap.dedent(part)) if listed else docstrings.paragraph(part)
    return lines


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
            "```{eval-rst}",
            *told_at_length(topic),
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
            lines = [f"**Specification of** ``{name}``", "", *entry("reference", name), ""]
            self._document(holder, topic, lines)
        return [holder]

    def _document(self, holder, topic, lines):
        """Through `eval-rst`: autodoc writes reStructuredText, and the page is MyST."""
        if lines:
            self.state.nested_parse(StringList(["```{eval-rst}", *lines, "```"], source=topic), 0, holder)


def setup(app):
    app.add_directive("api-topics", ApiTopics)
    app.add_directive("api-topic", ApiTopic)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
