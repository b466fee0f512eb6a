"""Machine code by the compilers, and exports: `make test-compiled`. Slow, so `make test` leaves it out."""

import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp(prefix="inductor-")  # nothing of an earlier run
os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # each test has a core

from both_frameworks import (
    fresh_compiler,  # noqa: F401
    torch,
)

sys.path.append(str(Path(__file__).resolve().parents[1] / "contract"))


def pytest_sessionstart():
    compiler = os.environ.get("CXX", (sysconfig.get_config_var("CXX") or "g++").split()[0])
    if not any(map(shutil.which, (compiler, "g++", "clang++"))):
        raise pytest.UsageError("a C++ compiler is needed (Debian, Ubuntu: apt-get install g++), or its name in CXX")


def pytest_unconfigure():
    shutil.rmtree(os.environ["TORCHINDUCTOR_CACHE_DIR"], ignore_errors=True)


@pytest.fixture(autouse=True)
def seed():
    """A layer's first weights are drawn: the same in every run."""
    torch.manual_seed(0)
