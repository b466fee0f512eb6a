"""The example of the README runs as it stands there, in an empty folder."""

import re
import subprocess
import sys

from publisher import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_of_the_readme_runs(tmp_path):
    (block,) = re.findall(r"(?s)```python\n(.*?)```", README)
    done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_links_into_the_repository_name_files_that_exist():
    """They are absolute, so that they work on a package index too."""
    paths = re.findall(
        r"\]\(https://(?:github\.com|raw\.githubusercontent\.com)/[\w.-]+/[\w.-]+/(?:blob/)?[\w.-]+/([^)]+)\)", README
    )
    assert len(paths) >= 6 and [path for path in paths if not (ROOT / path).exists()] == []
    assert re.findall(r"\]\((?!https://)", README) == []
