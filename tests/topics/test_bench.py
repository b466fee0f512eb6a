"""The benchmark's arithmetic with a clock of our own, and what its rows compare. No test looks at real time."""

import json

import numpy as np
import pytest

from attn_course.bench import Row, compare
from attn_course.bench.__main__ import chosen, main
from attn_course.bench.rows import ROWS


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
    return Row("a row", "a peer", lambda: made, goal)


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


@pytest.mark.parametrize("row", [row for row in ROWS if row.same], ids=lambda row: row.name)
def test_both_programs_of_a_row_give_the_same(row):
    ours, peer = (np.asarray(program()) for program in row.make())
    if ours.shape != peer.shape:  # Keras has the heads after the positions
        peer = peer.swapaxes(1, 2)
    np.testing.assert_allclose(ours, peer, rtol=1e-4, atol=1e-5)


def test_names_are_chosen_by_words():
    assert [row.name for row in chosen(["dot-product", "pytorch", "512"])] == [
        "scaled dot-product, PyTorch, 512 positions"
    ]
    with pytest.raises(ValueError, match="no row has 'abacus' in its name"):
        chosen(["abacus"])


def test_the_command_writes_a_record(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ATTN_COURSE_QUIET", "1")
    monkeypatch.setattr("attn_course.bench.__main__.one_thread", lambda: None)  # too late in this process
    main(["--only", "dot-product", "PyTorch", "512", "--rounds", "2", "--out", str(tmp_path / "bench.json")])
    assert "scaled dot-product, PyTorch, 512 positions" in capsys.readouterr().out
    record = json.loads((tmp_path / "bench.json").read_text())
    assert record["machine"].keys() >= {"date", "processor", "cores", "threads", "dtype", "torch", "numpy"}
    (row,) = record["rows"]
    assert row["goal"] == 1.05 and row["low"] <= row["ratio"] <= row["high"]
