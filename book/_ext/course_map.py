"""`:::{course-map}`: the way through the book as a picture, with time, level and branches.

One chapter a line: `number | page | core` or `after N | level 1 to 3 | what it adds`. Minutes to read come from the
page, minutes and number of exercises from the package. It is a nested list, drawn by style sheets alone;
`_static/course.js` adds what this browser remembers: ticks for chapters marked as read, exercises from a progress
string, "Continue at".
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

EPUB = os.environ.get("ATTN_COURSE_BUILDER") == "epub"
_CHECK = re.compile(r'(?m)^check\("(\w+)\.')
_MINUTES = re.compile(r"(\d+)\s+min(?:utes)?\s+to\s+read")


class CourseMap(nodes.General, nodes.Element):
    """The whole picture; its children are Stations."""


class Station(nodes.General, nodes.Element):
    """A chapter: a link and what it adds; then, of a chapter of the core path, its Branches."""


class Branches(nodes.General, nodes.Element):
    """The chapters that leave the path here."""


def _hours(minutes) -> int:
    """Minutes of reading and exercises as whole hours."""
    return round(sum(minutes) / 60)


class CourseMapDirective(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        from attn_course.exercises import EXERCISES

        core, order = {}, {}
        for name, exercise in EXERCISES.items():
            group = name.partition(".")[0]
            count, minutes = order.get(group, (0, 0))
            order[group] = count + 1, minutes + exercise.minutes
        picture = CourseMap()
        for line in self.content:
            if not line.strip():
                continue
            number, page, path, level, adds = (part.strip() for part in line.split("|"))
            group = number.zfill(2) if number.isdigit() else self._prefix(page)
            count, minutes = order.get(group, (0, 0))
            station = Station(
                number=number, page=page, branch=path != "core", level=int(level), group=group, path=path,
                count=count, minutes=minutes, read=self._minutes(page),
            )  # fmt: skip
            link = addnodes.pending_xref(
                "", nodes.inline("", ""), refdomain="std", reftype="doc", reftarget=page, refexplicit=False,
                refdoc=self.env.docname, refwarn=True,
            )  # fmt: skip
            words, _ = self.state.inline_text(adds, self.lineno)
            station += nodes.paragraph("", "", link, classes=["map-name"])
            station += nodes.paragraph("", "", *words, classes=["map-adds"])
            if path == "core":
                core[number] = station
                picture += station
            else:
                parent = core[path.removeprefix("after ")]
                if not isinstance(parent[-1], Branches):
                    parent += Branches()
                parent[-1] += station
        self.set_source_info(picture)
        stops = [*picture.findall(Station)]
        told = [
            _hours(each["read"] + each["minutes"] for each in stops if not (short and each["branch"]))
            for short in (1, 0)
        ]
        words = f"The core path takes about {told[0]} hours with its exercises, everything about {told[1]}."
        return [nodes.paragraph("", words, classes=["map-hours"]), picture]

    def _text(self, page: str) -> str:
        return Path(self.env.doc2path(self.env.docname)).with_name(f"{page}.md").read_text(encoding="utf-8")

    def _minutes(self, page: str) -> int:
        found = _MINUTES.search(self._text(page))
        return int(found[1]) if found else 20

    def _prefix(self, page: str) -> str:
        """What the exercises of a project are called; "" where it has none."""
        found = _CHECK.search(self._text(page))
        return found[1] if found else ""


def visit_map(writer, node):
    form = (
        '<div class="map-bar" hidden><p class="map-next"></p><form class="map-form"><label for="map-code">Exercises: '
        "paste what <code>attn-course exercises progress</code> prints</label><span>"
        '<input id="map-code" name="code" autocomplete="off" '
        'spellcheck="false" placeholder="00-3.04-1f"> <button type="submit">Show</button></span></form>'
        '<p class="map-said" role="status"></p></div>'
    )
    writer.body.append(f'<div class="course-map">{"" if EPUB else form}<ol class="map-path">\n')


def depart_map(writer, node):
    writer.body.append("</ol></div>\n")


def visit_station(writer, node):
    kind = "branch" if node["branch"] else "core"
    data = f'data-page="{node["page"]}" data-group="{node["group"]}" data-count="{node["count"]}"'
    number = node["number"] or "▲"
    after = f"{node['path']} · " if node["branch"] else ""
    level = "●" * node["level"] + "○" * (3 - node["level"])
    exercises = f" + {node['minutes']} min exercises" if node["count"] else ""
    told = (
        f"{after}{node['read']} min{exercises} · "
        f'<span class="map-level" aria-hidden="true">{level}</span>'
        f'<span class="map-hidden">level {node["level"]} of 3</span>'
    )
    writer.body.append(
        f'<li class="map-{kind}" {data}><span class="map-stop" aria-hidden="true">{number}</span><div class="map-card">'
        f'<p class="map-told">{told}<span class="map-done"></span></p>'
    )


def depart_station(writer, node):
    if not isinstance(node[-1], Branches):
        writer.body.append("</div>")
    writer.body.append("</li>\n")


def visit_branches(writer, node):
    writer.body.append('</div><ol class="map-branches">\n')


def depart_branches(writer, node):
    writer.body.append("</ol>\n")


def nothing(writer, node):
    """Other kinds of output show the list."""


def setup(app: Sphinx):
    others = dict.fromkeys(("latex", "text", "man", "texinfo"), (nothing, nothing))
    app.add_node(CourseMap, html=(visit_map, depart_map), **others)
    app.add_node(Station, html=(visit_station, depart_station), **others)
    app.add_node(Branches, html=(visit_branches, depart_branches), **others)
    app.add_directive("course-map", CourseMapDirective)
    if not EPUB:
        app.add_js_file("course.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
