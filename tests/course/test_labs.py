"""The stored records: what made them, enough seeds, and how they are summed up."""

import ast
import itertools
import json
import re
import time
from collections import Counter, defaultdict
from importlib import resources
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import experiments
from attn_course.course.labs import by_framework, interval, load_record, over_runs
from experiments import again

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
    assert over_runs(ROWS, attention=True) == [(1, 9, 5, 0.75, 0.5, 1.0), (10, 19, 3, 0.5, 0.25, 0.75)]
    assert over_runs(ROWS, attention=True, seed=1)[0] == (1, 9, 5, 1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"no run has .*3"):
        over_runs(ROWS, attention=3)


def test_by_framework():
    first, other = by_framework([{"framework": name, "n": n} for n, name in enumerate(("tf", "pytorch", "tf"))])
    assert [row["n"] for row in first] == [0, 2] and [row["n"] for row in other] == [1]


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
    """It names its date, machine and command, and every setting ran with three seeds, one record's with two.

    One seed is enough in TensorFlow where the same setting ran with three in PyTorch.
    """
    record = load_record(name)
    assert record.keys() >= {"date", "machine", "command", "rows"}
    assert isinstance(record["machine"], str)
    program = record["command"].split()[2]
    assert program == ("attn_course.course.labs.translate" if name == "translate" else f"experiments.{name}")
    assert find_spec(program)
    runs = defaultdict(Counter)
    for row in record["rows"]:
        if "seed" not in row or "sha256" in row:  # nothing is drawn or trained; the one model that ships
            continue
        runs[row.get("framework")][row["seed"]] += 1
        assert 0 <= row.get("exact", 0) <= 1 and row.get("peak_mib", 1) > 0
        if buckets := row.get("by_length"):
            share = sum(count * exact for *_, count, exact in buckets) / sum(bucket[2] for bucket in buckets)
            assert abs(share - row["exact"]) < 1e-3
        for source, target, wrote in row.get("wrote", []):
            assert len(source) > len(target) == 10 and wrote
    least = 2 if name == "bottleneck" else 3  # its page says two
    for framework, counts in runs.items():
        assert len(set(counts.values())) == 1, "as many rows for every seed"
        if framework != "tf" or len(counts) > 1:
            assert len(counts) >= least, counts
    words = {name: [said(row) for row in record["rows"] if row.get("framework") == name] for name in runs}
    assert all(setting in words["pytorch"] for setting in words.get("tf", ()))


def said(row):
    """What a setting is called: a row's words, but for what a model wrote, and what is on or off."""
    return {k: v for k, v in row.items() if isinstance(v, str | bool) and k not in ("framework", "pi")}


def is_timed(record):
    """Whether rows hold times of one thread, or ratios of them; how long a training took is told to no one."""
    rows = [row for rows in record.values() if isinstance(rows, list) for row in rows if isinstance(row, dict)]
    return any(experiments.TIMES & set("_".join(row).split("_")) or "ratio" in row for row in rows)


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_of_times_names_its_clock(name):
    """One that what else the machine does adds nothing to."""
    record = load_record(name)
    turns = "ratio" in json.dumps([*record["rows"], record.get("seconds_per_step")])  # the wall's falls on both
    assert record.get("clock") == experiments.CLOCKS.get(name) or (turns and record["clock"] == "perf_counter")
    assert is_timed(record) == ("clock" in record) or name == "translate"  # its page shows no time


def milliseconds_of_a_head():
    """Attention of width 64: (framework, form, positions) -> record -> milliseconds of a head, of every run."""
    found = {}
    for row in load_record("costs")["rows"]:
        if row["name"].startswith("dense"):
            for n, time in zip(row["positions"], row["milliseconds"], strict=True):
                form = "causal" if "causal" in row["name"] else "all pairs"
                found.setdefault((row["framework"], form, n), {}).setdefault("costs", []).append(time / 4)
    for row in load_record("decoding")["rows"]:
        if row["way"] == "recompute" and row["batch"] == 1:
            runs = found.setdefault(("pytorch", "causal", row["context"]), {}).setdefault("decoding", [])
            runs.append(row["milliseconds"] / 4)
    masked = load_record("masked")
    for row in masked["measured"]:
        if row["form"] == "all pairs" and row["framework"] == "pytorch":  # in TensorFlow Keras's own attention
            key = "pytorch", "all pairs", masked["positions"]
            found.setdefault(key, {})["masked"] = [1000 * row["seconds"] / 8]
    return found


