"""Docstrings on the page "Package" look as they do in help(): a first paragraph, then the rest line by line.

They are written to be read in the source, with formulas set line below line. Read as reStructuredText, their lines
would run together, and a formula such as |i - j| would be an error.
"""

import re
import textwrap


def escape(text):
    """The text with the signs that reStructuredText would take for markup; ``code`` stays what it is."""
    parts = re.split(r"(``.+?``)", text)
    return "".join(part if part.startswith("``") else re.sub(r"([\\*`|_])", r"\\\1", part) for part in parts)


def process(app, what, name, obj, options, lines):
    """Changes `lines` in place, as autodoc asks for."""
    first, _, rest = textwrap.dedent("\n".join(lines)).strip("\n").partition("\n\n")
    lines[:] = [escape(line) for line in first.splitlines()]
    if rest.strip():
        lines += ["", ".. code-block:: text", "", *textwrap.indent(rest.rstrip(), "   ").splitlines(), ""]


def setup(app):
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
