"""The numbers of the page "Which attention for which model?" are those of the records it names."""

import re

from publisher import ROOT

from attn_course.records import load_record
from attn_course.tasks.families import load_families

PAGE = (ROOT / "book" / "which_attention.md").read_text(encoding="utf-8")


def sequences(chapter):
    """Milliseconds per sequence, by way and number of positions."""
    rows = [row for row in load_record(f"gpu_{chapter}")["rows"] if row["demo"] == "attention"]
    return {(row["way"], row["positions"]): row["forward_ms"] / row["batch"] for row in rows}


def first_ahead(times, way):
    """The first number of positions from which a way is ahead of the fused kernel at all that were timed."""
    sizes = sorted(n for name, n in times if name == way)
    ahead = [n for n in sizes if all(times[way, m] < times["flash", m] for m in sizes if m >= n)]
    return ahead[0]


def test_lengths():
    window, strided, linear = 16_384, 65_536, 16_384
    assert f"linear attention are ahead from {linear:,} on, strided at {strided:,}" in PAGE
    times = sequences("10")
    assert first_ahead(times, "window") == window and first_ahead(times, "strided") == strided
    assert first_ahead(sequences("11"), "linear") == linear
    # Behind 4,096 the ranges of the runs meet.
    ranges = {(row["way"], row["positions"]): row["forward_range"] for row in load_record("gpu_11")["rows"]}
    clear = [n for way, n in ranges if way == "linear" and ranges[way, n][0] > ranges["flash", n][1]]
    assert f"ahead of {{ref}}`linear attention <linear-gpu>` up to {max(clear):,} positions" in PAGE


def test_steps():
    record = load_record("gpu_13")
    assert "H200" in record["device"]
    times = {(row["way"], row["context"]): row["ms"] for row in record["rows"] if row["demo"] == "decode"}
    told = dict(re.findall(r"(?m)^\| (MHA|GQA|MLA|MQA)\b[^|]*\| ([\d.]+)", PAGE))
    assert told.keys() == {"MHA", "GQA", "MLA", "MQA"}
    for way, ratio in told.items():
        way = "GQA-8" if way == "GQA" else way
        assert round(times[way, 65_536] / times["MHA", 65_536], 2) == float(ratio), way
    slower = [n for way, n in times if way == "MLA" and times["MLA", n] > times["MHA", n]]
    assert max(slower) == 4_096 and "behind up to 4,096 tokens our step takes longer" in PAGE


def test_families():
    """How many families ship a thing, as the wall chart counts them."""
    families = [{*parts} for parts in load_families().values()]

    def some(*parts):
        return sum(bool(family & {*parts}) for family in families)

    total, mixed, less = len(families), some("mix", "linear"), some("mix", "linear", "index", "compress")
    assert (
        f"Of {total} families" in PAGE
        and f"{total - less} read all earlier tokens in every layer; {mixed} mix in" in PAGE
    )
    assert f"and {less - mixed} more choose or compress keys" in PAGE
    for row, told, part in (
        ("near words say most", "{} of 44 families", "mix"),
        ("any few tokens may matter", "{} of 44 families", "index"),
        ("memory is what is short", "{} of 44 families", "linear"),
        ("scores or loss run away", "{} of 44 families", "norm"),
        ("the first token takes the weight", "{} and", "sink"),
        ("the first token takes the weight", "and {} of 44", "gate"),
    ):
        (line,) = [line for line in PAGE.splitlines() if row in line]
        assert told.format(some(part)) in line, row
