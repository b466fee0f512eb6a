"""MyST text as blocks: which lines are directives, formulas, comments, and what each one says.

The parser is the book's own (myst-parser), so the notebooks and the pages never disagree about what is a
directive and what is text inside a code fence.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

# Those of _config.yml that matter to blocks. (Task lists are ordinary lists, and GitHub draws their boxes.)
EXTENSIONS = frozenset({"amsmath", "colon_fence", "deflist", "dollarmath"})

_NAME = re.compile(r"\{([\w:+.-]+)\}\s*(.*)", re.DOTALL)
_OPTION = re.compile(r"\s*:([\w-]+):(?:\s+(.*?))?\s*$")


def refuse(where: str, what: str, mend: str = "") -> ValueError:
    """The one error of the converter: it names the file, the construct, and where the list stands."""
    mend = f"; {mend}" if mend else ""
    return ValueError(f"{where}: {what} is not allowed in a chapter{mend} (docs/chapters.md lists those allowed)")


@dataclass
class Directive:
    """One directive: ```{name} argument, then options, then the body."""

    name: str
    argument: str
    options: dict[str, str] = field(default_factory=dict)
    body: str = ""


# Blocks only: inline.py works on the text itself.
_PARSER = create_md_parser(MdParserConfig(enable_extensions=set(EXTENSIONS)), RendererHTML).disable("inline")


def parse(text: str) -> list[Token]:
    """The block tokens of a text; `token.map` holds the first line and the line after the last."""
    return _PARSER.parse(text)


def directive_of(token: Token, lines: list[str], where: str) -> Directive | None:
    """The directive that a token stands for, or None for any other block, such as a plain code fence."""
    if token.type not in ("fence", "colon_fence"):
        return None
    match = _NAME.fullmatch(token.info.strip())
    if match is None:
        if token.type == "colon_fence":
            raise refuse(where, f"the fence '{token.markup} {token.info.strip()}' without a directive")
        return None
    _check_closed(token, lines, where, match[1])
    options, body = _options(token.content)
    return Directive(match[1], match[2].strip(), options, body)


def _check_closed(token: Token, lines: list[str], where: str, name: str) -> None:
    """An open fence would swallow the rest of the page unseen; the usual cause is a cell inside it."""
    last = lines[token.map[1] - 1].strip(" >\t")
    if token.map[1] - token.map[0] < 2 or not last or set(last) != {token.markup[0]}:
        raise ValueError(
            f"{where}: the directive {{{name}}} is not closed before the end of its block "
            "(a code cell can't stand inside a directive: see docs/chapters.md)"
        )


def _options(content: str) -> tuple[dict[str, str], str]:
    lines = content.splitlines()
    options = {}
    while lines and (match := _OPTION.match(lines[0])):
        options[match[1]] = match[2] or ""
        lines.pop(0)
    return options, "\n".join(lines)


def split_sections(text: str) -> list[str]:
    """Cut a text before each heading of the first or second level, where Colab folds a notebook."""
    lines = text.splitlines()
    cuts = [
        token.map[0]
        for token in parse(text)
        if token.type == "heading_open" and token.level == 0 and token.tag in ("h1", "h2")
    ]
    bounds = sorted({0, len(lines), *cuts})
    parts = ["\n".join(lines[a:b]).strip("\n") for a, b in pairwise(bounds)]
    return [part for part in parts if part.strip()]
