"""The command that serves, its timeline, and the experiment that times the engine."""

from types import SimpleNamespace

import both_frameworks  # noqa: F401
import pytest

from attn_course.course.labs.generate.pytorch import load_glassllm
from attn_course.course.labs.serve import __main__ as command, timeline_text
from experiments import serving


def entry(free, **told):
    return {name: told.get(name, {}) for name in ("read", "hit", "written", "preempted", "waited")} | {"free": free}


def test_a_timeline_has_a_line_for_each_request_and_a_column_for_each_step():
    log = [
        entry(4, waited={1: 1}, read={0: 3}, hit={0: 0}),
        entry(2, read={0: 1, 1: 1}, written={0: 7, 1: 5}, hit={1: 8}),
        entry(0, read={0: 1}, written={0: 7}, preempted={1: 1}, waited={1: 1}),
    ]
    engine = SimpleNamespace(counts={"requests": 2}, log=log, blocks=SimpleNamespace(holders=[0] * 4))
    assert timeline_text(engine) == ["rww", ".h!", "05X"]


def test_the_command_serves_and_says_who_had_each_step(capsys):
    command.main(["--requests", "3", "--length", "5", "--blocks", "6"])
    told = capsys.readouterr().out
    assert told.count("Alice was beginning to get very tired when") == 3
    lines = told.split("gives way\n")[1].splitlines()
    assert [line[:4].strip() for line in lines[:4]] == ["0", "1", "2", "full"]
    assert len({len(line) for line in lines[:3]}) == 1 and lines[0][5:].strip().count("w") == 5
    assert " hit" in lines[4] and " 0 hit" not in lines[4]  # they begin alike


@pytest.mark.parametrize("shared", [0, 96])
def test_all_ways_write_the_same_texts(shared, monkeypatch):
    """In float64; the engine takes fewer steps, and with prefixes reads what is shared once."""
    monkeypatch.setattr(serving, "REQUESTS", 5)
    asked = [(prompt, min(write, 4 + 3 * n)) for n, (prompt, write) in enumerate(serving.load(shared, 0))]
    model = load_glassllm("float64")
    texts, counts = serving.static(model, asked, 2)
    assert list(map(len, texts)) == [write for _, write in asked]
    for prefixes in (False, True):
        found, counted = serving.continuous(model, asked, 2, prefixes)
        assert found == texts and counted["steps"] < counts["steps"]
        assert (counted["hit"] >= 96) == (prefixes and shared > 0)


def test_a_budget_cuts_the_longest_step(monkeypatch):
    model = load_glassllm()
    (small,), (whole,) = (serving.prompt_of_600(model, budget, 0) for budget in (100, None))
    assert small["steps"] > 5 and whole["steps"] == 1
    assert small["first_milliseconds"] > small["longest_milliseconds"] > 0
