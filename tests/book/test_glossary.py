"""The glossary is sorted, says each word once, and has the words that a reader looks for."""

import re

import pytest
from chapters import sources
from complexity import titled
from publisher import ROOT

from attn_course.catalog import CATALOG

TEXT = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
BODY = re.search(r"(?ms)^```\{glossary\}\n(.*?)^```$", TEXT)[1]
WORDS = [line for line in BODY.splitlines() if line and not line.startswith(" ")]
# Names of the catalog that the glossary has under a shorter or another one.
UNDER = {"multi head": "multi-head attention", "delta rule": "delta-rule attention", "performer": "Performer"}
UNDER |= {"linformer": "Linformer", "longformer": "Longformer", "big bird": "BigBird", "local": "local attention"}


def test_the_words_are_sorted():
    assert [word.lower() for word in WORDS] == sorted({word.lower() for word in WORDS})


def test_every_word_is_explained():
    blocks = re.split(r"\n\n(?=\S)", BODY.strip())
    assert [block.split("\n")[0] for block in blocks] == WORDS
    assert all(block.split("\n")[1].startswith("  ") for block in blocks)


CHAPTERS = "".join(path.read_text(encoding="utf-8") for path in sources())
TAUGHT = [row for row in CATALOG if {row.name, row.layer or row.name} & set(re.findall(r"\w+", CHAPTERS))]


@pytest.mark.parametrize("row", TAUGHT, ids=lambda row: row.name)
def test_every_mechanism_of_a_chapter_is_there(row):
    (written,) = titled(row.name)
    name = written.partition("`")[2].partition(" <")[0]
    plain = row.name.removesuffix("_attention").replace("_", " ")
    assert UNDER.get(plain, name) in WORDS
