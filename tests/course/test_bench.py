"""The benchmark's arithmetic with a clock of our own, and what its rows compare. No test looks at real time."""

import json
import sys
import tomllib
from pathlib import Path

import both_frameworks  # noqa: F401
import numpy as np
import pytest

from attn_course.catalog import CATALOG
from experiments.bench import LEAST_POSITIONS, Row, compare
from experiments.bench.__main__ import ROWS, chosen, main, missing, watched
from experiments.bench.cases import MEASURED, PARTS
from experiments.bench.measure import peak

ROOT = Path(__file__).parents[2]


class Clock:
    """Stands still until a program moves it on."""

    def __init__(self):
        self.now = 0.0
        self.order = []

    def __call__(self):
        return self.now

    def program(self, name, *seconds):
        turns = iter(seconds)
        last = [seconds[0]]

        def run():
            last[0] = next(turns, last[0])
            self.now += last[0]
            self.order.append(name)

        return run


def row_of(clock, ours, peer, goal):
    made = clock.program("ours", *ours), clock.program("peer", *peer)
    return Row("a row", "a peer", lambda n: made, goal)


@pytest.mark.parametrize(("goal", "verdict"), [(2.0, "reached"), (1.9, "missed"), (None, "recorded")])
def test_ratio_and_verdict(goal, verdict):
    clock = Clock()
    result = compare(row_of(clock, [0.1], [0.05], goal), rounds=5, clock=clock)
    assert (round(result.ratio, 9), result.verdict) == (2.0, verdict)
    assert result.low == pytest.approx(2.0) and result.high == pytest.approx(2.0)


def test_each_goes_first_in_turn():
    clock = Clock()
    compare(row_of(clock, [1.0], [1.0], None), rounds=4, clock=clock)
    warm, rounds = clock.order[:4], clock.order[4:]
    assert warm == ["ours", "ours", "peer", "peer"]
    assert rounds == ["peer", "ours", "ours", "peer"] * 2


def test_a_fast_program_is_repeated():
    clock = Clock()
    compare(row_of(clock, [0.01], [1.0], None), rounds=3, clock=clock)
    assert clock.order.count("ours") == 2 + 3 * 5 and clock.order.count("peer") == 2 + 3


def test_a_miss_within_the_spread_is_none():
    clock = Clock()
    slow = [1.0, 1.0, 0.9, 1.2, 0.9, 1.2, 1.2]  # two runs before the rounds
    result = compare(row_of(clock, slow, [1.0], 1.0), rounds=5, clock=clock)
    assert result.ratio > 1.0 and result.verdict == "within the spread"


def test_a_miss_is_tried_again():
    clock = Clock()
    slow_once = [2.0] * 7 + [1.0] * 7
    result = compare(row_of(clock, slow_once, [1.0], 1.05), rounds=5, clock=clock)
    assert result.verdict == "reached" and result.ratio == pytest.approx(1.0)


@pytest.mark.parametrize("row", [row for row in ROWS if row.same and not missing(row)], ids=lambda row: row.title)
def test_both_programs_of_a_row_give_the_same(row):
    short = row.shorter(max(row.positions // LEAST_POSITIONS, 1))
    ours, peer = (np.asarray(program()) for program in row.make(short.positions))
    if ours.shape != peer.shape:  # Keras has the heads after the positions
        peer = peer.swapaxes(1, 2)
    np.testing.assert_allclose(ours, peer, rtol=1e-4, atol=1e-5)


def test_names_are_chosen_by_words():
    assert [row.title for row in chosen(["dot-product", "pytorch", "512"])] == [
        "scaled dot-product, PyTorch, 512 positions"
    ]
    with pytest.raises(ValueError, match="no row has 'abacus' in its name"):
        chosen(["abacus"])


@pytest.mark.parametrize("framework", ["PyTorch", "TensorFlow"])
@pytest.mark.parametrize("name", [row.name for row in CATALOG if row.name in MEASURED.keys() - PARTS])
def test_every_mechanism_has_a_row(name, framework):
    assert [row for row in ROWS if row.mechanism == name and framework in row.title]


def test_what_a_peer_needs_is_an_extra():
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["bench"]
    named = {requirement.partition(">=")[0].replace("-", "_") for requirement in extra}
    assert named == {row.needs for row in ROWS if row.needs}


@pytest.fixture
def alone(monkeypatch):
    """Threads and devices can't be chosen any more in this process."""
    monkeypatch.setenv("ATTN_COURSE_QUIET", "1")
    monkeypatch.setattr("experiments.bench.__main__.on_one_thread", lambda: None)
    monkeypatch.setattr("experiments.bench.__main__.place", lambda gpu: "CPU")


def test_the_command_writes_a_record_and_draws_it(tmp_path, capsys, alone):
    out = str(tmp_path / "bench.json")
    main(["--only", "dot-product", "PyTorch", "512", "--rounds", "2", "--out", out])
    assert "scaled dot-product, PyTorch, 512 positions" in capsys.readouterr().out
    record = json.loads((tmp_path / "bench.json").read_text())
    wanted = {"date", "command", "device", "processor", "cores", "threads", "dtype", "torch", "numpy"}
    assert record["machine"].keys() >= wanted and record["left_out"] == {}
    assert record["machine"]["command"] == (
        f"python -m experiments.bench --only dot-product PyTorch 512 --rounds 2 --out {out}"
    )
    (row,) = record["rows"]
    assert row["goal"] == 1.05 and row["low"] <= row["ratio"] <= row["high"]
    picture = (tmp_path / "bench.svg").read_text()
    assert picture.count("<svg") == 1
    (tmp_path / "bench.svg").unlink()
    main(["--draw", "--out", out])
    assert (tmp_path / "bench.svg").read_text().count("<path") == picture.count("<path")


def test_ten_lines_where_the_output_is_a_file(monkeypatch, capsys):
    monkeypatch.delenv("ATTN_COURSE_QUIET", raising=False)
    assert list(watched([*range(20)])) == [*range(20)]
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 10 and told[-1] == "bench: 20 of 20 steps"


def test_a_peer_that_is_missing_is_named(tmp_path, capsys, alone, monkeypatch):
    row = Row("alone, PyTorch", "another", lambda n: pytest.fail("it ran"), needs="no_such_package")
    monkeypatch.setattr("experiments.bench.__main__.ROWS", [row])
    main(["--out", str(tmp_path / "bench.json")])
    told = 'not measured: alone, PyTorch; it needs no_such_package (pip install -e ".[bench]")'
    assert told in capsys.readouterr().out
    assert json.loads((tmp_path / "bench.json").read_text())["left_out"] == {"alone, PyTorch": "no_such_package"}


@pytest.mark.skipif(sys.platform != "linux", reason="Linux says what a process held")
def test_peak_is_what_a_run_holds_beside_what_was_there():
    assert peak(lambda: np.ones(1 << 21)) == pytest.approx(16, abs=1)
    assert peak(lambda: None) < 1
