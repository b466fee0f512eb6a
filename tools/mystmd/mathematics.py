"""Displayed formulas, in the one form that Colab, Jupyter and GitHub all draw."""

from __future__ import annotations

import re

# What may stand between dollars in place of an environment that stands alone.
_INSIDE = {"align": "aligned", "flalign": "aligned", "alignat": "alignedat", "gather": "gathered"}
_INSIDE |= {"multline": "gathered", "eqnarray": "aligned"}
_ENVIRONMENT = re.compile(r"\s*\\begin\{([a-z]+)\*?\}(.*)\\end\{\1\*?\}\s*", re.DOTALL)


def display(tex: str, number: int = 0) -> str:
    """`$$ ... $$` on one line, with its number: in a quotation or a list Jupyter would take the marks at the
    beginning of further lines for a part of the formula."""
    lines = [re.sub(r"(?<!\\)%.*", "", line).strip() for line in tex.splitlines()]
    body = " ".join(line for line in lines if line)
    if "\\\\" in body and not body.startswith("\\begin{"):
        body = f"\\begin{{aligned}} {body} \\end{{aligned}}"  # the page breaks the lines likewise
    return f"$$ {body} \\tag{{{number}}} $$" if number else f"$$ {body} $$"


def environment(tex: str) -> str:
    """A formula written as \\begin{align} ... without dollars."""
    match = _ENVIRONMENT.fullmatch(tex)
    if match is None:
        return display(tex)
    name, body = match[1], match[2].strip()
    inside = _INSIDE.get(name)
    return display(f"\\begin{{{inside}}} {body} \\end{{{inside}}}" if inside else body)
