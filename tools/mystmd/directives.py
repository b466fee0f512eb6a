"""What each directive becomes in plain Markdown. The list is closed: any other is refused by name."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable

from markdown_it import MarkdownIt

from .blocks import Directive, parse, refuse
from .index import PROOFS, WORDS, kind_of
from .inline import Page, convert_inline
from .mathematics import display

Convert = Callable[[str], str]  # converts the text inside a directive
_COMMONMARK = MarkdownIt("commonmark")
_ADMONITIONS = ("note", "tip", "hint", "important", "warning", "caution", "attention", "danger", "seealso")


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def indented(text: str, prefix: str = "  ") -> str:
    """The text as the body of a list item: every line but the first is moved in."""
    return f"\n{prefix}".join(text.splitlines()).replace(f"\n{prefix}\n", "\n\n")


def folded(title: str, body: str) -> str:
    """A block that opens on a click. Its summary is HTML, where Markdown is not read."""
    summary = _COMMONMARK.renderInline(title)
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def titled(title: str, body: str) -> str:
    return f"**{title}**\n\n{body}".strip()


def _words(name: str) -> str:
    return "See also" if name == "seealso" else name.capitalize()


def _admonition(directive: Directive, page: Page, convert: Convert) -> str:
    body, title = directive.body, _words(directive.name)
    if directive.name == "admonition":
        title = convert_inline(directive.argument, page)
    elif directive.argument:  # ```{note} The text may begin on this line
        body = f"{directive.argument}\n{body}"
    converted = convert(body)
    return folded(title, converted) if directive.folded else quoted(titled(title, converted))


def _dropdown(directive: Directive, page: Page, convert: Convert) -> str:
    return folded(convert_inline(directive.argument or "Details", page), convert(directive.body))


def _guess(directive: Directive, page: Page, convert: Convert) -> str:
    """The question, its answers as a list, and what is said of each behind a fold."""
    parts = re.split(r"(?m)^- \[([ x<>])\] ", directive.body)[1:]
    unit = f" {directive.options['number']}" if "number" in directive.options else ""
    listed, replies = [], []
    for mark, text in zip(parts[::2], parts[1::2], strict=True):
        line, _, reply = text.partition("\n\n")
        line = convert_inline(" ".join(line.split()), page)
        listed.append(f"- {line}")
        if mark == "x":
            reply = textwrap.dedent(reply).strip()
            replies.append(f"**{line}{convert_inline(unit, page)}** {convert(reply)}")
    question = f"**Guess.** {convert_inline(directive.argument, page)}"
    shown = [] if unit else ["\n".join(listed)]  # a number is typed: its bounds are the answer
    return "\n\n".join([question, *shown, folded("Answer", "\n\n".join(replies))])


def _framework(directive: Directive, page: Page, convert: Convert) -> str:
    """Prose of one framework; the comments let a notebook of the other leave it out."""
    name = {"torch": "PyTorch", "tf": "TensorFlow"}[directive.name]
    body = convert(directive.body)
    apart = re.match(r"```|[|>$<#]|[*+-] |\d+[.)] ", body)  # a list or a table begins on a line of its own
    gap = "\n\n" if apart else " "
    return f"<!-- {directive.name} -->\n\n**{name}.**{gap}{body}\n\n<!-- end -->"


def _math(directive: Directive, page: Page, _: Convert) -> str:
    body = "\n".join(part for part in (directive.argument, directive.body) if part.strip())
    return display(body, page.target(directive.label).number if directive.label else 0)


def _figure(directive: Directive, page: Page, convert: Convert) -> str:
    image = f"![{directive.options.get('alt', '')}]({directive.argument})"
    if directive.name == "image" or not directive.body.strip():
        return image
    name = numbered("figure", directive, page)
    return f"{image}\n\n**{name}.** {convert(directive.body)}"


def numbered(kind: str, directive: Directive | None, page: Page) -> str:
    """The name of the next figure, exercise, ... of the page, such as "Exercise 2"."""
    if directive is not None and kind_of(directive) is None:
        return WORDS[kind]
    page.count[kind] += 1
    return f"{WORDS[kind]} {page.count[kind]}"


def _with_title(name: str, directive: Directive, page: Page) -> str:
    return f"{name} ({convert_inline(directive.argument, page)})" if directive.argument else name


def _exercise(directive: Directive, page: Page, convert: Convert) -> str:
    title = _with_title(numbered("exercise", directive, page), directive, page)
    body = convert(directive.body)
    return folded(title, body) if directive.folded else titled(title, body)


def _solution(directive: Directive, page: Page, convert: Convert) -> str:
    target = page.target(directive.argument)
    title = f"Solution to {target.name}"
    title += f" ({convert_inline(target.title, page)})" if target.title else ""
    # A code cell can't stand in a folded block: a gated solution is a heading, its cells fold themselves.
    gated = directive.name == "solution-start"
    body = convert(directive.body)
    return titled(title, body) if gated else folded(title, body)


def _proof(directive: Directive, page: Page, convert: Convert) -> str:
    kind = directive.name.removeprefix("prf:")
    if kind == "proof":
        return f"**Proof.** {convert(directive.body)}"
    if kind not in PROOFS:
        raise refuse(page.file, f"the directive {{{directive.name}}}")
    return titled(_with_title(numbered(kind, directive, page), directive, page), convert(directive.body))


def _table(directive: Directive, page: Page, convert: Convert) -> str:
    body = convert(_list_rows(directive, page) if directive.name == "list-table" else directive.body)
    if not directive.argument:
        return body
    name = numbered("table", directive, page)
    return f"**{name}.** {convert_inline(directive.argument, page)}\n\n{body}"


def _list_rows(directive: Directive, page: Page) -> str:
    """The pipe table that a list of lists stands for."""
    rows: list[list[str]] = []
    for token in parse(directive.body):
        if token.type == "list_item_open":
            if token.level == 1:
                rows.append([])
            elif token.level == 3:
                rows[-1].append("")
        elif token.type == "inline" and rows and rows[-1]:
            text = " ".join(token.content.splitlines()).replace("|", "\\|")
            rows[-1][-1] = f"{rows[-1][-1]}<br>{text}" if rows[-1][-1] else text
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"{page.file}: the rows of a {{list-table}} must be of one length")
    header = rows if int(directive.options.get("header-rows") or 0) else [[""] * len(rows[0]), *rows]
    lines = [f"| {' | '.join(row)} |" for row in header]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def _card(directive: Directive, page: Page, convert: Convert) -> str:
    title = convert_inline(directive.argument, page)
    if link := directive.options.get("link"):
        kind = directive.options.get("link-type", "url")
        target = {"doc": f"[{title}]({link.removesuffix('.md')}.md)", "ref": f"[{title}](#{link})"}
        title = convert_inline(target.get(kind, f"[{title}]({link})"), page)
    body = convert(re.sub(r"(?m)^(\^\^\^+|\+\+\++)\s*$", "", directive.body))  # the card's head and foot
    return indented("- " + "\n\n".join(part for part in (f"**{title}**" if title else "", body) if part))


def _bibliography(_: Directive, page: Page, __: Convert) -> str:
    page.listed = True
    return REFERENCES


# Stands where the list of references goes until the whole notebook is read and its citations are known.
REFERENCES = "<!-- references -->"

_HANDLERS: dict[str, Callable[[Directive, Page, Convert], str]] = {
    **dict.fromkeys((*_ADMONITIONS, "admonition"), _admonition),
    "dropdown": _dropdown,
    "guess": _guess,
    "torch": _framework,
    "tf": _framework,
    "math": _math,
    "figure": _figure,
    "image": _figure,
    **dict.fromkeys(("exercise", "exercise-start"), _exercise),
    **dict.fromkeys(("solution", "solution-start"), _solution),
    **dict.fromkeys(("exercise-end", "solution-end"), lambda *_: ""),
    **dict.fromkeys(("prf:proof", *(f"prf:{kind}" for kind in PROOFS)), _proof),
    **dict.fromkeys(("table", "list-table"), _table),
    **dict.fromkeys(("grid", "tab-set"), lambda directive, _, convert: convert(directive.body)),
    **dict.fromkeys(("grid-item-card", "grid-item", "card"), _card),
    "tab-item": lambda directive, page, convert: titled(
        convert_inline(directive.argument, page), convert(directive.body)
    ),
    "code-block": lambda directive, *_: f"```{directive.argument}\n{directive.body}\n```",
    "bibliography": _bibliography,
}
DIRECTIVES = tuple(sorted(_HANDLERS))
ROLES = ("abbr", "cite", "cite:p", "cite:t", "doc", "eq", "kbd", "math", "numref", "prf:ref", "py:*", "ref")
ROLES += ("sub", "sup", "term")


def convert_directive(directive: Directive, page: Page, convert: Convert) -> str:
    """Plain Markdown for one directive. Raises ValueError, naming file and directive, for an unknown one."""
    if directive.name in ("code-cell", "raw-cell"):
        raise refuse(page.file, f"a {{{directive.name}}} inside another block", "use {solution-start}")
    if directive.name not in _HANDLERS:
        raise refuse(page.file, f"the directive {{{directive.name}}}")
    return _HANDLERS[directive.name](directive, page, convert).strip("\n")
