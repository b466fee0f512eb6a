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
