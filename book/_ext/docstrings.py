"""Docstrings on the API page: sections with their names in bold, formulas and examples line by line.

They are written to be read in the source, with formulas set line below line. Read as reStructuredText, their lines
would run together, and a formula such as |i - j| would be an error.
"""

import re
import textwrap

SECTIONS = ("Shapes", "Sizes", "Parameters", "Edge case", "Raises", "Source", "Sources", "Differs", "Warning")
ENTRIES = ("Shapes", "Sizes", "Parameters", "Raises")  # these may be made of "name: what it is", indented
HEAD = re.compile(rf"^({'|'.join(SECTIONS)})(?: \((.*)\))?: *", re.MULTILINE)
ITEM = re.compile(r"^ *- ", re.MULTILINE)
NAME = r"\*{0,2}[\w.]+"
NAMED = re.compile(rf"^(?=(?:of an? )?{NAME}(?:(?:, | and | or ){NAME})*: )", re.MULTILINE)
LEAD = re.compile(r"^(\S.*[.:])$", re.MULTILINE)  # a line in front of code that is indented
# A formula has columns that spaces keep apart, or sets something equal and is no sentence. So does code.
COLUMNS = re.compile(r"\S {2,}\S|^>>>|^\s*@\w", re.MULTILINE)
EQUALS = re.compile(r"^\S.* = ", re.MULTILINE)


def escape(text):
    """The text with the signs that reStructuredText would take for markup; names of ours become links."""
    parts = re.split(r"(``.+?``)", text)
    for i, part in enumerate(parts):
        if found := re.fullmatch(r"``(attn_course\.(?:reference|pytorch|tf)\.\w+)``", part):
            parts[i] = f":py:obj:`~{found[1]}`"
        elif not part.startswith("``"):
            parts[i] = re.sub(r"([\\*`|_])", r"\\\1", part)
    return "".join(parts)


def literal(text):
    text = textwrap.dedent(text.strip("\n")).replace("``", "")
    return ["", ".. code-block:: text", "", *textwrap.indent(text, "   ").splitlines(), ""]


def listed(text, items=ITEM):
    """What a text says, and what it lists behind that."""
    return [escape(" ".join(one.split())) for one in items.split(text)]


def section(name, note, body):
    """A section: its name, and what is told in brackets behind it; then a text and, as a list, its entries."""
    first, _, below = body.partition("\n")
    entries = name in ENTRIES and below.startswith(" ")
    said, *items = listed(f"{first}\n{textwrap.dedent(below)}", NAMED if entries else ITEM)
    if not said and len(items) == 1:
        said = items.pop()
    head = f"**{name}** ({escape(note)})." if note else f"**{name}.**"
    return ["", f"{head} {said}".rstrip(), "", *(f"- {one}" for one in items), ""]


def paragraph(text):
    """One paragraph of a docstring as lines of reStructuredText."""
    if HEAD.match(text):
        heads = [*HEAD.finditer(text)]
        ends = [*(head.start() for head in heads[1:]), len(text)]
        parts = (section(head[1], head[2], text[head.end() : end]) for head, end in zip(heads, ends, strict=True))
        return [line for part in parts for line in part]
    formula = COLUMNS.search(text) or (EQUALS.search(text) and text.rstrip()[-1] not in ".:")
    if formula and not text.startswith("- "):
        return literal(text)
    indented = re.search(r"^ +\S", text, re.MULTILINE) and not ITEM.search(text)
    named = indented and text[0].islower() and NAMED.match(text)  # arguments, each by its name
    if indented and not named:
        parts = [["", escape(part), ""] if i % 2 else literal(part) for i, part in enumerate(LEAD.split(text)) if part]
        return [line for part in parts for line in part]
    said, *items = listed(text, NAMED if named else ITEM)
    return ["", said, "", *(f"- {one}" for one in items), ""]


def converted(text):
    """A docstring as lines of reStructuredText."""
    return [line for part in re.split(r"\n\s*\n", text) for line in paragraph(part)]


def process(app, what, name, obj, options, lines):
    """Changes `lines` in place, as autodoc asks for."""
    lines[:] = converted(textwrap.dedent("\n".join(lines)).strip("\n"))


def setup(app):
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
