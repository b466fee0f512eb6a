"""No test writes into the home folder; those that mark somebody's work need a sandbox."""

import os

import pytest

from attn_course.exercises.engine import box


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTN_COURSE_PROGRESS", str(tmp_path / "progress.json"))


@pytest.fixture(scope="session")
def sandbox():
    """Without one these tests say what is missing; where everything has to pass, they fail."""
    if words := box.missing():
        (pytest.fail if "CI" in os.environ else pytest.skip)(words)
