"""The table of contents; the form of a chapter: each rule holds in the book, and each one bites."""

import re

import pytest
from chapters import alone_paths, read_notebook, read_source, sources, tags, toc
from nbformat.v4 import new_code_cell
from page_rules import (
    MOST_IGNORED,
    card_cells,
    card_faults,
    complaints,
    heading_faults,
    ignored_share,
    leftover_faults,
    names,
    record_faults,
    story_faults,
    text_of,
    visible,
    words,
)
from publisher import ROOT

CHAPTERS = sources()


def test_toc_names_the_chapters_in_order():
    listed = [name for name in toc() if re.fullmatch(r"book/\d\d_.*", name)]
    assert listed == [f"book/{path.name}" for path in sources()], "_toc.yml lists each NN_topic.md, in order"


def test_toc_files_exist():
    missing = [name for name in toc() if not any((ROOT / f"{name}{end}").is_file() for end in ("", ".md"))]
    assert missing == []


@pytest.mark.parametrize("source", CHAPTERS, ids=lambda path: path.stem)
def test_form(source):
    assert complaints(source) + leftover_faults(text_of(source)) == []
    assert card_cells(read_source(source), "torch") or "project" in source.stem


@pytest.mark.parametrize("source", CHAPTERS, ids=lambda path: path.stem)
def test_checks_are_silent_and_exercises_wait(source):
    for cell in read_notebook(source.with_suffix(".ipynb")).cells:
        if cell.cell_type == "code" and {"check", "exercise"} & set(tags(cell)):
            assert cell.outputs == [], cell.source


@pytest.mark.parametrize("source", CHAPTERS, ids=lambda path: path.stem)
def test_figures_follow_light_and_dark(source):
    """Drawn as SVG, or interactive: a picture of pixels has one ground."""
    for cell in read_notebook(source.with_suffix(".ipynb")).cells:
        for output in cell.get("outputs", []):
            assert "image/png" not in output.get("data", {}), f"use attn_course.course.plots.theme: {cell.source}"


def test_few_cells_are_not_compared(form):
    assert ignored_share([form / "book" / "02_average.md"]) == (2, 21)
    ignored, total = ignored_share(sources())
    assert ignored <= MOST_IGNORED * total, f"{ignored} of {total} code cells"


def test_the_small_chapter_is_well_formed(form):
    source = form / "book" / "02_average.md"
    assert complaints(source) == []
    assert len(visible(read_source(source))) == 6 and 200 < words(source.read_text(encoding="utf-8")) < 400
    assert sorted(path.stem for path in alone_paths(source).values()) == ["02_average_tf", "02_average_torch"]


CELL = "```{code-cell} ipython3\n:tags: [%s]\n%s\n```\n\n"
ASSERT = "assert spreads["
BEFORE_BREAKS = "## Where it breaks: two silent mistakes\n"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("## The idea: a dictionary that averages", "## Idea: a dictionary", "does not begin with one of"),
        ("## The idea: a dictionary that averages", "## The idea", "says nothing of its own"),
        ("## The idea: a dictionary that averages", "Text.", "no heading '## The idea"),
        ("## Where it breaks: two", "## The formula: again\n\n## Where it breaks: two", "another order, or twice"),
        ("## By hand: two keys", "### Two keys", "no heading '## By hand"),
        ("5 minutes to read", "short", "minutes to read"),
        ("10 s to run", "quick", "s to run"),
        ("```{bibliography}\n:filter: docname in docnames\n```", "", "no {bibliography}"),
        ("Return the mean", "In PyTorch, return the mean", "'PyTorch' outside"),
        ("Return the mean", "word " * 2500 + "Return the mean", "words outside folds"),
        (BEFORE_BREAKS, CELL % ("", "x = 1") * 31 + BEFORE_BREAKS, "visible code cells"),
        ("print(weights.round(3))", "assert weights[0] > 0.5", "belongs in a cell tagged check"),
        ("# At width 256", "x = 1  # At width 256", "begins with its claim"),
        (ASSERT + '"no scale"][-1] > 10 * spreads["1/√d"][-1]', "assert True", "nothing that can fail"),
        (ASSERT + '"no scale"][-1] > 10 * spreads["1/√d"][-1]', "assert (spreads, 'words')", "nothing that can fail"),
        (ASSERT, "print(1)\nassert spreads[", "a check prints nothing"),
        (":tags: [tab-torch, check]", ":tags: [tab-torch, checks]", "the tag checks is not known"),
        ("print(weights.round(3))", "print(weights.round(3))" + "\n" * 15 + "1", "lines, at most 15"),
        ("print(weights.round(3))", "x = " + "1 + " * 20 + "1", "at most 80"),
        ("# rows sum to 1", "# each of the rows sums to one", "at most 76"),
        (
            BEFORE_BREAKS,
            CELL % ("remove-cell", "hid = 1") + CELL % ("", "hid + 1") + BEFORE_BREAKS,
            "uses 'hid', which",
        ),
        (BEFORE_BREAKS, CELL % ("remove-input", "hid = 1") + CELL % ("hide-input", "hid + 1") + BEFORE_BREAKS, None),
        ("print(weights.round(3))", "import torch", "has no tab and names 'torch'"),
        ("print(weights.round(3))", "source(np.mean)", "belongs in a cell tagged package"),
        (":::{tf}\nBuilt in", "Text.\n\n:::{tf}\nBuilt in", None),
        ("\n:::{dropdown} Hint\n", "\n::::{dropdown} A\n:::{torch}\nPyTorch.\n:::\n::::\n\n:::{dropdown} Hint\n", None),
        ("\n:::{dropdown} Hint\n", "\n:::{dropdown} A\nPyTorch.\n:::\n\n:::{dropdown} Hint\n", "'PyTorch' outside"),
        (
            "assert abs(found_torch.item() - 3) < 0.01",
            "assert average_torch",
            "and no check after it, in its framework",
        ),
        ("caption: The first key matches.", "caption: TensorFlow's first key.", "name no framework"),
        ("caption: The first key matches.", "caption: The first key matches. Recorded in TensorFlow.", None),
        ("print(weights.round(3))", 'rows = load_record("dates")', "shows the record 'dates'"),
        ("Return the mean", "From a run recorded in PyTorch and TensorFlow, return the mean", None),
    ],
)
def test_each_rule_bites(form, change, old, new, fault):
    source = form / "book" / "02_average.md"
    text = source.read_text(encoding="utf-8")
    assert old in text
    source.write_text(text.replace(old, new, 1), encoding="utf-8")
    found = complaints(source)
    assert any(fault in one for one in found) if fault else found == [], found


