"""`make test-versions`: what it asks for; a build for CUDA alone is named and not pulled; pins and their locks."""

import re
import subprocess
from pathlib import Path

import pytest
from publisher import ROOT

import noxfile


def test_the_command_picks_one_combination():
    # Also where make runs the tests, which then says which folder it enters.
    asked = ["test-versions", "EXTRA=tf", "PY=3.11", "SET=lowest"]
    command = ["make", "-n", "--no-print-directory", "-o", ".venv/stamp", *asked]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (line,) = made.splitlines()
    shown = subprocess.run(f"{line} --list", cwd=ROOT, capture_output=True, text=True, shell=True)
    assert re.findall(r"(?m)^\* (.*)", shown.stdout) == ["versions-3.11(extra='tf', which='lowest')"]


def test_every_bound_is_asked_for():
    assert any(line.startswith("keras>=") for line in noxfile.asked("tf"))
    assert [re.split("[<>=]", line)[0] for line in noxfile.asked("torch")] == ["numpy", "matplotlib", "tqdm", "torch"]


class Skipped(Exception):
    pass


class Session:
    python = "3.11"

    def __init__(self, folder, found):
        self.folder, self.found = folder, found

    def create_tmp(self):
        return self.folder

    def run(self, *command, silent):
        return self.found

    def skip(self, reason):
        raise Skipped(reason)


def test_a_build_for_cuda_is_named_and_not_pulled(monkeypatch, tmp_path):
    session = Session(tmp_path, "nvidia-cublas==13.1\nnumpy==2.0.0\ntorch==2.13.0\n")
    monkeypatch.delenv("CUDA", raising=False)
    with pytest.raises(Skipped, match=r"torch==2\.13\.0 for CUDA alone"):
        noxfile.chosen(session, "torch", "newest")
    monkeypatch.setenv("CUDA", "yes")
    assert noxfile.chosen(session, "torch", "newest") == ["nvidia-cublas==13.1", "numpy==2.0.0", "torch==2.13.0"]
    small = Session(tmp_path, "numpy==2.0.0\ntorch==2.13.0+cpu\n")
    monkeypatch.delenv("CUDA")
    assert noxfile.chosen(small, "torch", "newest") == ["numpy==2.0.0", "torch==2.13.0+cpu"]


def test_the_classifiers_are_what_the_command_tries():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', text)
    assert found == [*noxfile.PYTHONS]


@pytest.mark.parametrize("name", ["requirements.txt", "requirements/book.txt", "requirements/clients.txt"])
def test_a_lock_is_in_step(name):
    """Every pin stands in its hashed lock, which names no index. `make lock` resolves; this asks nobody."""
    lines = re.findall(r"(?m)^[^#\n-].*", (ROOT / name).read_text(encoding="utf-8"))
    pins = [line.partition(";")[0] for line in lines]
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.+]+", pin)] == [], "a pin is exact"
    lock = (ROOT / "requirements" / f"{Path(name).stem}.lock").read_text(encoding="utf-8")
    entries = [line for line in lock.replace("\\\n", " ").splitlines() if not line.startswith("#")]
    assert all("--hash=sha256:" in entry for entry in entries)
    held = {entry.split()[0].replace(".", "-") for entry in entries}
    assert pins and [pin for pin in pins if pin.lower().replace(".", "-") not in held] == [], "run make lock"
    assert "://" not in lock and "index" not in lock
