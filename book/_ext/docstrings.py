"""Docstrings on the API page: sections with their names in bold, formulas and examples line by line.

They are written to be read in the source, with formulas set line below line. Read as reStructuredText, their lines
would run together, and a formula such as |i - j| would be an error.
"""

import re
import textwrap

SECTIONS = ("Shapes", "Sizes", "Parameters", "Edge case", "Raises", "Source", "Sources", "Differs", "Warning")
HEAD = re.compile(rf"({'|'.join(SECTIONS)}):\s*")
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
    return ["", ".. code-block:: text", "", *textwrap.indent(text.replace("``", ""), "   ").splitlines(), ""]


def section(name, body):
    """A section: its name, then each entry (a line that is not indented further) as an item of its own."""
    body = textwrap.dedent(body).strip()
    entries = re.split(r"\n(?=\S)", body) if name == "Shapes" else [body]
    texts = [escape(" ".join(line.strip() for line in entry.splitlines())) for entry in entries]
    if len(texts) == 1:
        return ["", f"**{name}.** {texts[0]}", ""]
    return ["", f"**{name}.**", "", *(f"- {text}" for text in texts), ""]


def paragraph(text):
    """One paragraph of a docstring as lines of reStructuredText."""
    if HEAD.match(text):
        parts = re.split(rf"\n(?=(?:{'|'.join(SECTIONS)}):)", text)
        named = ((HEAD.match(part)[1], HEAD.sub("", part, count=1)) for part in parts if HEAD.match(part))
        return [line for name, body in named for line in section(name, body)]
    if COLUMNS.search(text) or (EQUALS.search(text) and not text.rstrip().endswith(".")):
        return literal(text)
    return ["", escape(" ".join(line.strip() for line in text.splitlines())), ""]


def process(app, what, name, obj, options, lines):
    """Changes `lines` in place, as autodoc asks for."""
    text = textwrap.dedent("\n".join(lines)).strip("\n")
    lines[:] = [line for part in re.split(r"\n\s*\n", text) for line in paragraph(part)]


def setup(app):
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
