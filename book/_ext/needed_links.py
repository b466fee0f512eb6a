"""`Level 1, 5 minutes. You need: 00.weights.`: an exercise that is named there is a link to its place on a page."""

import re

from docutils import nodes
from sphinx.application import Sphinx

_CALL = re.compile(r'^(?:check|shown)\(\s*"([\w.]+)"', re.MULTILINE)
_NAME = re.compile(r"((?:\d\d|lm|project)\.[a-z_]+)\b")
_NEEDS = re.compile(r"Level \d, \d+ minutes\. You need: ")


def places(env) -> dict:
    """name of an exercise -> (page, id of its section)."""
    if not hasattr(env, "exercise_places"):
        env.exercise_places = {}
    return env.exercise_places


def collect(app: Sphinx, doctree: nodes.document) -> None:
    for code in doctree.findall(nodes.literal_block):
        for name in _CALL.findall(code.astext()):
            section = code
            while section is not None and not isinstance(section, nodes.section):
                section = section.parent
            if section is not None:
                places(app.env)[name] = app.env.docname, section["ids"][0]


def forget(app: Sphinx, env, docname: str) -> None:
    found = places(env)
    for name in [name for name, (page, _) in found.items() if page == docname]:
        del found[name]


def merge(app: Sphinx, env, docnames, other) -> None:
    places(env).update({name: place for name, place in places(other).items() if place[0] in docnames})


def pieces(text: str, known) -> list[tuple[str, bool]]:
    """The text in parts: (part, whether it is the name of a known exercise)."""
    return [(part, place % 2 == 1 and part in known) for place, part in enumerate(_NAME.split(text)) if part]


def link_to(app: Sphinx, docname: str, place: tuple[str, str], text: str) -> nodes.reference:
    """A link of a page to the place of an exercise."""
    page, anchor = place
    address = f"{app.builder.get_relative_uri(docname, page) if page != docname else ''}#{anchor}"
    return nodes.reference("", text, refuri=address, internal=True)


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    known = places(app.env)
    for line in [*doctree.findall(nodes.paragraph)]:
        if not _NEEDS.match(line.astext()):
            continue
        for text in [*line.findall(nodes.Text)]:
            parts = pieces(text.astext(), known)
            found = [link_to(app, docname, known[part], part) if named else nodes.Text(part) for part, named in parts]
            text.parent.replace(text, found)


def setup(app: Sphinx):
    app.connect("doctree-read", collect)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("doctree-resolved", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
