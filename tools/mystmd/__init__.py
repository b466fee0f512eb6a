"""MyST Markdown to the plain Markdown that Colab, Jupyter and GitHub show properly.

    book = Book.read(root)
    page = Page("book/01_x.md", "01_x", book)
    plain = [convert(text, page) for text in prose]    # in the order of the text: numbers are counted
    plain = close(plain, page)                         # the list of references

Only the directives and roles in DIRECTIVES and ROLES are known; any other is refused by a ValueError.
"""

import re

from markdown_it.token import Token

from .blocks import directive_of, parse, refuse, split_sections
from .directives import DIRECTIVES, REFERENCES, ROLES, convert_directive, display
from .index import Book
from .inline import NO_FOOTNOTES, Page, convert_inline

__all__ = ["DIRECTIVES", "ROLES", "Book", "Page", "caption", "close", "convert", "split_sections"]

_REMOVED = ("myst_target", "myst_line_comment", "myst_block_break", "front_matter")
_PREFIX = re.compile(r"[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*[ \t>]*")  # of lists and quotations
_BROKEN = re.compile(r"[ \t>]*`{3,}\{")
_UNTOUCHED = ("fence", "code_block", "html_block")


def convert(text: str, page: Page) -> str:
    """Plain Markdown for a run of MyST blocks."""
    lines = text.splitlines()
    out: list[str] = []
    prose: list[str] = []
    done = 0  # the first line that is not yet handled

    def flush() -> None:
        if broken := [line for line in prose if _BROKEN.match(line)]:
            raise ValueError(
                f"{page.file}: {broken[0].strip()!r} does not open a block: with a backtick in its title "
                "a directive needs colons, :::{name}"
            )
        if prose:
            out.extend(convert_inline("\n".join(prose), page).split("\n"))
        prose.clear()

    for token in parse(text):
        if token.map is None or token.map[0] < done:
            continue
        replaced = _block(token, lines, page)
        if replaced is not None:
            prose.extend(lines[done : token.map[0]])
            flush()
            _append(out, replaced, lines[token.map[0] :], token.map[1] - token.map[0])
            done = token.map[1]
    prose.extend(lines[done:])
    flush()
    return "\n".join(out).strip("\n")


def _append(out: list[str], block: list[str], source: list[str], length: int) -> None:
    """Add a block with the empty lines that keep it apart from the text around it."""
    following = source[length] if length < len(source) else ""
    if not block and out and not out[-1].strip():
        out.pop()  # or two empty lines would stay where one thing was removed
    elif block and block != source[:length]:
        if out and out[-1].strip(" >") and not _PREFIX.match(block[0])[0].strip(" >\t"):
            out.append("")
        if block[-1].strip(" >") and following.strip(" >") and not following.lstrip().startswith("- "):
            block = [*block, ""]
    out.extend(block)


def _block(token: Token, lines: list[str], page: Page) -> list[str] | None:
    """The lines that replace a block, or None for one whose text is prose."""
    source = lines[token.map[0] : token.map[1]]
    if token.type in _REMOVED:
        return []
    if token.type == "footnote_reference_open":
        raise refuse(page.file, f"the footnote [^{token.meta['label']}]", NO_FOOTNOTES)
    if token.type == "dl_open":
        raise refuse(page.file, "a definition list", "write a list")
    if token.type == "amsmath":
        raise refuse(page.file, "a formula without dollars", "write it between $$")
    if token.type in ("math_block", "math_block_label"):
        number = page.target(token.info).number if token.type == "math_block_label" else 0
        return _placed(display(token.content, number), source)
    if directive := directive_of(token, lines, page.file):
        return _placed(convert_directive(directive, page, lambda body: convert(body, page)), source)
    return source if token.type in _UNTOUCHED else None


def _placed(text: str, source: list[str]) -> list[str]:
    """The text where the block stood: inside the same list item or quotation."""
    first = _PREFIX.match(source[0])[0]
    further = re.sub(r"[^>\t ]", " ", first)
    trailing = [line for line in source[-1:] if not line.strip(" >\t")]  # an empty line that ends the block
    lines = text.splitlines()
    return [(f"{first if i == 0 else further}{line}").rstrip() for i, line in enumerate(lines)] + trailing


def caption(text: str, page: Page, framework: str | None = None) -> str:
    """The line under a figure that a code cell draws; the page shows it from the cell's metadata."""
    if framework == "tf" and page.twins:  # the twin of a figure in PyTorch has its number
        return f"**Fig. {page.twins.pop(0)}.** {convert_inline(text, page)}"
    page.figures += 1
    if framework == "torch":
        page.twins.append(page.figures)
    return f"**Fig. {page.figures}.** {convert_inline(text, page)}"


def close(cells: list[str], page: Page) -> list[str]:
    """Put the list of the works cited in its place, or at the end where the text has none."""
    if page.cited and not page.listed:
        cells = [*cells, f"## References\n\n{REFERENCES}"]
    references = page.book.citations.references(page.cited)
    return [cell.replace(REFERENCES, references) for cell in cells]
