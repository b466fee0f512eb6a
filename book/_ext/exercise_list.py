"""`:::{exercise-list}`: a row for every exercise of the chapters, in the order of the pages, and how many there are.

Chapter, order and heading are read from the chapters' files; level, minutes and what is needed from the package, to
which tests hold the pages. Each heading is a link, made when all pages are read: {exercise}`words <04.attention>`.
"""

from __future__ import annotations

import re

from chapters import sources
from docutils import nodes
from docutils.statemachine import StringList
from needed_links import link_to, pieces, places
from reference_pages import LOG
from sphinx.application import Sphinx
from sphinx.util.docutils import ReferenceRole, SphinxDirective
from tables import table

HEADER = ("Chapter", "Exercise", "Level", "Minutes", "You need")
_CHECK = re.compile(r'(?m)^check\("([\w.]+)"')
_HEADING = re.compile(r"##+ (?:Exercise )?(.+)")


class ExerciseNode(nodes.Inline, nodes.TextElement):
    """A link that is made when all pages are read."""


class ExerciseRole(ReferenceRole):
    def run(self):
        return [ExerciseNode("", self.title, name=self.target)], []


def exercises_of(text):
    """Of a chapter's text the exercises in their order: name, heading without "Exercise"."""
    parts = re.split(r"(?m)^(?=##+ )", text)
    return [(name, _HEADING.match(part)[1]) for part in parts for name in dict.fromkeys(_CHECK.findall(part))]


def rows_of(paths, bank):
    """A row for each exercise of these chapters."""
    rows = []
    for place, path in enumerate(paths):
        text = path.read_text(encoding="utf-8")
        number = re.match(r"(\d+)_(?!project)", path.stem)
        called = int(number[1]) if number else re.search(r"(?m)^# ([^:\n]+)", text)[1]
        first = f'<data value="{place}">{{doc}}`{called} <{path.stem}>`</data>'
        for name, heading in exercises_of(text):
            own = bank[name]
            linked = [f"{{exercise}}`{part} <{part}>`" if known else part for part, known in pieces(own.before, bank)]
            level, minutes = (f'<data value="{each}">{each}</data>' for each in (own.level, own.minutes))
            rows.append((first, f"{{exercise}}`{heading} <{name}>`", level, minutes, "".join(linked)))
    return rows


def told(found):
    """How many exercises these are, and how long they take."""
    levels = [sum(each.level == level for each in found) for level in (1, 2, 3)]
    hours = round(sum(each.minutes for each in found) / 60)
    one, two, three = levels
    return f"**{len(found)} exercises, about {hours} hours:** {one} of level 1, {two} of level 2, {three} of level 3."


class ExerciseListDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        from attn_course.exercises import EXERCISES

        paths = sources()
        for path in paths:
            self.env.note_dependency(str(path))
        lines = [told(EXERCISES.values()), "", *table(HEADER, rows_of(paths, EXERCISES)).splitlines()]
        made = nodes.container()
        self.state.nested_parse(StringList(lines, self.env.docname), self.content_offset, made)
        for each in made.findall(nodes.table):
            each["classes"].append("sortable")
        return made.children


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in [*doctree.findall(ExerciseNode)]:
        place = places(app.env).get(node["name"])
        if place is None:
            LOG.warning("no page has the exercise %r", node["name"], location=docname)
        node.replace_self(link_to(app, docname, place, node.astext()) if place else nodes.Text(node.astext()))


def setup(app: Sphinx):
    app.setup_extension("needed_links")
    app.add_role("exercise", ExerciseRole())
    app.add_directive("exercise-list", ExerciseListDirective)
    app.connect("doctree-resolved", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
