"""What the pages of the book hold that others may point at: titles, labels and their numbers.

Numbers count within one page, in the order of the text.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from api_sections import with_sections
from jupytext.myst import parse_directive_options
from publisher import Publisher, publisher, version

from .blocks import directive_of, parse
from .citations import Citations

# How a numbered thing is called where it is shown and where it is referred to.
WORDS = {"figure": "Fig.", "equation": "Equation"}
_OPAQUE = ("math", "code-block", "bibliography", "eval-rst", "toctree")


@dataclass(frozen=True)
class Target:
    """Something with a label: its kind, the page's stem, its number (0 for none) and its title."""

    kind: str
    page: str
    number: int
    title: str

    @property
    def name(self) -> str:
        """How a reference names it: "Fig. 2", or its title."""
        return f"{WORDS[self.kind]} {self.number}" if self.number else self.title


@dataclass
class Book:
    """Labels and titles of all pages in a folder, the works they cite and where the book is published."""

    publisher: Publisher
    citations: Citations
    titles: dict[str, str] = field(default_factory=dict)
    labels: dict[str, Target] = field(default_factory=dict)
    version: str = ""  # of the package

    @classmethod
    def read(cls, root: Path) -> Self:
        """The book of the repository at `root`: the pages in book/."""
        book = cls(publisher(root), Citations.read(root / "book" / "references.bib"), version=version(root))
        for path in sorted((root / "book").glob("*.md")):
            book.add_page(path.stem, with_sections(path.read_text(encoding="utf-8")))
        return book

    def add_page(self, page: str, text: str) -> None:
        """Note the labels and the title of one page."""
        self.titles.setdefault(page, page)
        self._walk(page, text, Counter(), [])

    def page_url(self, page: str, label: str = "") -> str:
        anchor = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")
        return self.publisher.page_url(f"book/{page}") + (f"#{anchor}" if anchor else "")

    def _walk(self, page: str, text: str, count: Counter, waiting: list[str]) -> None:
        lines, tokens, where = text.splitlines(), parse(text), f"book/{page}.md"
        for token, following in zip(tokens, [*tokens, None][1:], strict=True):
            if token.type == "myst_target":
                waiting.append(token.content)
            elif token.type == "heading_open":
                self._heading(page, token.tag, following.content, waiting)
            elif token.type == "math_block_label":
                self._note(page, token.info, "equation", count)
            elif token.type in ("fence", "colon_fence") and token.info.startswith("{code-cell}"):
                self._cell(page, token.content, count)
            elif (directive := directive_of(token, lines, where)) and directive.name not in _OPAQUE:
                self._walk(page, directive.body, count, waiting)

    def _heading(self, page: str, tag: str, title: str, waiting: list[str]) -> None:
        if tag == "h1" and self.titles[page] == page:
            self.titles[page] = title
        for label in waiting:
            self.labels[label] = Target("section", page, 0, title)
        waiting.clear()

    def _note(self, page: str, label: str | None, kind: str, count: Counter) -> None:
        count[kind] += 1
        if label:
            self.labels[label] = Target(kind, page, count[kind], "")

    def _cell(self, page: str, content: str, count: Counter) -> None:
        if "caption" not in content:  # what most cells have for options takes long to read
            return
        options = parse_directive_options(content, page)[1]
        figure = options.get("mystnb", {}).get("figure", {})
        if figure.get("caption"):
            kinds = options.get("tags", [])
            if "tab-tf" in kinds and count["waiting"]:  # the twin of a figure in PyTorch has its number
                count["waiting"] -= 1
                return
            self._note(page, figure.get("name"), "figure", count)
            count["waiting"] += "tab-torch" in kinds
