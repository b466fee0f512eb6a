"""The e-book: formulas as MathML, figures at rest, markup that is XML, and nothing of another host."""

import re
import zipfile
from xml.etree import ElementTree

import pytest
from chapters import sources
from docutils import nodes
from epub import faults, main
from math_core import LatexError
from mathml import at_rest, glue, mathml
from publisher import ROOT

FONT = set((ROOT / "book" / "_static" / "math" / "characters.txt").read_text(encoding="utf-8")) | set(
    " \xa0\u2061\u2062"
)
FENCE = re.compile(r"(?ms)^(`{3,}).*?^\1\s*$")
FORMULA = re.compile(r"(?s)\$\$(.+?)\$\$|(?<![\\\w$])\$(?!\s)([^$\n]+?)(?<!\s)\$(?!\d)")


@pytest.mark.parametrize("source", sources(), ids=lambda path: path.stem)
def test_every_formula_of_a_chapter_becomes_mathml(source):
    found = FORMULA.findall(FENCE.sub("", source.read_text(encoding="utf-8")))
    assert found or "_project_" in source.stem
    for block, inline in found:
        tree = ElementTree.fromstring(mathml(block or inline, bool(block)))
        assert not any("\\" in text for text in tree.itertext()), block or inline
        missing = set("".join(tree.itertext())) - FONT
        assert not missing, f"not in the site's font for formulas: docs/tools.md says how to add {missing}"


@pytest.mark.parametrize(
    ("text", "wrapped"),
    [
        ("x", False),
        ("a &= b", True),
        ("a \\\\ b", True),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", True),
        (r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix} x", True),
        (r"a &= \begin{cases} 1 & x \\ 2 & y \end{cases}", True),
    ],
)
def test_lines_stand_in_a_table(text, wrapped):
    tree = ElementTree.fromstring(mathml(rf"{text}\label{{eq-a}}", block=True))
    assert (tree.find("{*}mtable") is not None) is wrapped and tree.get("display") == "block"
    assert "eq-a" not in "".join(tree.itertext())


def test_a_distance_between_lines_is_not_printed():
    assert mathml(r"a \\[4pt] b", block=True) == mathml(r"a \\ b", block=True)


def test_an_unknown_command_is_refused():
    with pytest.raises(LatexError, match="nosuch"):
        mathml(r"\nosuch x", block=False)


def test_no_line_begins_with_the_comma_behind_a_formula():
    words = nodes.strong("a", "a"), nodes.Text(", "), nodes.math("n", "n"), nodes.Text(", "), nodes.math("m", "m")
    page = nodes.container("", nodes.paragraph("", "", *words))
    glue(None, page, "book/x")
    (box,) = page.findall(nodes.inline)
    assert box["classes"] == ["glued"] and box.astext() == "n," and page.astext() == "a, n, m"


def test_a_figure_to_drag_rests():
    picture = "data:image/svg+xml,%3Csvg fill='var(--fig-1, %23abc)'/%3E"
    widget = f'<div><img alt="It &lt; b" src="{picture}"><script>x</script></div>'
    assert at_rest(widget) == '<div role="img" aria-label="It &lt; b"><svg fill=\'#abc\'/></div>'


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.xhtml", "<p>fine</p>", None),
        ("a.xhtml", "<p>a & b</p>", "a.xhtml is not XML"),
        ("a.xhtml", '<p><img src="https://example.org/x.png"/></p>', "a img of another host"),
        ("a.xhtml", '<p><a href="https://example.org/">fine</a></p>', None),
        ("a.txt", "text", "has no pages"),
    ],
)
def test_faults(tmp_path, capsys, name, text, said):
    path = tmp_path / "book.epub"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, text)
    assert main([str(path)]) == int(said is not None)
    assert (said or "0 faults") in capsys.readouterr().out
    assert len(faults(path)) == int(said is not None)
