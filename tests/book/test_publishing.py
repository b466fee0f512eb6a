"""What the workflow files promise: a deploy that one release can't stop, locks in step, settings named as they are."""

import os
import subprocess

import yaml
from publisher import BRANCH, ROOT

FOLDER = ROOT / ".github" / "workflows"
FLOWS = {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.yml"))}
GH = """\
#!/bin/bash
if [[ "$2" == list ]]; then printf 'v0.1.0\\nv0.2.0\\nv0.3.0\\n'; exit; fi
[[ "$3" != v0.2.0 ]] || { echo "no assets match the file pattern" >&2; exit 1; }
touch "_build/books/attn_course-${3#v}-book.zip"
"""


def test_a_release_without_its_book_does_not_stop_the_deploy(tmp_path):
    (script,) = [
        step["run"] for step in FLOWS["pages.yml"]["jobs"]["build"]["steps"] if "release" in step.get("run", "")
    ]
    program = tmp_path / "bin" / "gh"
    program.parent.mkdir()
    program.write_text(GH)
    program.chmod(0o755)
    settings = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    command = ["bash", "-e", "-c", script]  # as a runner calls it
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True)
    assert done.returncode == 0 and "::warning::release v0.2.0" in done.stdout, done.stderr
    found = sorted(path.name for path in (tmp_path / "_build" / "books").iterdir())
    assert found == ["attn_course-0.1.0-book.zip", "attn_course-0.3.0-book.zip"]


def test_who_resolves_can_not_write():
    """Packages may run code of their own while their versions are resolved."""
    jobs = FLOWS["lock.yml"]["jobs"]
    assert jobs["resolve"]["permissions"] == {"contents": "read"}
    assert "python" not in " ".join(step.get("run", "") for step in jobs["push"]["steps"])


def test_the_notebooks_of_one_framework_get_to_their_branch(tmp_path):
    """The script of the job, with a repository on this machine in GitHub's place; twice: it replaces what is there."""
    job = FLOWS["pages.yml"]["jobs"]["notebooks"]
    assert job["needs"] == "build" and not any("checkout" in step.get("uses", "") for step in job["steps"])
    script = job["steps"][-1]["run"].replace("gh auth setup-git\n", "").replace("https://github.com/", f"{tmp_path}/")
    settings = {**os.environ, "GITHUB_REPOSITORY": "org/course", "GITHUB_SHA": "0123abc"}
    there = tmp_path / "org" / "course.git"
    subprocess.run(["git", "init", "--quiet", "--bare", there], check=True)
    for name in ("one", "two"):
        folder = tmp_path / name / "branch" / "main"
        folder.mkdir(parents=True)
        (folder / f"{name}.ipynb").write_text("{}")
        subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path / name, env=settings, check=True)

    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=there, capture_output=True, text=True, check=True).stdout.split()

    assert git("ls-tree", "-r", "--name-only", BRANCH) == ["main/two.ipynb"]
    assert git("rev-list", "--count", BRANCH) == ["1"]


def test_a_chapters_notebook_gets_to_its_pull_request(tmp_path):
    """The script of the job that may write, with a repository on this machine in GitHub's place."""
    execute, push = (FLOWS["chapter.yml"]["jobs"][name] for name in ("execute", "push"))
    assert execute["permissions"] == {"contents": "read"} and "cache" not in str(execute["steps"])
    assert push["needs"] == "execute" and "checkout" not in str(push["steps"]) and "make " not in str(push["steps"])
    there, work = tmp_path / "org" / "course.git", tmp_path / "work"

    def git(*arguments, cwd=there):
        names = ["-c", "user.name=a", "-c", "user.email=a@b.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *names, *arguments], cwd=cwd, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    (work / "book").mkdir(parents=True)
    (work / "book" / "02_x.md").write_text("new")
    (work / "book" / "02_x.ipynb").symlink_to(tmp_path / "outside")
    git("init", "--quiet", work, cwd=tmp_path)
    git("add", "--all", cwd=work)
    git("commit", "--quiet", "--message", "a typo", cwd=work)
    git("clone", "--quiet", "--bare", work, there, cwd=tmp_path)
    head = git("rev-parse", "HEAD")
    git("update-ref", "refs/pull/7/head", head)
    for name in ("book/02_x.ipynb", "Makefile", "list"):
        path = tmp_path / "made" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    (tmp_path / "gh").write_text('#!/bin/bash\necho "$*" >> asked\n')
    (tmp_path / "gh").chmod(0o755)
    settings = {**os.environ, "GITHUB_REPOSITORY": "org/course", "NUMBER": "7", "BRANCH": "pull-7", "FORCE": "--force"}
    settings["PATH"] = f"{tmp_path}:{settings['PATH']}"
    script = push["steps"][-1]["run"].replace("https://github.com/", f"{tmp_path}/")
    subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=settings, check=True)
    assert git("rev-parse", "pull-7^") == head
    assert git("diff", "--name-only", head, "pull-7") == "book/02_x.ipynb"
    assert git("show", "pull-7:book/02_x.ipynb") == "{}" and not (tmp_path / "outside").exists()
    assert "workflow run tests.yml --repo org/course --ref pull-7" in (tmp_path / "asked").read_text()
