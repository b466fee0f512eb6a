"""Cells tagged `tab-torch` and `tab-tf` that follow each other become a choice: PyTorch | TensorFlow | Both.

A chapter holds ordinary cells, as Jupyter and Colab need them. Here each run of neighbors that have a framework, and
the prose of `:::{torch}` and `:::{tf}` among them, is sorted into a group of radio buttons and two panels. Style
sheets alone show the chosen panel, or both (`_static/framework.css`), so it works without JavaScript and no cell
stands on the page twice; `_static/framework.js` keeps the choice over all pages.
"""

from pathlib import Path

from docutils import nodes
from html_nodes import EPUB, Html, raw
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

FRAMEWORKS = {"torch": "PyTorch", "tf": "TensorFlow"}
CHOICES = {**FRAMEWORKS, "both": "Both"}
LOG = logging.getLogger(__name__)


class FrameworkProse(SphinxDirective):
    """`:::{torch}` and `:::{tf}`: text that is of one framework alone."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        block = nodes.container(classes=["fw-prose"], framework=self.name)
        self.set_source_info(block)
        self.state.nested_parse(self.content, self.content_offset, block)
        return [block]


def framework_of(node: nodes.Node) -> str | None:
    """The framework whose cell, fold or prose this node is, or None."""
    if not isinstance(node, nodes.Element):
        return None
    if "framework" in node and "fw-prose" in node["classes"]:
        return node["framework"]
    classes = node.get("classes", [])
    if "cell" not in classes:
        return None
    return next((key for key in FRAMEWORKS if f"tag_tab-{key}" in classes), None)


def _is_package(node: nodes.Node) -> bool:
    return "tag_package" in node.get("classes", [])


def runs(parent: nodes.Element) -> list[list[nodes.Node]]:
    """Neighbors that have a framework; a change to or from the package's own source starts a new run."""
    found: list[list[nodes.Node]] = []
    before: nodes.Node | None = None
    for node in parent.children:
        if isinstance(node, nodes.comment):  # what no reader sees doesn't part two neighbors
            continue
        if framework_of(node):
            if before is None or not framework_of(before) or _is_package(before) != _is_package(node):
                found.append([])
            found[-1].append(node)
        before = node
    return found


def _complain(run: list[nodes.Node]) -> None:
    """Warn of code in one framework that has no twin in the other."""
    kinds = {framework_of(node) for node in run}
    if len(kinds) == 1 and not all("fw-prose" in node["classes"] for node in run):
        (kind,) = kinds
        twin = "tf" if kind == "torch" else "torch"
        LOG.warning(
            "a cell tagged tab-%s stands alone: no cell tagged tab-%s is beside it", kind, twin, location=run[0]
        )


def _is_slim(run: list[nodes.Node]) -> bool:
    """Folds alone need no row of tabs, nor does the prose of a single framework."""
    return all("folded" in node["classes"] for node in run) or len({framework_of(node) for node in run}) == 1


class GroupFrameworkCells(SphinxTransform):
    """Wraps the runs and puts the page's control below its title."""

    default_priority = 850  # after the gated exercises and solutions have taken their cells in

    def apply(self, **_) -> None:
        parents = {node.parent: None for node in self.document.findall(framework_of)}
        groups = [(parent, run) for parent in parents for run in runs(parent)]
        for number, (parent, run) in enumerate(groups, start=1):
            _complain(run)
            place = parent.index(run[0])
            inside = {key: [node for node in run if framework_of(node) == key] for key in FRAMEWORKS}
            tabs = Html(before=_before(number, run), after="</div>\n" if EPUB else "</div></div>\n")
            for node in run:
                parent.remove(node)
            tabs += [_panel(key, held) for key, held in inside.items() if held]
            parent.insert(place, tabs)
        title = next(self.document.findall(nodes.title), None)
        if groups and title is not None and not EPUB:
            stem = Path(self.env.srcdir, "_build", "notebooks", Path(self.env.docname).name)
            alone = [key for key in FRAMEWORKS if stem.with_name(f"{stem.name}_{key}.ipynb").exists()]
            # `alone` names the frameworks that have a notebook of their own: the page's buttons follow the choice.
            box = f'<fieldset class="fw-choices fw-page" data-alone="{" ".join(alone)}">'
            control = raw(f"{box}{_radios('framework-page', 'torch')}</fieldset>\n")
            title.parent.insert(title.parent.index(title) + 1, control)


def _panel(key: str, held: list[nodes.Node]) -> Html:
    """The cells and the prose of one framework."""
    before = f'<div class="fw-panel fw-{key}"><p class="fw-name">{FRAMEWORKS[key]}</p>'
    return Html("", *held, before=before, after="</div>\n", framework=key)


def _before(number: int, run: list[nodes.Node]) -> str:
    """How a group begins: with its choices, of which the first holds without JavaScript; in an e-book without any."""
    if EPUB:
        return "<div>"
    if _is_slim(run):  # the package's lines of 88 characters find no room in two columns
        return f'<div class="fw-tabs fw-slim{" fw-wide" if _is_package(run[0]) else ""}"><div class="fw-panels">'
    choices = _radios(f"framework-{number}", "torch")
    return f'<div class="fw-tabs"><fieldset class="fw-choices">{choices}</fieldset><div class="fw-panels">'


def _radios(name: str, checked: str) -> str:
    """The radio buttons, which arrow keys walk through by themselves."""
    parts = [
        # Without autocomplete="off" browsers put an old choice back after the script has set the last one.
        f'<label><input type="radio" name="{name}" value="{key}" autocomplete="off"'
        f"{' checked' if key == checked else ''}><span>{title}</span></label>"
        for key, title in CHOICES.items()
    ]
    return f'<legend class="fw-legend">Framework</legend>{"".join(parts)}'


def setup(app: Sphinx):
    app.setup_extension("html_nodes")
    for name in FRAMEWORKS:
        app.add_directive(name, FrameworkProse)
    app.add_transform(GroupFrameworkCells)
    if not EPUB:
        # In the head and not deferred: the choice stands before the first line is drawn, so nothing jumps.
        app.add_js_file("framework.js", priority=100)
        app.add_css_file("framework.css")
    return {"version": "2", "parallel_read_safe": True, "parallel_write_safe": True}
