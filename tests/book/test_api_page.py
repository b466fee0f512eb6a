"""The page "Package" documents every public name of the three faces, and none that there isn't."""

import re

from publisher import ROOT

from attn_course.masks import from_blocked

PAGE = (ROOT / "book" / "api.md").read_text(encoding="utf-8")


def topics_of(face):
    source = ROOT / "src" / "attn_course" / f"{face}.py"
    return re.findall(rf"(?m)^from attn_course\.(\w+)\.{face} import \*$", source.read_text(encoding="utf-8"))


def test_the_page_warns_of_masks_with_the_other_meaning():
    """By the docstring of the converter, which the page takes over; the oracles test what it says of the libraries."""
    assert ".. automodule:: attn_course.masks" in PAGE
    warning = " ".join(from_blocked.__doc__.split())
    assert "Warning: libraries differ" in warning and "block where True" in warning


def test_every_topic_is_documented_once():
    documented = re.findall(r"(?m)^```\{api-topic\} (\w+)$", PAGE)
    topics = {topic for face in ("reference", "pytorch", "tf") for topic in topics_of(face)}
    assert sorted(documented) == sorted(topics), "list each topic once in book/api.md"
