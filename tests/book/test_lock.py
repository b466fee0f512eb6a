"""The hashed locks are in step with the pins, and a lock that is not is refused."""

import shutil

import pytest
from lock import LOCKS, faults, locked, main
from publisher import ROOT


def test_the_locks_are_in_step():
    assert faults(ROOT) == []


def test_a_lock_names_no_index_and_every_file_by_its_hash():
    for lock in LOCKS.values():
        text = (ROOT / lock).read_text(encoding="utf-8")
        assert "://" not in text and "index" not in text
        assert all(count >= 1 for count in locked(ROOT / lock).values())


@pytest.fixture
def pinned(tmp_path):
    for names in LOCKS.items():
        for name in names:
            shutil.copy(ROOT / name, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("requirements.txt", "tqdm==4.70.1", "tqdm==4.70.0", "requirements.lock does not hold tqdm==4.70.0"),
        ("requirements-book.txt", "jinja2==3.1.6\n", "jinja2==3.1.6\nsix==1.17.0\n", "does not hold six==1.17.0"),
        ("requirements.lock", "tqdm==4.70.1 \\\n    --hash", "tqdm==4.70.1\n    --hash", "is no pin with hashes"),
        ("requirements-book.lock", "jinja2==3.1.6", "--index-url https://example.org\njinja2==3.1.6", "is no pin"),
        ("requirements-book.lock", "jinja2==3.1.6", "# https://example.org\njinja2==3.1.6", "names an address"),
    ],
)
def test_what_is_not_in_step_is_named(pinned, change, capsys, name, old, new, said):
    change(pinned / name, old, new)
    assert main(["--check", "--root", str(pinned)]) == 1
    assert said in capsys.readouterr().err


def test_a_missing_lock_is_named(pinned, capsys):
    (pinned / "requirements.lock").unlink()
    assert main(["--check", "--root", str(pinned)]) == 1
    assert "requirements.lock is missing: run make lock" in capsys.readouterr().err
