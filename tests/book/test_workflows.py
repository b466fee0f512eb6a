"""The workflow files run what `.ci/run` runs, on the systems that the package names; nothing is published untested."""

import re
import shutil
import subprocess
import tomllib

import pytest
import yaml
from publisher import ROOT

FOLDER = ROOT / ".github" / "workflows"
FLOWS = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.yml"))}
SCRIPT = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
STEPS, HALVES = (re.search(rf"(?m)^{name}=\((.*)\)$", SCRIPT)[1].split() for name in ("STEPS", "HALVES"))
# Python's YAML reads the key `on` as a truth value.
ON = True


def texts():
    """What each workflow runs."""
    return {
        flow: "\n".join(step.get("run", "") for job in jobs["jobs"].values() for step in job.get("steps", []))
        for flow, jobs in FLOWS.items()
    }


def test_the_machines_together_run_every_step_once_and_in_its_order():
    shared = FLOWS["steps"]["jobs"]["step"]["strategy"]["matrix"]["steps"]
    place = STEPS.index("test")  # the command that the README names
    assert " ".join(shared).split() == [*STEPS[:place], *HALVES, *STEPS[place + 1 :]]
    targets = re.findall(r"(?m)^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert {*STEPS, *HALVES} <= set(targets)


@pytest.mark.parametrize("flow", FLOWS)
def test_every_job_ends(flow):
    for name, job in FLOWS[flow]["jobs"].items():
        minutes = [int(found) for found in re.findall(r"\b\d+\b", str(job.get("timeout-minutes")))]
        limited = minutes and 0 < min(minutes) <= max(minutes) <= 60
        assert "uses" in job or limited or flow == "newest", (flow, name)


def test_what_is_published_was_tested():
    assert list(FLOWS["pages"][ON]) == ["workflow_call"], "nobody starts it but tests"
    callers = {flow for flow in FLOWS for job in FLOWS[flow]["jobs"].values() if "pages.yml" in job.get("uses", "")}
    assert callers == {"tests"} and not any("pages.yml" in path.read_text() for path in FOLDER.glob("[!t]*.yml"))
    for flow, job in (("tests", "pages"), ("release", "files")):
        jobs = FLOWS[flow]["jobs"]
        assert jobs[job]["needs"] == "everything"
        assert jobs["everything"]["uses"] == "./.github/workflows/steps.yml"
    assert "gh workflow run tests.yml --ref main" in (FOLDER / "release.yml").read_text(encoding="utf-8")


def test_the_classifiers_name_the_systems_that_are_tested():
    systems = {
        job["runs-on"].partition("-")[0] for flow in FLOWS.values() for job in flow["jobs"].values() if "runs-on" in job
    }
    named = {"ubuntu": "POSIX :: Linux", "macos": "MacOS", "windows": "Microsoft :: Windows"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = {line.removeprefix("Operating System :: ") for line in project["classifiers"] if "Operating" in line}
    assert found == {named[system] for system in systems}


def test_a_step_that_is_none_is_refused():
    done = subprocess.run(["bash", ROOT / ".ci" / "run", "lnt"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr == f"a step is one of {' '.join(STEPS + HALVES)}; got lnt\n"


@pytest.mark.parametrize("builds", ["exit 0", "echo 'bwrap: No permissions' >&2; exit 1"])
def test_the_sandbox_is_there_before_the_tests_begin(tmp_path, builds):
    """Without bubblewrap it is installed; where it can't build a room, nothing runs, and no test is skipped."""
    (tmp_path / "dirname").symlink_to(shutil.which("dirname"))
    (tmp_path / "made").mkdir()
    programs = {"made/bwrap": builds, "sudo": 'shift; "$@"', "make": 'echo "made $1 CI=$CI"'}
    programs["apt-get"] = f"{shutil.which('cp')} {tmp_path}/made/bwrap {tmp_path}/bwrap"
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    command = [shutil.which("bash"), ROOT / ".ci" / "run", "test"]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert "no bubblewrap here: installing it with apt-get" in done.stdout
    if builds == "exit 0":
        assert done.returncode == 0 and "made test CI=true" in done.stdout
    else:
        assert done.returncode == 1 and "made" not in done.stdout
        assert "bwrap: No permissions" in done.stderr and "apt-get install bubblewrap" in done.stderr


def test_who_installs_everything_takes_the_builds_for_processors():
    """The default PyTorch brings CUDA, for which a runner has no room."""
    needs = re.findall(r"(?m)^([a-z-]+):[^#\n]*\.venv/stamp", (ROOT / "Makefile").read_text(encoding="utf-8"))
    big = re.compile(rf"\.ci/run|make (\.venv/stamp|({'|'.join(needs)})\b)")
    found = {flow for flow, text in texts().items() if big.search(text)}
    assert found == {"steps", "newest", "chapter"}
    for flow in found:
        places = [FLOWS[flow], *FLOWS[flow]["jobs"].values()]
        assert {"PIP_EXTRA_INDEX_URL": "https://download.pytorch.org/whl/cpu"} in [each.get("env") for each in places]
    assert any("df -h" in step.get("run", "") for step in FLOWS["steps"]["jobs"]["step"]["steps"]), "the disk is told"
