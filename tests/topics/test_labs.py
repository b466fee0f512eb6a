"""The stored records: what made them, enough seeds, and how they are summed up."""

import json
from importlib import resources
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
import pytest

from attn_course import labs
from attn_course.labs import interval, load_record, over_runs

RECORDS = sorted(
    path.name.removesuffix(".json")
    for path in resources.files("attn_course.records").iterdir()
    if path.name.endswith(".json") and not path.name.startswith("gpu_")  # test_gpu_plans.py
)
ROWS = [
    {"seed": 0, "attention": True, "by_length": [(1, 9, 5, 0.5), (10, 19, 3, 0.25)]},
    {"seed": 1, "attention": True, "by_length": [(1, 9, 5, 1.0), (10, 19, 3, 0.75)]},
    {"seed": 0, "attention": False, "by_length": [(1, 9, 5, 0.0), (10, 19, 3, 0.0)]},
]


def test_over_runs():
    assert over_runs(ROWS, attention=True) == [
        (1, 9, 5, 0.75, 0.5, 1.0),
        (10, 19, 3, 0.5, 0.25, 0.75),
    ]
    assert over_runs(ROWS, attention=True, seed=1)[0] == (1, 9, 5, 1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"no run has .*3"):
        over_runs(ROWS, attention=3)


def test_interval():
    """The bounds of a binomial; units of several, and of none, that are alike or not."""
    for every in (2, 4):
        share, low, high = interval(np.arange(400) % every == 0)
        assert share == 1 / every
        assert abs((high - low) - 2 * 1.96 * np.sqrt(share * (1 - share) / 400)) < 0.01
    assert interval(*np.array([[9, 10]] * 30).T) == [0.9, 0.9, 0.9]
    share, low, high = interval(*np.array([[10, 10], [0, 10], [0, 0]] * 20).T)
    assert share == 0.5 and 0.3 < low < 0.42 and 0.58 < high < 0.7


@pytest.mark.parametrize("name", RECORDS)
def test_record(name):
    """It names its date, machine and command, and every setting ran with three seeds."""
    record = load_record(name)
    assert record.keys() >= {"date", "machine", "command", "rows"}
    assert isinstance(record["machine"], str)
    assert record["command"].startswith(f"python -m attn_course.labs.{name} ")
    assert find_spec(f"attn_course.labs.{name}")
    settings = {}
    measured = {"seed", "exact", "loss", "by_length", "bits", "year_first", "year_later", "wrote", "size"}
    measured |= {"cpu_seconds", "error", "gradient_off", "keys", "mib", "numbers", "one_round", "ranks", "score_std"}
    measured |= {"shares"}
    measured |= {"first", "recent", "error", "matrix", "milliseconds", "norm", "peak", "elu"}
    measured |= {"milliseconds", "weight"}
    measured |= {"shares", "peak_mib", "found"}
    measured |= {"curve", "heads", "shown", "seconds"}
    for row in record["rows"]:
        if "seed" not in row:  # nothing is drawn or trained
            continue
        key = tuple((k, v) for k, v in row.items() if k not in measured)
        settings.setdefault(key, set()).add(row["seed"])
        assert 0 <= row.get("exact", 0) <= 1 and row.get("peak_mib", 1) > 0
        if buckets := row.get("by_length"):
            share = sum(count * exact for *_, count, exact in buckets) / sum(bucket[2] for bucket in buckets)
            assert abs(share - row["exact"]) < 1e-3
        for source, target, wrote in row.get("wrote", []):
            assert len(source) > len(target) == 10 and wrote
    assert all(len(seeds) >= 3 for seeds in settings.values()), settings


def test_store_names_the_command_that_makes_it_again(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["experiment", "--seeds", "0", "2"])
    monkeypatch.setattr(labs, "__file__", str(tmp_path / "labs" / "__init__.py"))
    (tmp_path / "records").mkdir()
    labs.store("digits", [{"exact": 1.0}], labs.chosen_seeds(), more=[3])
    stored = json.loads((tmp_path / "records" / "digits.json").read_text())
    assert stored["command"] == "python -m attn_course.labs.digits --seeds 0 2"
    assert stored["rows"] == [{"exact": 1.0}] and stored["more"] == [3]
    assert stored["version"] == version("attn-course") and stored["seconds"] >= 0
    monkeypatch.setattr("sys.argv", ["experiment"])
    assert labs.chosen_seeds() == [0]


def test_a_plan_runs_with_every_seed(monkeypatch):
    monkeypatch.setattr("sys.argv", ["experiment", "--seeds", "3", "5"])
    stored = []
    monkeypatch.setattr(labs, "store", lambda *given, **more: stored.append((given, more)))
    labs.run_plan("name", [("a", 1), ("b", 2)], lambda *given: [given, "row"], size=lambda: 7)
    rows = [("a", 1, 3), "row", ("b", 2, 3), "row", ("a", 1, 5), "row", ("b", 2, 5), "row"]
    assert stored == [(("name", rows, [3, 5]), {"size": 7})]
