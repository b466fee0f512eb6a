"""Faults, one at a time in a copy of the package: each must be caught by the tests that planted.toml names.

Of tests/oracles all named tests run, elsewhere the quick ones alone, unless `-m slow` is named. A fault is caught when
a test fails or can't be read any more; that pytest found no test, or ended in another way, is no catch.


python tools/planted.py              all of them, in about five minutes of one core
python tools/planted.py mask gate    those whose names hold one of the words
"""

import os
import shutil
import sys
import tempfile
import time
import tomllib
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]


class Fault(NamedTuple):
    """A text of a file below ``src/attn_course``, what stands in its place, and the tests that must see it."""

    name: str
    file: str
    right: str
    wrong: str
    tests: str


FAULTS = [Fault(**row) for row in tomllib.loads((ROOT / "tools" / "planted.toml").read_text(encoding="utf-8"))["fault"]]


class FirstFailure:
    """Notes the test that failed first."""

    def __init__(self):
        self.test = ""

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.test = self.test or report.nodeid

    def pytest_collectreport(self, report):
        if report.failed:
            self.test = self.test or report.nodeid


def import_frameworks():
    """Here, before any fault: what is forked has them."""
    os.environ.update(KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch  # noqa: F401, I001
        import tensorflow  # noqa: F401
        import keras  # noqa: F401


class Answer(NamedTuple):
    """The first test that failed, or nothing, and why there is no verdict: pytest neither passed nor failed."""

    test: str
    trouble: str


def ask(source, arguments):
    """What the tests say of the package in a folder, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        sys.path.insert(0, str(source))
        above = [str(Path(source).resolve()), *filter(None, [os.environ.get("PYTHONPATH")])]
        os.environ["PYTHONPATH"] = os.pathsep.join(above)  # for what a test starts
        silent = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(silent, stream)
        noted = FirstFailure()
        options = ["-q", "-x", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist"]
        if not any(name.startswith("tests/oracles/") for name in arguments):
            options += ["-m", "not slow"]
        code = pytest.ExitCode(pytest.main([*options, *arguments], plugins=[noted]))
        os.write(writing, f"{code.name} {noted.test}".encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        code, _, test = answer.read().partition(" ")
    os.waitpid(child, 0)
    return Answer(test, "" if test or code == "OK" else code or "CRASHED")


def main(words):
    chosen = [fault for fault in FAULTS if not words or any(word in fault.name for word in words)]
    os.chdir(ROOT)
    import_frameworks()
    missed, seen_by = [], []
    with tempfile.TemporaryDirectory(prefix="planted_") as folder:
        source = Path(folder, "src")
        shutil.copytree(ROOT / "src" / "attn_course", source / "attn_course")
        sys.dont_write_bytecode = True  # a file that changes twice in a second is read again
        for fault in chosen:
            path, started = source / "attn_course" / fault.file, time.perf_counter()
            before = path.read_text(encoding="utf-8")
            if before.count(fault.right) != 1:
                missed.append(fault.name)
                print(f"{fault.name}: the text stands {before.count(fault.right)} times in {fault.file}", flush=True)
                continue
            path.write_text(before.replace(fault.right, fault.wrong), encoding="utf-8")
            test, trouble = ask(source, fault.tests.split())
            path.write_text(before, encoding="utf-8")
            (seen_by if test else missed).append(test or fault.name)
            said = test or f"NOT CAUGHT {trouble}".rstrip()
            print(f"{fault.name}: {said} ({time.perf_counter() - started:.0f} s)", flush=True)
        again = [*sorted(set(seen_by)), "-m", ""]  # the slow ones too
        broken = "".join(ask(source, again)) if seen_by else ""
    print(f"{len(chosen)} faults, {len(chosen) - len(missed)} caught; without a fault fails: {broken or 'none'}")
    return 1 if missed or broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
