"""The page "Phrasebook": every row was evaluated as it stands; what is installed here is evaluated again."""

import json
import re

import numpy as np
import pytest

from experiments import ROOT
from experiments.phrasebook import ANSWERS, GOLDENS, LIBRARIES, address, entries, evaluate, every_row, names, repeat

ROWS = [*every_row()]
HERE = [row for row in ROWS if row[2]["library"] in ("Ours", "PyTorch", "Keras")]
ELSEWHERE = [row for row in ROWS if row[0] == "layer" and row[2]["library"] in ("KerasHub", "Hugging Face")]


def said(given):
    _, entry, row = given
    return f"{entry['name']} | {row['library']} | {row.get('call', row.get('code'))}"[:90]


def test_every_row_was_evaluated_as_it_stands():
    """A changed line has another address: run `python -m experiments.phrasebook` again."""
    stored = json.loads(ANSWERS.read_text(encoding="utf-8"))
    assert stored["answers"].keys() == {address(entry, row) for _, entry, row in ROWS}
    assert stored["versions"].keys() == LIBRARIES.keys() - {"Ours"}
    for kind, entry, row in ROWS:
        answer = stored["answers"][address(entry, row)]
        assert answer is True if kind == "convention" else 0 <= answer < 1e-5
    assert len(entries()["layer"]) >= 12 and len(entries()["convention"]) >= 12 and len(ROWS) >= 70


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize("given", HERE, ids=said)
def test_row(given):
    kind, entry, row = given
    space = evaluate(kind, entry, row)
    assert space["answered"] if kind == "convention" else space["error"] < 1e-5


def test_a_line_says_what_ours_was_given():
    """The window's line of Keras is causal, and so is ours; PyTorch's attention needs no more than the line Ours."""
    from phrasebook import layer_line  # of tools, which experiments.phrasebook puts on the path

    answers = json.loads(ANSWERS.read_text(encoding="utf-8"))["answers"]
    lines = [layer_line(entry, row, answers) for kind, entry, row in ROWS if kind == "layer"]
    (window,) = (line for line in lines if "sliding_window=3)" in line)
    given = "as `attn.SlidingWindowAttention(D, H, window=3, key_dim=K)`, called `ours(x, causal=True, "
    assert given in window
    assert "- **PyTorch** `F.scaled_dot_product_attention(q, k, v)`: the same within 3e-7." in lines


def golden(entry, row):
    with np.load(GOLDENS) as arrays:
        prefix = address(entry, row) + "/"
        return {name.removeprefix(prefix): arrays[name] for name in arrays.files if name.startswith(prefix)}


@pytest.mark.parametrize("given", ELSEWHERE, ids=said)
def test_ours_says_what_the_library_said(given):
    _, entry, row = given
    assert repeat(entry, row, golden(entry, row)) < 1e-5


@pytest.mark.parametrize("given", ELSEWHERE[:3], ids=said)
def test_a_golden_can_fail(given):
    _, entry, row = given
    stored = golden(entry, row)
    assert repeat(entry, row, stored | {"found": stored["found"] + 1e-3}) > 1e-5


def test_the_same_numbers_in_every_row():
    entry = {"name": "any"}
    one, other = (names(entry, library)["given"](2, 3) for library in ("PyTorch", "Keras"))
    assert np.array_equal(one.numpy(), other.numpy()) and np.ptp(one.numpy()) > 0.1


def page():
    from phrasebook import with_phrases

    text = (ROOT / "book" / "phrasebook.md").read_text(encoding="utf-8")
    return text, with_phrases(text)


def test_the_map_names_every_layer_and_the_surprises_every_bold_answer():
    _, shown = page()
    assert "{phrasebook" not in shown
    for entry in entries()["layer"]:
        (line,) = (line for line in shown.splitlines() if line.startswith(f"- {{ref}}`{entry['name']} <"))
        named = [name.rpartition(" ")[0] for name in line.partition(">`: ")[2].split(", ")]
        assert named[0] == "ours" and {*named[1:]} == {f"**{row['library']}**" for row in entry["row"]}, line
    bold = [row["says"] for entry in entries()["convention"] for row in entry["row"] if "**" in row["says"]]
    table = shown.split("(phrasebook-surprises)=")[1].split("(phrasebook-lines)=")[0]
    assert len(bold) > 15 and table.count("\n| ") == len(bold) + 2
    assert all(says in table for says in bold)
    assert "| `MultiheadAttention`: **blocked** |" in table  # F.scaled_dot_product_attention's True is not


def test_every_link_of_the_tables_has_its_section():
    _, shown = page()
    targets = re.findall(r"(?m)^\((phrase-[\w-]+)\)=\n### ", shown)
    assert len(targets) == len({*targets}) == sum(map(len, entries().values()))
    assert {*re.findall(r"<(phrase-[\w-]+)>`", shown)} <= {*targets}


def test_the_line_that_is_explained_is_one_of_the_page():
    text, shown = page()
    (quoted,) = re.findall(r"(?m)^> (\*\*Keras.+)\n> (.+)$", text)
    assert f"- {' '.join(quoted)}" in shown
