"""The page "Package" documents every public name of the three faces, and none that there isn't."""

import ast
import re

import pytest
from publisher import ROOT

from attn_course.masks import from_blocked

PAGE = (ROOT / "book" / "api.md").read_text(encoding="utf-8")


def names_of(path):
    """The literal __all__ of a file, read without importing a framework."""
    return [
        name
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        for name in ast.literal_eval(node.value)
    ]


def public_names(face):
    """What the topics of a face list; each name stands in one topic."""
    source = ROOT / "src" / "attn_course"
    topics = re.findall(rf"(?m)^from attn_course\.(\w+)\.{face} import \*$", (source / f"{face}.py").read_text())
    return [name for topic in topics for name in names_of(source / topic / f"{face}.py")]


def test_the_page_warns_of_masks_with_the_other_meaning():
    """By the docstring of the converter, which the page takes over; the oracles test what it says of the libraries."""
    assert ".. automodule:: attn_course.masks" in PAGE
    warning = " ".join(from_blocked.__doc__.split())
    assert "Warning: libraries differ" in warning and "block where True" in warning


@pytest.mark.parametrize("face", ["reference", "pytorch", "tf"])
def test_every_public_name_is_documented(face):
    documented = re.findall(rf"(?m)^\.\. auto(?:function|class):: attn_course\.{face}\.(\w+)$", PAGE)
    assert sorted(documented) == sorted(public_names(face)), "list each name once in book/api.md"
