"""CHANGELOG.md as data: its releases with their dates, and the feed that the book serves of them."""

import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from publisher import ROOT, Publisher, authors

FEED = "changes.xml"
_HEAD = re.compile(r"(?m)^## (?P<version>\d+\.\d+\.\d+)(?: - (?P<date>\d{4}-\d\d-\d\d))?\s*$")
_ATOM = "http://www.w3.org/2005/Atom"


@dataclass(frozen=True)
class Change:
    """One release: its version, its date (empty where none is written) and its text in Markdown."""

    version: str
    date: str
    text: str


def changes(root: Path = ROOT) -> list[Change]:
    """The releases of CHANGELOG.md, the newest first as they stand there; what is not released is left out."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    found = []
    for head in heads:
        body = text[head.end() :].partition("\n## ")[0].strip()
        found.append(Change(head["version"], head["date"] or "", body))
    return found


def feed(title: str, here: Publisher, released: list[Change], updated: str) -> str:
    """The releases as Atom. `updated` is a date, for a feed that has no entry yet."""
    ElementTree.register_namespace("", _ATOM)
    root = ElementTree.Element(f"{{{_ATOM}}}feed")

    def add(parent: ElementTree.Element, tag: str, text: str = "", **attributes: str) -> ElementTree.Element:
        element = ElementTree.SubElement(parent, f"{{{_ATOM}}}{tag}", attributes)
        element.text = text or None
        return element

    add(root, "title", f"{title}: releases")
    add(root, "id", here.home_url)
    add(root, "link", href=f"{here.home_url}{FEED}", rel="self")
    add(root, "link", href=here.home_url)
    add(root, "updated", f"{released[0].date if released else updated}T00:00:00Z")
    add(add(root, "author"), "name", authors())
    for change in released:
        entry, address = add(root, "entry"), f"{here.url}/releases/tag/v{change.version}"
        add(entry, "title", f"Version {change.version}")
        add(entry, "id", address)
        add(entry, "link", href=address)
        add(entry, "updated", f"{change.date}T00:00:00Z")
        add(entry, "content", MarkdownIt().render(change.text), type="html")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
