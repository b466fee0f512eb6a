"""The entries of the page "Often said, and wrong", as Markdown, from misconceptions.toml.

The line LISTED of book/misconceptions.md stands for them: the book puts them there before the page is read
(book/_ext/reference_pages.py).
"""

import re
import tomllib
from typing import NamedTuple

from publisher import ROOT, publisher

LISTED = "```{misconceptions}\n```"
READERS = {  # and what the page calls them
    "learn": "You meet attention for the first time",
    "write": "You write or port a layer",
    "train": "You train a model",
    "serve": "You serve one",
}
TEST = re.compile(r"(?P<file>tests/[\w/]+\.py)::(?P<name>test_\w+)(?:\[(?P<case>.+)\])?")


class Error(NamedTuple):
    """What is said, what is right, section and cell that show it, its source, and the test that what is said fails."""

    said: str
    right: str
    page: str
    section: str
    source: str
    where: str
    test: str
    cell: str = ""


def _read():
    return tomllib.loads((ROOT / "tools" / "misconceptions.toml").read_text(encoding="utf-8"))["topic"]


def topics():
    """The titles, each with its errors, in the order of the file."""
    return [(topic["title"], [Error(**row) for row in topic["error"]]) for topic in _read()]


def by_reader():
    """Of every reader the titles of the topics, in the order of the file."""
    return {key: [topic["title"] for topic in _read() if key in topic["readers"].split(", ")] for key in READERS}


def label(title):
    return f"said-{title.lower().replace(' ', '-')}"


def entry(error):
    """The Markdown of one error."""
    keys = ", ".join(f"{{cite:t}}`{key}`" for key in error.source.split(","))
    file, name, case = TEST.fullmatch(error.test).group("file", "name", "case")
    words = name.removeprefix("test_").replace("_", " ")
    test = f"[{words}]({publisher().file_url(file)})" + (f", case *{case}*" if case else "")
    lines = [f"### “{error.said}”", "", error.right, "", ":::{dropdown} Shown, printed, tested"]
    claim = error.cell.replace("`", "")  # one would end the role
    cell = f", by {{shown}}`{error.page}#{error.section}#{claim}`" if claim else ""
    lines += [f"- Shown in {{shown}}`{error.page}#{error.section}`{cell}"]
    lines += [f"- Source: {keys}{', ' if error.where else ''}{error.where}"]
    return "\n".join([*lines, f"- Fails when it is implemented: {test}", ":::", ""])


def entries():
    links = {title: f"{{ref}}`{title} <{label(title)}>` ({len(errors)})" for title, errors in topics()}
    lines = [f"- **{READERS[key]}:** {', '.join(map(links.get, titles))}." for key, titles in by_reader().items()]
    parts = [f"({label(title)})=\n## {title}\n\n" + "\n".join(map(entry, errors)) for title, errors in topics()]
    return "\n".join(["::::{div} readers", *lines, "::::", "", *parts])


def with_entries(text):
    """A page's text with every entry in place of the line, if it has the line."""
    return text.replace(LISTED, entries()) if LISTED in text else text
