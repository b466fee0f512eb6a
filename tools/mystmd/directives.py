"""What each directive becomes in plain Markdown. The list is closed: any other is refused by name."""

import re
import textwrap
from collections.abc import Callable

from markdown_it import MarkdownIt

from .blocks import Directive, refuse
from .inline import Page, convert_inline

Convert = Callable[[str], str]  # converts the text inside a directive
_COMMONMARK = MarkdownIt("commonmark")
# Stands where the list of references goes until the whole notebook is read and its citations are known.
REFERENCES = "<!-- references -->"


def display(tex: str, number: int = 0) -> str:
    """`$$ ... $$` on one line, with its number: in a quotation or a list Jupyter would take the marks at the
    beginning of further lines for a part of the formula."""
    lines = [re.sub(r"(?<!\\)%.*", "", line).strip() for line in tex.splitlines()]
    body = " ".join(line for line in lines if line)
    if "\\\\" in body and not body.startswith("\\begin{"):
        body = f"\\begin{{aligned}} {body} \\end{{aligned}}"  # the page breaks the lines likewise
    return f"$$ {body} \\tag{{{number}}} $$" if number else f"$$ {body} $$"


def folded(title: str, body: str) -> str:
    """A block that opens on a click. Its summary is HTML, where Markdown is not read."""
    return f"<details>\n<summary>{_COMMONMARK.renderInline(title)}</summary>\n\n{body}\n\n</details>"


def _dropdown(directive: Directive, page: Page, convert: Convert) -> str:
    return folded(convert_inline(directive.argument or "Details", page), convert(directive.body))


def _note(directive: Directive, page: Page, convert: Convert) -> str:
    text = f"**{directive.name.capitalize()}**\n\n{convert(directive.body)}"
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


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


def _bibliography(_: Directive, page: Page, __: Convert) -> str:
    page.listed = True
    return REFERENCES


_HANDLERS: dict[str, Callable[[Directive, Page, Convert], str]] = {
    "bibliography": _bibliography,
    "dropdown": _dropdown,
    "guess": _guess,
    **dict.fromkeys(("note", "tip", "warning"), _note),
    **dict.fromkeys(("torch", "tf"), _framework),
}
DIRECTIVES = tuple(sorted(_HANDLERS))
ROLES = ("cite:p", "cite:t", "doc", "eq", "numref", "ref", "term")


def convert_directive(directive: Directive, page: Page, convert: Convert) -> str:
    """Plain Markdown for one directive. Raises ValueError, naming file and directive, for an unknown one."""
    if directive.name not in _HANDLERS:
        raise refuse(page.file, f"the directive {{{directive.name}}}")
    return _HANDLERS[directive.name](directive, page, convert).strip("\n")
