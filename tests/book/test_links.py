"""`tools/links.py` finds links of the Markdown files that lead nowhere."""

import subprocess

import pytest
from links import main


@pytest.fixture
def repository(small):
    subprocess.run(["git", "init", "-q"], cwd=small, check=True)
    (small / "GUIDE.md").write_text("# A guide\n\n## What `it` does: all\n", encoding="utf-8")
    return small


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[a](GUIDE.md)", False),
        ("[a](GUIDE.md#what-it-does-all)", False),
        ("[a](#here)\n\n# Here", False),
        ("[a](https://example.org/x)", False),
        ("`[a](nowhere.md)`\n\n```\n[a](nowhere.md)\n```", False),
        ("[a](https://github.com/first-org/course/blob/main/GUIDE.md)", False),
        ("[a](nowhere.md)", True),
        ("![a](nowhere.png)", True),
        ("[a](GUIDE.md#what-it-did)", True),
        ("[a][b]\n\n[b]: nowhere.md", True),
        ("[a](http://example.org/x)", True),
        ("[a](https://github.com/first-org/course/blob/main/NONE.md)", True),
    ],
)
def test_a_link(repository, capsys, text, wrong):
    (repository / "README.md").write_text(text + "\n", encoding="utf-8")
    assert main(repository) == int(wrong)
    assert "1 broken" in capsys.readouterr().out if wrong else True
