"""The card "Look it up" stands at the top of its page: its cells need nothing of what comes below it."""

import re

import pytest
from chapters import alone_paths, read_source, sources
from nbformat.v4 import new_code_cell
from page_rules import card_cells, card_faults, names, text_of

CHAPTERS = [path for path in sources() if alone_paths(path)]


@pytest.mark.parametrize("source", CHAPTERS, ids=lambda path: path.stem)
def test_a_card_runs_behind_the_pages_first_cell(source):
    notebook = read_source(source)
    assert card_cells(notebook, "torch") or "project" in source.stem
    assert card_faults(notebook) == []


CELL = "```{code-cell} ipython3\n:tags: [%s]\n%s\n```\n\n"


@pytest.mark.parametrize(
    ("cell", "missing"),
    [
        (("tab-torch", "print(spell)"), "spell"),
        (("tab-torch, check", "# Equal\nassert spell == 1"), "spell"),
        (("tab-torch", "def f(x):\n    return [spell(y) for y in x]"), "spell"),
        (("", "early, early = early, 1"), None),  # bound in the cell itself: Python says so when it runs
        (("tab-tf", "print(torch.ones(2))"), "torch"),
        (("tab-torch", "import math\nmath.pi + sum(x for x in (1, 2))"), None),
    ],
)
def test_a_name_from_elsewhere_is_named(form, cell, missing):
    source = form / "book" / "02_average.md"
    head, end, tail = source.read_text(encoding="utf-8").rpartition("```{bibliography}")
    story, word, card = head.partition("## Look it up")
    story += CELL % ("", "spell = str")  # bound above the card in the source, below it on the page
    source.write_text(story + word + card + CELL % cell + end + tail, encoding="utf-8")
    found = card_faults(read_source(source))
    assert any(f"uses {missing}," in one for one in found) if missing else found == []


def test_names_of_a_cell():
    cell = new_code_cell(
        "%pip install x\nimport a.b as c\nfor d in e:\n    f = lambda g: g + h\nclass I(J):\n    k = l"
    )
    assert names(cell) == ({"c", "d", "f", "I"}, {"e", "h", "J", "l"})


@pytest.mark.parametrize("chapter", ["06", "07", "08", "09_transformer", "10", "11"])
def test_built_in_names_kerashub_and_leads_to_the_phrasebook(chapter):
    (path,) = sources(selected=[chapter])
    card = text_of(path).split("\n## Look it up: ")[1]
    for framework in ("torch", "tf"):
        blocks = re.findall(rf"(?ms)^:::\{{{framework}\}}\n(.*?)^:::$", card)
        (built,) = (block for block in blocks if "Built in" in block)
        assert "{doc}`phrasebook`" in built
        assert framework == "torch" or "KerasHub" in built
