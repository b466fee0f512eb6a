"""The workflow files run what `.ci/run` runs, on the systems that the package names; nothing is published untested.

What they promise of publishing: a deploy that one release can't stop, locks in step, settings named as they are.
"""

import os
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml
from publisher import BRANCH, ROOT

FOLDER = ROOT / ".github" / "workflows"
FLOWS = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.yml"))}
SCRIPT = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
STEPS, HALVES = (re.search(rf"(?m)^{name}=\((.*)\)$", SCRIPT)[1].split() for name in ("STEPS", "HALVES"))
# Python's YAML reads the key `on` as a truth value.
ON = True


def git(folder, *arguments):
    names = ["-c", "user.name=a", "-c", "user.email=a@b.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *names, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def write_program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


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


def test_each_is_told():
    told = re.findall(r"(?m)^\| (`.*?) \|", (ROOT / "docs" / "tools.md").read_text(encoding="utf-8"))
    found = re.findall(r"`(.+?)`", " ".join(told))
    assert sorted(found) == sorted(["Makefile", ".ci/run", "noxfile.py", *(f"{flow}.yml" for flow in FLOWS)])


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
    programs = {"made/bwrap": builds, "sudo": 'shift; "$@"', "make": 'echo "made $1 CI=$CI"'}
    programs["apt-get"] = f"{shutil.which('cp')} {tmp_path}/made/bwrap {tmp_path}/bwrap"
    for name, text in programs.items():
        write_program(tmp_path / name, f"#!/bin/sh\n{text}\n")
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


GH = """\
#!/bin/bash
if [[ "$2" == list ]]; then printf 'v0.1.0\\nv0.2.0\\nv0.3.0\\n'; exit; fi
[[ "$3" != v0.2.0 ]] || { echo "no assets match the file pattern" >&2; exit 1; }
touch "_build/books/attn_course-${3#v}-book.zip"
"""


def test_a_release_without_its_book_does_not_stop_the_deploy(tmp_path):
    (script,) = [step["run"] for step in FLOWS["pages"]["jobs"]["build"]["steps"] if "release" in step.get("run", "")]
    write_program(tmp_path / "bin" / "gh", GH)
    settings = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    command = ["bash", "-e", "-c", script]  # as a runner calls it
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True)
    assert done.returncode == 0 and "::warning::release v0.2.0" in done.stdout, done.stderr
    found = sorted(path.name for path in (tmp_path / "_build" / "books").iterdir())
    assert found == ["attn_course-0.1.0-book.zip", "attn_course-0.3.0-book.zip"]


def test_who_resolves_can_not_write():
    """Packages may run code of their own while their versions are resolved."""
    jobs = FLOWS["lock"]["jobs"]
    assert jobs["resolve"]["permissions"] == {"contents": "read"}
    assert "python" not in " ".join(step.get("run", "") for step in jobs["push"]["steps"])


def test_the_notebooks_of_one_framework_get_to_their_branch(tmp_path):
    """The script of the job, with a repository on this machine in GitHub's place; twice: it replaces what is there."""
    job = FLOWS["pages"]["jobs"]["notebooks"]
    assert job["needs"] == "build" and not any("checkout" in step.get("uses", "") for step in job["steps"])
    script = job["steps"][-1]["run"].replace("gh auth setup-git\n", "").replace("https://github.com/", f"{tmp_path}/")
    settings = {**os.environ, "GITHUB_REPOSITORY": "org/course", "GITHUB_SHA": "0123abc"}
    there = tmp_path / "org" / "course.git"
    git(tmp_path, "init", "--quiet", "--bare", there)
    for name in ("one", "two"):
        folder = tmp_path / name / "branch" / "main"
        folder.mkdir(parents=True)
        (folder / f"{name}.ipynb").write_text("{}")
        subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path / name, env=settings, check=True)
    assert git(there, "ls-tree", "-r", "--name-only", BRANCH) == "main/two.ipynb"
    assert git(there, "rev-list", "--count", BRANCH) == "1"


def test_a_chapters_notebook_gets_to_its_pull_request(tmp_path):
    """The script of the job that may write, with a repository on this machine in GitHub's place."""
    execute, push = (FLOWS["chapter"]["jobs"][name] for name in ("execute", "push"))
    assert execute["permissions"] == {"contents": "read"} and "cache" not in str(execute["steps"])
    assert push["needs"] == "execute" and "checkout" not in str(push["steps"]) and "make " not in str(push["steps"])
    there, work = tmp_path / "org" / "course.git", tmp_path / "work"
    (work / "book").mkdir(parents=True)
    (work / "book" / "02_x.md").write_text("new")
    (work / "book" / "02_x.ipynb").symlink_to(tmp_path / "outside")
    git(tmp_path, "init", "--quiet", work)
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "--message", "a typo")
    git(tmp_path, "clone", "--quiet", "--bare", work, there)
    head = git(there, "rev-parse", "HEAD")
    git(there, "update-ref", "refs/pull/7/head", head)
    for name in ("book/02_x.ipynb", "Makefile", "list"):
        path = tmp_path / "made" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    write_program(tmp_path / "gh", '#!/bin/bash\necho "$*" >> asked\n')
    settings = {**os.environ, "GITHUB_REPOSITORY": "org/course", "NUMBER": "7", "BRANCH": "pull-7", "FORCE": "--force"}
    settings["PATH"] = f"{tmp_path}:{settings['PATH']}"
    script = push["steps"][-1]["run"].replace("https://github.com/", f"{tmp_path}/")
    subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=settings, check=True)
    assert git(there, "rev-parse", "pull-7^") == head
    assert git(there, "diff", "--name-only", head, "pull-7") == "book/02_x.ipynb"
    assert git(there, "show", "pull-7:book/02_x.ipynb") == "{}" and not (tmp_path / "outside").exists()
    assert "workflow run tests.yml --repo org/course --ref pull-7" in (tmp_path / "asked").read_text()
