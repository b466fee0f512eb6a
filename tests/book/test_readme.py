"""The examples of the README run as they stand there, in an empty folder."""

import re
import subprocess
import sys

from publisher import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_examples_of_the_readme_run(tmp_path):
    blocks = re.findall(r"(?s)```python\n(.*?)```", README)
    assert len(blocks) == 2
    options = {"cwd": tmp_path, "capture_output": True, "text": True, "encoding": "utf-8"}
    done = [subprocess.run([sys.executable, "-X", "utf8", "-c", block], **options) for block in blocks]
    assert [x.returncode for x in done] == [0, 0], [x.stderr for x in done]
    assert len(done[1].stdout) == 40


def test_links_into_the_repository_name_files_that_exist():
    """They are absolute, so that they work on a package index too."""
    paths = re.findall(
        r"\]\(https://(?:github\.com|raw\.githubusercontent\.com)/[\w.-]+/[\w.-]+/(?:blob/)?[\w.-]+/([^)]+)\)", README
    )
    assert len(paths) >= 6 and [path for path in paths if not (ROOT / path.partition("#")[0]).exists()] == []
    assert re.findall(r"\]\((?!https://)", README) == []


def times(text):
    """The command for tests -> how long it takes, of a table's rows."""
    return dict(re.findall(r"(?m)^\| [^|]+ \| `(make test[^`]*)`[^|]* \| ([^|]+) \|$", text))


def test_it_says_which_tests_when_and_how_long():
    """In the words of CONTRIBUTING, which says more."""
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Which tests, and when")[2]
    told, more = times(README), times(guide)
    assert list(told) == ["make test TOPIC=window", "make test QUICK=yes", "make test-changed", "make test"]
    assert {command: more[command].startswith(time) for command, time in told.items()} == dict.fromkeys(told, True)


def test_without_make_an_old_python_is_told():
    """pip names an old Python for the package alone; for pinned requirements it lists versions that it can't find."""
    assert re.findall(r"pip install (-e \.|-r requirements\.txt)", README) == ["-e .", "-r requirements.txt"]
    assert 'requires-python = ">=3.11"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name in ("requirements.txt", "requirements-book.txt"):
        assert (ROOT / name).read_text(encoding="utf-8").startswith("# Python 3.11 or newer.")
