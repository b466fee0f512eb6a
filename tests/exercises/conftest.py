"""No test writes into the home folder."""

import pytest


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTN_COURSE_PROGRESS", str(tmp_path / "progress.json"))
