"""`:::{course-map}`: the way through the book as a picture, with time, level and branches.

One chapter a line: `number | page | core` or `after N | level 1 to 3 | what it adds`. Minutes to read come from the
page, minutes and number of exercises from the package. It is a nested list, drawn by style sheets alone;
`_static/course.js` adds what this browser remembers: ticks for chapters marked as read, exercises from a progress
string, "Continue at".
"""

import re
from pathlib import Path

from docutils import nodes
from html_nodes import EPUB, Html
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_CHECK = re.compile(r'(?m)^check\("(\w+)\.')
_MINUTES = re.compile(r"(\d+)\s+min(?:utes)?\s+to\s+read")
_TO_DO = re.compile(r"about\s+(\d+)\s+minutes\s+to\s+do")  # of a project without exercises


FORM = (
    '<div class="map-bar" hidden><p class="map-next"></p><details><summary>Show exercises you solved</summary>'
    '<form class="map-form"><label for="map-code">Paste what <code>attn-course exercises progress</code> prints</label>'
    '<span><input id="map-code" name="code" autocomplete="off" '
    'spellcheck="false" placeholder="00-3.04-1f"> <button type="submit">Show</button></span></form>'
    '<p class="map-said" role="status"></p></details></div>'
)


class CourseMapDirective(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        from attn_course.exercises import EXERCISES

        order = {}
        for name, exercise in EXERCISES.items():
            group = name.partition(".")[0]
            count, minutes = order.get(group, (0, 0))
            order[group] = count + 1, minutes + exercise.minutes
        stops: list[tuple[int, bool]] = []  # minutes, and whether it is a branch
        cards: dict[str, list[nodes.Node]] = {}  # of the core path, each with the branches that leave it
        branches: dict[str, list[nodes.Node]] = {}
        left: dict[str, str] = {}  # branch -> where it leaves the core path
        for line in self.content:
            if not line.strip():
                continue
            number, page, path, level, adds = (part.strip() for part in line.split("|"))
            group = number.zfill(2) if number.isdigit() else self._prefix(page)
            count, minutes = order.get(group, (0, self._minutes(page, _TO_DO, 0)))
            read = self._minutes(page, _MINUTES, 20)
            stops.append((read + minutes, path != "core"))
            kind, after = ("core", "") if path == "core" else ("branch", f"{path} · ")
            time = f"{read} + {minutes} min" if minutes else f"{read} min"
            before = (
                f'<li class="map-{kind}" data-page="{page}" data-group="{group}" data-count="{count}">'
                f'<span class="map-stop" aria-hidden="true">{number or "▲"}</span><div class="map-card">'
                f'<p class="map-told"><span class="map-level" aria-hidden="true">'
                f"{'●' * int(level)}{'○' * (3 - int(level))}</span>"
                f'<span class="map-hidden">level {level} of 3</span> · {after}{time}<span class="map-done"></span></p>'
            )
            link = addnodes.pending_xref(
                "", nodes.inline("", ""), refdomain="std", reftype="doc", reftarget=page, refexplicit=False,
                refdoc=self.env.docname, refwarn=True,
            )  # fmt: skip
            words, _ = self.state.inline_text(adds, self.lineno)
            station = Html(before=before, after="</div></li>\n")
            station += nodes.paragraph("", "", link, classes=["map-name"])
            station += nodes.paragraph("", "", *words, classes=["map-adds"])
            if path == "core":
                cards[number] = station
            else:
                after = path.removeprefix("after ")
                left[number] = after = left.get(after, after)  # what follows a branch leaves where that does
                branches.setdefault(after, []).append(station)
        for number, stations in branches.items():
            cards[number] += Html("", *stations, before='</div><ol class="map-branches">\n', after="</ol>\n")
            cards[number]["after"] = "</li>\n"
        before = f'<div class="course-map">{"" if EPUB else FORM}<ol class="map-path">\n'
        picture = Html("", *cards.values(), before=before, after="</ol></div>\n")
        self.set_source_info(picture)
        core, everything = (
            round(sum(each for each, branch in stops if not (short and branch)) / 60) for short in (True, False)
        )
        words = f"The core path takes about {core} hours with its exercises, everything about {everything}."
        return [nodes.paragraph("", words, classes=["map-hours"]), picture]

    def _text(self, page: str) -> str:
        return Path(self.env.doc2path(self.env.docname)).with_name(f"{page}.md").read_text(encoding="utf-8")

    def _minutes(self, page: str, told: re.Pattern, otherwise: int) -> int:
        found = told.search(self._text(page))
        return int(found[1]) if found else otherwise

    def _prefix(self, page: str) -> str:
        """What the exercises of a project are called; "" where it has none."""
        found = _CHECK.search(self._text(page))
        return found[1] if found else ""


def setup(app: Sphinx):
    app.setup_extension("html_nodes")
    app.add_directive("course-map", CourseMapDirective)
    if not EPUB:
        app.add_js_file("course.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
