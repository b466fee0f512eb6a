"""The wheel in environments of its own: `make test-install`. `make test` leaves it out, for it takes minutes."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools"))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The package as it is published, built from a copy so that nothing stays behind in the tree."""
    from bundles import wheel

    return wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def environment(tmp_path):
    """An environment with nothing but pip, removed afterwards: frameworks take gigabytes."""
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=True)
    yield Environment(folder)
    shutil.rmtree(folder)


class Environment:
    """Installs the versions of the lock, and runs Python in a folder that is empty at first."""

    def __init__(self, folder):
        self.python = folder / "bin" / "python"
        self.empty = folder / "empty"
        self.empty.mkdir()
        self.constraints = folder / "constraints.txt"
        self.constraints.write_text("\n".join(lock()) + "\n")

    def install(self, *requirements):
        # Compiling all of a framework takes longer than compiling what is imported of it.
        options = ["--quiet", "--disable-pip-version-check", "--no-compile", "-c", self.constraints]
        subprocess.run([self.python, "-m", "pip", "install", *options, *requirements], check=True)

    def run(self, *arguments, **variables):
        from execute import SETTINGS

        # What is set outside must neither lead to the source tree nor choose a backend.
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ATTN_COURSE", "KERAS"))}
        settings = {**kept, **SETTINGS, **variables}
        return subprocess.run(
            [self.python, *arguments], cwd=self.empty, capture_output=True, text=True, env=settings, check=False
        )


def lock():
    """The lock as constraints: what holds on this platform, without `-e .` and `-r`, which pip refuses there."""
    from packaging.requirements import Requirement

    files = [ROOT / name for name in ("requirements.txt", "requirements/book.txt")]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    found = [Requirement(line) for line in lines if "==" in line and not line.startswith("#")]
    return [f"{r.name}{r.specifier}" for r in found if r.marker is None or r.marker.evaluate()]


def locked(extra):
    """The framework of an extra as the lock has it: for TensorFlow on Linux the small build without GPU support."""
    names = {"torch": ("torch",), "tf": ("tensorflow", "tensorflow-cpu", "keras")}[extra]
    return [line for line in lock() if line.partition("==")[0] in names]
