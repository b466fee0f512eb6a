"""The directive `api-topic`: every public name of a topic, from the lists that its files have.

    ```{api-topic} multi_head
    ```

A name of both frameworks stands once, its two signatures side by side; then the specifications. The names are read
from the literal `__all__` of the topic's files, so that a name is listed in one place.
"""

import ast
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

SOURCE = Path(__file__).parents[2] / "src" / "attn_course"
INNER = ("attend", "check", "extra_repr", "get_config", "compute_mask", "compute_output_shape", "compute_output_spec")
FACES = {"pytorch": "PyTorch", "tf": "TensorFlow"}


def names_of(topic, face):
    """The literal `__all__` of a topic's file, in the order of the file's definitions; none without a file."""
    path = SOURCE / topic / f"{face}.py"
    if not path.exists():  # a cache has no specification of its own
        return []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    (listed,) = [node.value for node in assigned if ast.unparse(node.targets[0]) == "__all__"]
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    names = ast.literal_eval(listed)
    return sorted(names, key=lambda name: defined.index(name) if name in defined else -1)


def entry(face, name):
    """The lines that document one name of a face."""
    kind = "autoclass" if name[0].isupper() else "autofunction"
    lines = [f".. {kind}:: attn_course.{face}.{name}"]
    if kind == "autofunction":
        return lines
    # What is called stands in a base class for all attention over heads; the frameworks' own bases are left out.
    return [*lines, "   :members:", "   :inherited-members:", f"   :exclude-members: {', '.join(INNER)}"]


def side_by_side(name):
    """The two frameworks' entries in two columns, one below the other on a phone."""
    lines = [".. grid:: 1 1 2 2", "   :gutter: 2", ""]
    for face, word in FACES.items():
        lines += ["   .. grid-item::", "", f"      **{word}**", ""]
        lines += [f"      {line}" for line in entry(face, name)] + [""]
    return lines


def lines_of(topic):
    """reStructuredText for a whole topic."""
    both = [name for name in names_of(topic, "pytorch") if name in names_of(topic, "tf")]
    lines = []
    for name in both:
        lines += [*side_by_side(name), ""]
    for name in names_of(topic, "reference"):
        lines += [f"**Specification of** ``{name}``", "", *entry("reference", name), ""]
    return lines


class ApiTopic(SphinxDirective):
    """`{api-topic} NAME`: the folder of the topic in the package."""

    required_arguments = 1

    def run(self):
        topic = self.arguments[0]
        for face in (*FACES, "reference"):
            self.env.note_dependency(str(SOURCE / topic / f"{face}.py"))
        text = "\n".join(lines_of(topic))
        # Through `eval-rst`: autodoc writes reStructuredText, and the page is MyST.
        block = ["```{eval-rst}", *text.splitlines(), "```"]
        holder = nodes.container(classes=["api-topic"])
        self.state.nested_parse(StringList(block, source=topic), 0, holder)
        return [holder]


def setup(app):
    app.add_directive("api-topic", ApiTopic)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
