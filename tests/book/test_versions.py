"""`make test-versions`: what it asks for, and that it says what it could not test."""

import sys

import pytest
import versions
from publisher import ROOT


def test_the_newest_and_the_lowest_are_asked_for(monkeypatch):
    assert versions.chosen(ROOT, "torch", "3.11", "newest") == ["numpy", "matplotlib", "tqdm", "torch"]
    locked = versions.chosen(ROOT, "tf", "3.11", "locked")
    assert all("==" in line for line in locked) and any(line.startswith("keras==") for line in locked)
    asked = [str(requirement) for requirement in versions.asked(ROOT, "tf")]
    assert any(line.startswith("keras>=") for line in asked), "each bound is one that can be tried"


def test_this_python_is_found_and_none_is_made_up(monkeypatch, tmp_path):
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert versions.find_python(own)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert versions.find_python("3.99") is None


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (versions.NotTested("no such wheel"), 0, "NOT TESTED  Python 3.11, tf, lowest: no such wheel"),
        (RuntimeError("E  a test"), 1, "FAILED      Python 3.11, tf, lowest:\nE  a test"),
        (None, 0, "passed      Python 3.11, tf, lowest: 5 passed"),
    ],
)
def test_what_is_said(monkeypatch, capsys, error, code, said):
    def try_one(*_):
        if error:
            raise error
        return "5 passed"

    monkeypatch.setattr(versions, "wheel", lambda root, out: out)
    monkeypatch.setattr(versions, "try_one", try_one)
    assert versions.main(["--py", "3.11", "--extra", "tf", "--set", "lowest"]) == code
    assert said in capsys.readouterr().out


def test_a_python_that_is_missing_is_not_tested(monkeypatch):
    monkeypatch.setattr(versions, "find_python", lambda version: None)
    with pytest.raises(versions.NotTested, match=r"no Python 3\.13 here"):
        versions.try_one(ROOT, ROOT, "tf", "3.13", "lowest", False)


def test_the_bounds_and_the_classifiers_are_what_the_command_tries():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for python in versions.PYTHONS:
        assert f'"Programming Language :: Python :: {python}"' in text
    assert text.count('"Programming Language :: Python :: 3.') == len(versions.PYTHONS)