def test_a_record_loaded_before_is_named_where_it_is_shown():
    cell = "```{code-cell} ipython3\n%s\n```\n\n"
    loaded = "## One\n\nRecorded in PyTorch.\n\n" + cell % 'stored = load_record("dates")'
    shows = "### Another\n\n" + cell % 'Table(stored["rows"])'
    (fault,) = record_faults(loaded + shows)
    assert fault.startswith("'### Another' shows the record 'dates'")
    assert record_faults(loaded + shows + "Recorded in PyTorch.\n") == []
    assert record_faults(loaded + "### Else\n\n" + cell % "stored = {}" + shows) == []


def told(text):
    return heading_faults(text) + story_faults(text)


STORY = next(path for path in CHAPTERS if path.stem.startswith("04_"))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("Training begins", "word " * 30 + "Training begins", "the hook has"),
        ("explore_scale(", "np.array(", "no figure to drag"),
        ("Training begins", ":::{guess} A?\n- [x] B\n\n  C\n:::\n\nTraining begins", "stands before the figure"),
        ("{dropdown} Before you start", "{dropdown} Questions", "no fold '::::{dropdown} Before you start"),
        (":::{dropdown} 2. ", ":::{dropdown} Two. ", "holds three questions"),
        ("**Use this when** ", "**Take it if** ", "use this when"),
        (
            "How far is that?\n",
            "How far is that?\n\n| a | b |\n|---|---|\n",
            "does not end in a sentence that leads on",
        ),
    ],
)
def test_each_rule_of_the_story_bites(old, new, fault):
    text = text_of(STORY)
    assert old in text and told(text) == []
    found = told(text.replace(old, new, 1))
    assert any(fault in one for one in found), found


def test_a_live_figure_may_stand_at_the_head():
    text = text_of(STORY)
    assert told(text.replace("explore_scale(", "live_dates(", 1)) == []


def test_what_is_folded_does_not_count():
    """The card and "More", in words and in cells."""
    text = text_of(STORY)
    for heading in ("## More: ", "## Look it up: "):
        place = text.index("\n", text.index(heading))
        assert words(text[:place] + "\n\n" + "word " * 500 + text[place:]) == words(text)
    assert words(text.replace("## The idea: ", "word " * 500 + "\n\n## The idea: ", 1)) == words(text) + 500


PROJECT = next(path for path in CHAPTERS if path.stem.startswith("03_project"))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("## Part 2: ", "## Part 3: ", "is part 2"),
        ("## Part 2: ", "### Part 2: ", "is part 2"),
        ("## Part 1: ", "## Masks: who\n\nWords.\n\n## Part 1: ", "another order, or twice"),
        ("## Put to work: ", "### Put to work: ", "no heading '## Put to work"),
        ("core to beat", "core", "'to beat'"),
    ],
)
def test_each_rule_of_a_projects_story_bites(old, new, fault):
    """Parts in place of By hand and exercises, a score in place of "use this when"."""
    text = text_of(PROJECT)
    assert old in text and told(text) == []
    before, summary, behind = text.partition("## Summary")
    text = before + summary + behind.replace(old, new) if "beat" in old else text.replace(old, new, 1)
    assert any(fault in one for one in told(text)), told(text)


# --- the card "Look it up" stands at the top of its page: its cells need nothing of what comes below it ---


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
