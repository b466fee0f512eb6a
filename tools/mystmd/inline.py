"""Roles and links inside a line of text, rewritten as plain Markdown."""

import re
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
    | (?P<link>(?P<untitled>\[)?\]\((?P<target>[^()\s]+)(?:\s+"[^"]*")?\))
    """,
    re.VERBOSE | re.DOTALL,
)
_TITLED = re.compile(r"(.*?)\s*<([^<>]+)>", re.DOTALL)
_EXTERNAL = re.compile(r"https?://|mailto:")
NO_FOOTNOTES = "Colab shows none: say it in the text"


@dataclass
class Page:
    """The page being converted: what may be referred to, and what has been met so far."""

    file: str  # for messages
    stem: str
    book: Book
    cited: set[str] = field(default_factory=set)
    figures: int = 0
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
        raise refuse(page.file, f"the link {match['url']}", "write {doc}`page` or {ref}`label`")
    if match["display"]:  # the page would show the dollars
        raise ValueError(f"{page.file}: {match[0]!r} needs an empty line before and after it")
    if match["footnote"]:
        raise refuse(page.file, f"the footnote {match['footnote']}", NO_FOOTNOTES)
    if match["substitution"]:
        raise refuse(page.file, f"the substitution {match['substitution']}")
    if match["link"] and (match["untitled"] or not _EXTERNAL.match(match["target"])):
        raise refuse(page.file, f"the link to {match['target']}", "write {doc}`page`, {ref}`label` or a whole address")
    return match[0]


def _role(name: str, body: str, page: Page) -> str:
    if name in ("cite:p", "cite:t"):
        return _cite(body, name == "cite:t", page)
    titled = _TITLED.fullmatch(body)
    title, target = (titled[1], titled[2]) if titled else (None, body)
    if name == "term":
        return title or target
    if name == "doc":
        stem = target.removesuffix(".md")
        if stem not in page.book.titles:
            raise ValueError(f"{page.file}: the link to {stem}.md leads to no page of the book")
        return page.link(title or page.book.titles[stem], stem)
    if name in ("ref", "numref", "eq"):
        return _reference(name, title, target, page)
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
    return page.link(title or target.name, target.page, label)
