"""Cells tagged `tab-torch` and `tab-tf` that follow each other become a choice: PyTorch | TensorFlow | Both.

A chapter holds ordinary cells, as Jupyter and Colab need them. Here each pair is wrapped in a group of radio
buttons and two panels. Style sheets alone show the chosen panel, or both (`_static/framework.css`), so it
works without JavaScript and no cell stands on the page twice; `_static/framework.js` keeps the choice over
all pages.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

FRAMEWORKS = {"torch": "PyTorch", "tf": "TensorFlow"}
CHOICES = {**FRAMEWORKS, "both": "Both"}
LOG = logging.getLogger(__name__)


class FrameworkTabs(nodes.General, nodes.Element):
    """A group of choices; its children are the panels."""


class FrameworkPanel(nodes.General, nodes.Element):
    """The cell of one framework."""


class FrameworkChoice(nodes.General, nodes.Element):
    """The control at the top of a page, which sets all groups of the page at once."""


def framework_of(node: nodes.Node) -> str | None:
    """The framework whose cell this node is, or None."""
    classes = node.get("classes", []) if isinstance(node, nodes.container) else []
    if "cell" not in classes:
        return None
    return next((key for key in FRAMEWORKS if f"tag_tab-{key}" in classes), None)


def pairs(parent: nodes.Element) -> list[tuple[nodes.Node, nodes.Node]]:
    """Cells of PyTorch and TensorFlow that follow each other. Warns of a cell without its twin."""
    found, children, here = [], parent.children, 0
    while here < len(children):
        following = children[here + 1] if here + 1 < len(children) else None
        kinds = framework_of(children[here]), following is not None and framework_of(following)
        if kinds == ("torch", "tf"):
            found.append((children[here], following))
            here += 1
        elif kinds[0]:
            LOG.warning(
                "a cell tagged tab-%s stands alone: a tab-tf cell follows each tab-torch cell",
                kinds[0],
                location=children[here],
            )
        here += 1
    return found


class GroupFrameworkCells(SphinxTransform):
    """Wraps the pairs and puts the page's control below its title."""

    default_priority = 850  # after the gated exercises and solutions have taken their cells in

    def apply(self, **_) -> None:
        parents = {node.parent: None for node in self.document.findall(framework_of)}
        groups = [(parent, pair) for parent in parents for pair in pairs(parent)]
        for number, (parent, pair) in enumerate(groups, start=1):
            place = parent.index(pair[0])
            panels = [FrameworkPanel("", cell.deepcopy(), framework=framework_of(cell)) for cell in pair]
            parent[place : place + 2] = [FrameworkTabs("", *panels, number=number)]
        title = next(self.document.findall(nodes.title), None)
        if groups and title is not None:
            title.parent.insert(title.parent.index(title) + 1, FrameworkChoice())


def _radios(name: str, checked: str) -> str:
    """The radio buttons, which arrow keys walk through by themselves."""
    parts = [
        # Without autocomplete="off" browsers put an old choice back after the script has set the last one.
        f'<label><input type="radio" name="{name}" value="{key}" autocomplete="off"'
        f"{' checked' if key == checked else ''}><span>{title}</span></label>"
        for key, title in CHOICES.items()
    ]
    return f'<legend class="fw-legend">Framework</legend>{"".join(parts)}'


def visit_tabs(writer, node):
    # Without JavaScript the first choice holds, as the radio button says.
    choices = _radios(f"framework-{node['number']}", "torch")
    writer.body.append(f'<div class="fw-tabs"><fieldset class="fw-choices">{choices}</fieldset>')
    writer.body.append('<div class="fw-panels">')


def depart_tabs(writer, node):
    writer.body.append("</div></div>\n")


def visit_panel(writer, node):
    title = FRAMEWORKS[node["framework"]]
    writer.body.append(f'<div class="fw-panel fw-{node["framework"]}"><p class="fw-name">{title}</p>')


def depart_panel(writer, node):
    writer.body.append("</div>\n")


def visit_choice(writer, node):
    writer.body.append(f'<fieldset class="fw-choices fw-page">{_radios("framework-page", "torch")}</fieldset>\n')


def visit_nothing(writer, node):
    """Other kinds of output show the cells one after the other."""


def setup(app: Sphinx):
    nothing = (visit_nothing, visit_nothing)
    others = {"latex": nothing, "text": nothing, "man": nothing, "texinfo": nothing}
    app.add_node(FrameworkTabs, html=(visit_tabs, depart_tabs), **others)
    app.add_node(FrameworkPanel, html=(visit_panel, depart_panel), **others)
    app.add_node(FrameworkChoice, html=(visit_choice, visit_nothing), **others)
    app.add_transform(GroupFrameworkCells)
    # In the head and not deferred: the choice stands before the first line is drawn, so nothing jumps.
    app.add_js_file("framework.js", priority=100)
    app.add_css_file("framework.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
