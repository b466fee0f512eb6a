"""What `make test` runs, and how it ends."""

import os
import re
import signal
import subprocess
import sys
import time

import run_tests
from affected import Repository, affected, topic_files, topic_of
from run_tests import ROOT


def asked(*arguments, monkeypatch):
    """The commands that would be run."""
    ran = []
    monkeypatch.setattr(run_tests, "run", lambda command: ran.append(command[1:]) or 0)
    assert run_tests.main([*arguments]) == 0
    return [" ".join(command) for command in ran]


def test_what_each_choice_runs(monkeypatch):
    tests, notebooks = asked(monkeypatch=monkeypatch)
    assert tests == "-m pytest -n auto --dist worksteal" and notebooks == "tools/notebooks.py check --jobs auto"
    assert asked("--only", "code", monkeypatch=monkeypatch) == [tests]
    assert asked("--only", "notebooks", monkeypatch=monkeypatch) == [notebooks]
    assert asked("--jobs", "3", "--again", monkeypatch=monkeypatch)[1] == "tools/notebooks.py check --jobs 3 --again"
    (quick,) = asked("--quick", monkeypatch=monkeypatch)
    assert quick == f"{tests} -m not slow"
    assert asked("--quick", "--only", "notebooks", monkeypatch=monkeypatch) == []
    tests, notebooks = asked("--topic", "gated", monkeypatch=monkeypatch)
    assert "--topics gated" in tests and "tests/mechanisms/test_gated.py" in tests and "test_luong" not in tests
    monkeypatch.setattr(run_tests, "changed_files", lambda since: {"no" + "body.txt"})
    assert asked("--changed", "main", monkeypatch=monkeypatch) == []


def test_the_plan_of_every_topic_can_be_run():
    """All are collected, where one that needs more than `make test` installs would end; one topic's own tests run, and
    no other's cases of the contract."""
    repository = Repository()
    topics = {name for file in repository.files if (name := topic_of(file))}
    plans = [affected(topic_files(topic, repository), repository).tests for topic in topics]
    tests = sorted({test for plan in plans for test in plan})
    command = [*run_tests.PYTEST, "-q", "-m", "not slow", "--topics", "low_rank", "-k", "test_low_rank.py", *tests]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    told = re.search(r"(\d+) passed, (\d+) deselected", done.stdout.splitlines()[-1])
    assert len(plans) > 20 and int(told[1]) > 5 and int(told[2]) > 1000


def test_an_unknown_topic_is_one_line(capsys):
    assert run_tests.main(["--topic", "nothing"]) == 1
    assert capsys.readouterr().err.startswith("TOPIC must be one of ")


def test_after_a_failure_nothing_more_is_run(monkeypatch):
    ran = []
    monkeypatch.setattr(run_tests, "run", lambda command: ran.append(command) or 3)
    assert run_tests.main([]) == 3 and len(ran) == 1


PROGRAM = """\
import sys, run_tests
slow = "import time; print('started', flush=True); time.sleep(600)"
run_tests.commands = lambda options: [[sys.executable, "-c", slow]]
sys.exit(run_tests.main([]))
"""


def test_ctrl_c_ends_in_one_line_and_stops_what_was_started(tmp_path):
    """The signal that a terminal sends."""
    started = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], cwd=ROOT / "tools", text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert started.stdout.readline() == "started\n"
    time.sleep(0.1)
    started.send_signal(signal.SIGINT)
    left, said = started.communicate(timeout=60)
    assert started.returncode == 130 and left == ""
    assert said == "\nstopped by Ctrl-C; no file was changed\n"


def test_the_choices_are_commands_of_make():
    """Started from a `make` of its own, this test must not see that make's choices (CI calls it with AGAIN=yes)."""
    handed_down = {"MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "MAKELEVEL", "AGAIN", "QUICK", "TOPIC", "JOBS", "SEED"}
    env = {name: value for name, value in os.environ.items() if name not in handed_down}
    done = subprocess.run(
        ["make", "-n", "test", "TOPIC=window", "JOBS=3"], cwd=ROOT, capture_output=True, text=True, env=env
    )
    assert 'run_tests.py --jobs 3  --topic "window"' in done.stdout, done.stdout + done.stderr
