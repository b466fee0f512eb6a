"""Roles and links inside a line of text, rewritten as plain Markdown."""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import dataclass, field

from .blocks import refuse
from .index import Book, Target

# One pass over a paragraph: whatever is matched first is either left as it is (escapes, code, formulas) or
# rewritten. A `$` or backtick therefore can't hide a role that follows it, nor show one inside it.
_INLINE = re.compile(
    r"""
      (?P<escape>\\.)
    | \{(?P<role>[A-Za-z0-9_+:-]+)\}(?P<fence>`+)(?P<body>.+?)(?P=fence)(?!`)
    | (?P<code>(?P<ticks>`+).+?(?<!`)(?P=ticks)(?!`))
    | (?P<display>\$\$.+?\$\$)
    | (?P<math>\$(?!\$)(?:\\.|[^$\\])+?\$)
    | (?P<url><(?P<scheme>[a-z][a-z+.-]*):[^\s>]*>)
    | (?P<footnote>\[\^[^\]\s]+\])
    | (?P<substitution>\{\{.*?\}\})
    | (?P<untitled>\[\]\((?P<bare>[^()\s]+)\))
    | (?P<link>\]\((?P<target>[^()\s]+)(?P<rest>(?:\s+"[^"]*")?\)))
    """,
    re.VERBOSE | re.DOTALL,
)
_TITLED = re.compile(r"(.*?)\s*<([^<>]+)>", re.DOTALL)
_EXTERNAL = re.compile(r"(https?|mailto):")
_HTML_TAGS = ("sub", "sup", "kbd")
NO_FOOTNOTES = "Colab shows none: say it in the text"


@dataclass
class Page:
    """The page being converted: what may be referred to, and what has been met so far."""

    file: str  # for messages
    stem: str
    book: Book
    cited: set[str] = field(default_factory=set)
    count: Counter = field(default_factory=Counter)
    twins: list = field(default_factory=list)  # numbers of PyTorch's figures that wait for TensorFlow's
    listed: bool = False  # whether the list of references has its place

    def target(self, label: str) -> Target:
        label = label.strip()
        if label not in self.book.labels:
            raise ValueError(f"{self.file}: no page of the book has the label {label!r}")
        return self.book.labels[label]

    def link(self, text: str, page: str, label: str = "") -> str:
        """Text that leads to the published page; within the notebook itself the text alone."""
        return text if page == self.stem else f"[{text}]({self.book.page_url(page, label)})"


def convert_inline(text: str, page: Page) -> str:
    """Rewrite the roles and links of a run of text, paragraph by paragraph."""
    parts = re.split(r"(\n[ \t>]*\n)", text)  # nothing inside a line of text reaches over an empty line
    return "".join(_INLINE.sub(lambda match: _rewrite(match, page), part) for part in parts)


def _rewrite(match: re.Match, page: Page) -> str:
    if match["role"]:
        return _role(match["role"], re.sub(r"\s*\n[ \t>]*", " ", match["body"]), page)
    if match["url"] and match["scheme"] in ("project", "path", "inv", "myst"):
        raise refuse(page.file, f"the link {match['url']}", "write [text](file.md) or {ref}`label`")
    if match["display"]:  # the page would show the dollars
        raise ValueError(f"{page.file}: {match[0]!r} needs an empty line before and after it")
    if match["footnote"]:
        raise refuse(page.file, f"the footnote {match['footnote']}", NO_FOOTNOTES)
    if match["substitution"]:
        raise refuse(page.file, f"the substitution {match['substitution']}")
    if match["untitled"]:
        return _link(match["bare"], None, page)
    if match["link"]:
        return f"]({_address(match['target'], page)}{match['rest']}"
    return match[0]


def _role(name: str, body: str, page: Page) -> str:
    if name in ("cite", "cite:p", "cite:t"):
        return _cite(body, name == "cite:t", page)
    if name in _HTML_TAGS:
        return f"<{name}>{html.escape(body, quote=False)}</{name}>"
    if name == "abbr":
        return body
    if name == "math":
        return f"${body}$"
    titled = _TITLED.fullmatch(body)
    title, target = (titled[1], titled[2]) if titled else (None, body)
    if name == "term":
        return title or target
    if name == "doc":
        return _link(f"{target.removesuffix('.md')}.md", title, page)
    if name in ("ref", "numref", "eq", "prf:ref"):
        return _reference(name, title, target, page)
    if name.startswith("py:"):
        return f"`{title or (target.rpartition('.')[2] if target.startswith('~') else target)}`"
    raise refuse(page.file, f"the role {{{name}}}")


def _cite(body: str, textual: bool, page: Page) -> str:
    citations = page.book.citations
    try:
        keys = [citations.key(key.strip()) for key in body.split(",")]
    except ValueError as error:
        raise ValueError(f"{page.file}: {error}") from error
    page.cited.update(keys)
    return citations.textual(keys) if textual else citations.parenthetical(keys)


def _reference(role: str, title: str | None, label: str, page: Page) -> str:
    target = page.target(label)
    if role == "eq":
        text = f"({target.number})"
        if target.page != page.stem:  # a number alone would point into this notebook
            text = f"{text} of {page.book.titles[target.page]}"
        return page.link(text, target.page, f"equation-{label}")
    if role == "numref" and title:
        text = title.replace("%s", str(target.number)).replace("{number}", str(target.number))
        text = text.replace("{name}", target.title)
    else:
        text = title or target.name
    return page.link(text, target.page, label)


def _page_of(target: str, page: Page) -> str | None:
    """The stem of the book's page that a link target names, or None for anything else."""
    path = target.partition("#")[0].removeprefix("./")
    if not path.endswith(".md") or path.startswith("../"):
        return None
    stem = path.removesuffix(".md")
    if stem not in page.book.titles:
        raise ValueError(f"{page.file}: the link to {path} leads to no page of the book")
    return stem


def _link(target: str, title: str | None, page: Page) -> str:
    """A link whose text may be missing: then the title of what it leads to stands there."""
    label = target.partition("#")[2]
    if target.startswith("#"):
        found = page.target(label)
        return page.link(title or found.name, found.page, label)
    stem = _page_of(target, page)
    if stem is None:
        raise refuse(page.file, f"the link []({target}) without a text")
    known = page.book.labels.get(label)
    return page.link(title or (known.name if known else page.book.titles[stem]), stem, label)


def _address(target: str, page: Page) -> str:
    """The absolute address of a link's target, since a notebook in Colab has no files beside it."""
    if _EXTERNAL.match(target) or target.startswith(("_static/", "attachment:")):
        return target
    label = target.partition("#")[2]
    if target.startswith("#"):
        found = page.book.labels.get(label)
        return page.book.page_url(found.page if found else page.stem, label)
    if stem := _page_of(target, page):
        return page.book.page_url(stem, label)
    path = target.removeprefix("../") if target.startswith("../") else f"{page.book.folder}/{target}"
    return page.book.publisher.file_url(path)
