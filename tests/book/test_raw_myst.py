"""No directive, role or label of MyST stands as raw text in a notebook."""

import re

import pytest
from chapters import read_notebook, sources
from converter_cases import BLOCKS
from mystmd.blocks import parse

# The last is a link whose address stands apart.
FORMS = r"""
^\s*>*\s*(:{3,}|`{3,}\{)
\{[\w:+-]+\}`
^\s*\([^)\n]+\)=\s*$
^\s*%
\$\$\s*\([\w:-]+\)\s*$
^\+\+\+
\]\((?!https?:)[^)\s]*\.md(#[^)\s]*)?\)
\[\]\(
\{\{
\[\^
^:[\w-]+:[ ]
^\s*:[ ]
^\s*\[[^\]]+\]:\s+\S+\.md
""".strip().split("\n")


def raw_myst(text):
    """What a reader would see as raw MyST in a Markdown cell: outside code, and as the head of a fence."""
    lines = text.splitlines()
    found = []
    for token in parse(text):
        if token.type == "dl_open":
            found.append("a definition list")
        if token.type in ("fence", "colon_fence", "code_block"):
            if token.type == "colon_fence" or token.info.lstrip().startswith("{"):
                found.append(token.info)
            lines[token.map[0] : token.map[1]] = [""] * (token.map[1] - token.map[0])
    prose = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", lambda match: "`" * len(match[0]), "\n".join(lines))
    for form in FORMS:
        found += [match[0] for match in re.finditer(form, re.sub(r"\$[^$]+\$", "$", prose), re.MULTILINE)]
    return found


@pytest.mark.parametrize("source", sources(), ids=lambda path: path.stem)
def test_no_raw_myst_in_a_notebook(source):
    cells = read_notebook(source.with_suffix(".ipynb")).cells
    assert [found for cell in cells if cell.cell_type == "markdown" for found in raw_myst(cell.source)] == []


@pytest.mark.parametrize("text", [text for text, _ in BLOCKS.values() if "$$\n" not in text and "\\begin" not in text])
def test_raw_myst_is_found(text):
    assert raw_myst(text)


@pytest.mark.parametrize("name", BLOCKS)
def test_nothing_raw_is_left(plain, name):
    assert raw_myst(plain(BLOCKS[name][0])) == []
