"""`:::{exercise-list}`: a section for every chapter, a row for every exercise; before them, how many there are.

Chapter, order and heading are read from the chapters' files; level, minutes and what is needed from the package, to
which tests hold the pages. Each heading is a link, made when all pages are read: {exercise}`words <04.attention>`.
"""

import re

from chapters import sources
from docutils import nodes
from docutils.statemachine import StringList
from needed_links import link_to, pieces, places
from page_numbers import number_of
from reference_pages import LOG
from sphinx.application import Sphinx
from sphinx.util.docutils import ReferenceRole, SphinxDirective
from tables import table

HEADER = ("Exercise", "Level", "Minutes", "You need")
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


def rows_of(text, bank):
    """A row for each exercise of a chapter's text; it is sorted by its place there."""
    rows = []
    for place, (name, heading) in enumerate(exercises_of(text)):
        own = bank[name]
        linked = [f"{{exercise}}`{part} <{part}>`" if known else part for part, known in pieces(own.before, bank)]
        level, minutes = (f'<data value="{each}">{each}</data>' for each in (own.level, own.minutes))
        level = f'<span data-family="level {own.level}">{level}</span>'
        called = f'<data value="{place}"></data>{{exercise}}`{heading} <{name}>` `{name}`'
        rows.append((called, level, minutes, "".join(linked)))
    return rows


def told(found):
    """How many exercises these are, and how long they take."""
    minutes = {level: [each.minutes for each in found if each.level == level] for level in (1, 2, 3)}
    each = (f"{len(own)} of level {level} ({min(own)} to {max(own)} minutes)" for level, own in minutes.items())
    hours = round(sum(map(sum, minutes.values())) / 60)
    return f"**{len(found)} exercises, about {hours} hours:** {', '.join(each)}."


class ExerciseListDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        from attn_course.exercises import EXERCISES

        made = [self._parsed(told(EXERCISES.values()), nodes.container())]
        for path in sources():
            self.env.note_dependency(str(path))
            text = path.read_text(encoding="utf-8")
            if rows := rows_of(text, EXERCISES):
                title = number_of(path.stem) + re.search(r"(?m)^# (.+)$", text)[1]
                section = nodes.section("", nodes.title("", title), ids=[nodes.make_id(path.stem)], names=[])
                made.append(self._parsed(table(HEADER, rows), section))
        return [*made[0].children, *made[1:]]

    def _parsed(self, text, parent):
        self.state.nested_parse(StringList(text.splitlines(), self.env.docname), self.content_offset, parent)
        for each in parent.findall(nodes.table):
            each["classes"] += ["sortable", "exercise-list"]
        return parent


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
