"""The page "Often said, and wrong": every entry leads to a section, to a source, and to a test that exists."""

import re
import subprocess
import sys

import pytest
from misconceptions import LISTED, READERS, TEST, by_reader, label, topics, with_entries
from publisher import ROOT

PAGE = (ROOT / "book" / "misconceptions.md").read_text(encoding="utf-8")
SOURCES = set(re.findall(r"(?m)^@\w+\{([^,]+),", (ROOT / "book" / "references.bib").read_text(encoding="utf-8")))
ERRORS = [error for _, errors in topics() for error in errors]
EACH = pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.said)


def headings(page):
    """Of a chapter's sections; cells hold comments that look like headings."""
    text = (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
    prose = re.sub(r"(?ms)^(`{3,}|~{3,}).*?^\1$", "", text)
    return re.findall(r"(?m)^#{2,3} (.+)$", prose)


def test_there_are_many_and_each_is_said_once():
    assert len({error.said for error in ERRORS}) == len(ERRORS) >= 30
    assert sum(bool(error.cell) for error in ERRORS) >= 30
    assert PAGE.count(LISTED) == 1 and with_entries("other") == "other"
    assert with_entries(PAGE).count("\n### “") == len(ERRORS)
    shown = re.findall(r"(?m)^- Shown in (.*)", with_entries(PAGE))
    assert len(shown) == len(ERRORS)  # code in a claim would end its role
    assert all(re.fullmatch(r"\{shown\}`[^`]+`(, by \{shown\}`[^`]+`)?", one) for one in shown)


def test_every_reader_has_topics_and_every_topic_a_reader():
    found = by_reader()
    assert all(found.values()) and {title for titles in found.values() for title in titles} == {t for t, _ in topics()}
    lines = [line for line in with_entries(PAGE).splitlines() if line.startswith("- **You ")]
    assert len(lines) == len(READERS)
    for line, titles in zip(lines, found.values(), strict=True):
        assert re.findall(r"<(.+?)>", line) == [label(title) for title in titles]


@EACH
def test_the_section_is_there(error):
    found = [heading for heading in headings(error.page) if heading.startswith(error.section)]
    assert found, f"book/{error.page}.md has no section {error.section!r}: name another in tools/misconceptions.toml"


@pytest.mark.parametrize("error", [error for error in ERRORS if error.cell], ids=lambda error: error.said)
def test_the_cell_is_there(error):
    """A check of that section begins with the words."""
    text = (ROOT / "book" / f"{error.page}.md").read_text(encoding="utf-8")
    heading = re.search(rf"(?m)^(#+) {re.escape(error.section)}", text)
    section = re.split(rf"(?m)^#{{2,{len(heading[1])}}} ", text[heading.end() :])[0]
    claims = re.findall(r"(?m)^:tags: \[.*\bcheck\b.*\]\n# ?(.*)", section)
    assert any(claim.startswith(error.cell) for claim in claims), claims


def test_the_cases_are_those_of_the_tests():
    """Collected, not run: the case is one of that test's own, alone or beside the name of a framework."""
    named = [TEST.fullmatch(error.test) for error in ERRORS]
    functions = sorted({f"{test['file']}::{test['name']}" for test in named})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *functions]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    collected = done.stdout.splitlines()
    for test in named:
        ids = [line.partition("[")[2].removesuffix("]") for line in collected if f"::{test['name']}" in line]
        assert ids and (test["case"] is None or any(f"-{test['case']}-" in f"-{each}-" for each in ids)), test[0]


@EACH
def test_the_source_is_listed(error):
    assert set(error.source.split(",")) <= SOURCES