def test_two_records_of_one_time_agree():
    """Their ranges are no farther apart than they are wide, or than a twentieth where there are few runs."""
    compared = 0
    for key, records in milliseconds_of_a_head().items():
        for one, other in itertools.combinations(records.values(), 2):
            apart = max(min(one), min(other)) - min(max(one), max(other))
            wide = max(max(one) - min(one), max(other) - min(other), 0.05 * min(one + other))
            assert apart <= wide, (key, records)
            compared += 1
    assert compared > 2


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where records and what is done so far lie, in place of the clone."""
    monkeypatch.setattr(experiments, "RECORDS", tmp_path)
    monkeypatch.setattr(experiments, "RUNS", tmp_path / "runs")
    monkeypatch.setattr("sys.argv", ["experiment", "--seeds", "3", "5"])
    return tmp_path


def test_store_names_the_command_that_makes_it_again(folder, monkeypatch):
    experiments.store("digits", [{"exact": 1.0}], experiments.chosen_seeds(), more=[3])
    stored = json.loads((folder / "digits.json").read_text())
    assert stored["command"] == "python -m experiments.digits --seeds 3 5"
    assert stored["rows"] == [{"exact": 1.0}] and stored["more"] == [3]
    assert stored["framework"] and stored["processor"]
    assert stored["version"] == version("attn-course") and stored["seconds"] >= 0
    monkeypatch.setattr("sys.argv", ["experiment"])
    assert experiments.chosen_seeds() == [0]


def test_a_plan_runs_with_every_seed(folder):
    experiments.run_plan("name", PLAN, lambda *given: [list(given), "row"], size=lambda: 7)
    stored = json.loads((folder / "name.json").read_text())
    assert stored["rows"] == [*(x for seed in (3, 5) for entry in PLAN for x in ([*entry, seed], "row"))]
    assert stored["size"] == 7
    assert not list((folder / "runs").iterdir()), "what is whole is not gone on from"


def test_another_framework_is_put_beside_a_record(folder, monkeypatch):
    """With the first seed alone; the rows that it had stay, and say what computed them. Twice is as once."""

    def run(framework, number, seed):
        return [{"framework": framework, "number": number, "seed": seed}]

    plan, beside = [("pytorch", 1), ("pytorch", 2)], [("tf", 2)]
    experiments.run_plan("name", plan, run, beside)
    whole = json.loads((folder / "name.json").read_text())
    assert [tuple(row.values()) for row in whole["rows"]][-2:] == [("pytorch", 2, 5), ("tf", 2, 3)]
    rows = [{k: v for k, v in row.items() if k != "framework"} for row in whole["rows"][:-1]]
    old = {"date": "then", "command": "c", "framework": "pytorch", "seconds": 7, "rows": rows}
    (folder / "name.json").write_text(json.dumps(old))
    monkeypatch.setattr("sys.argv", ["experiment", "--seeds", "3", "5", "--beside"])
    for _ in range(2):
        experiments.run_plan("name", plan, run, beside)
        stored = json.loads((folder / "name.json").read_text())
        told = stored.pop("beside")
        assert stored == {"date": "then", "command": "c", "seconds": 7, "rows": whole["rows"]}
        assert told.keys() == {"date", "machine", "processor", "versions", "seconds"}


PLAN = [("a", 1), ("b", 2)]


def stopped_at(number, ran):
    """A run that is stopped by Ctrl-C at its nth call."""

    def run(*given):
        if len(ran) == number:
            raise KeyboardInterrupt
        ran.append(given)
        return [{"name": given[0], "seed": given[-1], "exact": 1 / 3}]

    return run


def test_a_plan_that_was_stopped_goes_on(folder, capsys):
    first, then = [], []
    with pytest.raises(SystemExit) as stopped:
        experiments.run_plan("name", PLAN, stopped_at(3, first))
    assert stopped.value.code == 130
    assert capsys.readouterr().err == "\nstopped: what is done is kept; the same command goes on\n"
    assert not (folder / "name.json").exists()
    experiments.run_plan("name", PLAN, stopped_at(None, then))
    assert first + then == [("a", 1, 3), ("b", 2, 3), ("a", 1, 5), ("b", 2, 5)]
    assert [row["exact"] for row in json.loads((folder / "name.json").read_text())["rows"]] == [1 / 3] * 4


@pytest.mark.parametrize("drift", [1e-4, 0.02])
def test_a_record_that_no_longer_comes_out_is_told(folder, monkeypatch, capsys, drift):
    """The first entry with the first seed again: rounding and times are no difference, two hundredths are."""

    def run(name, number, seed, off=0.0):
        curve = [[number, 0.5 + off]]
        return [{"name": name, "seed": seed, "exact": 0.25, "curve": curve, "seconds": time.monotonic()}]

    experiments.run_plan("name", PLAN, run)
    monkeypatch.setattr("sys.argv", ["experiment", "--seeds", "3", "--again"])
    with pytest.raises(SystemExit) as ended:
        experiments.run_plan("name", PLAN, lambda *given: run(*given, off=drift))
    told = "name: curve [[1, 0.52]], stored [[1, 0.5]]" if drift > 0.01 else None
    assert ended.value.code == told
    assert told or "name: 1 rows as stored" in capsys.readouterr().out


def test_records_that_differ_or_are_left_out_are_counted_and_told(monkeypatch, capsys):
    """And every other record has a program that can run its first entry again."""
    monkeypatch.setattr(again, "comes_out", lambda name: name != "digits")
    assert again.main(["dates", "kernels", "digits"]) == 2 and again.main(["dates"]) == 0
    assert capsys.readouterr().out == (
        "2 of 3 records ran again, 1 differ: digits\n1 have no plan, and did not run: kernels\n"
        "1 of 1 records ran again, 0 differ: none\n"
    )
    names = {path.stem for path in again.RECORDS.glob("*.json")} - set(again.UNPLANNED)
    assert len(names) > 35 and set(again.UNPLANNED) < {path.stem for path in again.RECORDS.glob("*.json")}
    for name in names:
        found = [again.ROOT / "experiments" / f"{name}.py", again.ROOT / "experiments" / name / "__main__.py"]
        text = next(path for path in found if path.exists()).read_text(encoding="utf-8")
        assert "run_plan(" in text or "run_and_store(" in text, name


@pytest.mark.parametrize("reason", ["code", "asked"])
def test_a_plan_begins_anew(folder, monkeypatch, reason):
    """What other code gave is not mixed with what this code gives."""
    first, then = [], []
    with pytest.raises(SystemExit):
        experiments.run_plan("name", PLAN, stopped_at(3, first))
    if reason == "code":
        monkeypatch.setattr(experiments, "code_of_now", lambda: "another")
    else:
        monkeypatch.setattr("sys.argv", ["experiment", "--seeds", "3", "5", "--anew"])
    experiments.run_plan("name", PLAN, stopped_at(None, then))
    assert len(then) == 4


def test_the_sum_over_the_code_follows_the_code(tmp_path, monkeypatch):
    before = experiments.code_of_now()
    assert before == experiments.code_of_now()
    monkeypatch.setattr(experiments, "ROOT", tmp_path)
    assert before != experiments.code_of_now()


def test_a_program_of_its_own_form_goes_on_too(folder):
    with pytest.raises(SystemExit), experiments.resuming("name") as done:
        done.rows(lambda x: {"x": x}, 1)
        raise KeyboardInterrupt
    with experiments.resuming("name") as done:
        assert done.rows(None, 1) == {"x": 1}
    assert not list((folder / "runs").iterdir())


ENDED = r"ending_in_one_line\(|resuming\(|run_plan\(|run_and_store\("
PROGRAMS = [
    path
    for path in sorted(Path(experiments.__file__).parent.rglob("*.py"))
    if "__main__" in (path.stem, *re.findall(r'__name__ == "(\w+)"', path.read_text(encoding="utf-8")))
    and path.parent.name != "data"  # snapshots of others' files, each checked by its sum
]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(path.parents[1])))
def test_ctrl_c_ends_every_program_in_one_line(path):
    """What a program begins stands within what ends in one line, or is handed to it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    main = [node for node in tree.body if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)]
    assert len(main) == 1, "a program's work stands under __name__ == '__main__'"
    begun = "\n".join(ast.unparse(node) for node in (main[0], functions.get("main")) if node)
    assert re.search(ENDED, begun)
