"""The wheel in environments of its own: `make test-install`. `make test` leaves it out, for it takes minutes."""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LOCK = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if re.match(r"[\w.-]+==", line)]


def pytest_ignore_collect(collection_path, config):
    """Only when the folder, or a file in it, is named on the command line."""
    named = [Path(config.invocation_params.dir, argument.partition("::")[0]) for argument in config.args]
    return None if any(path == HERE or HERE in path.parents for path in named) else True


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The package as it is published, built from a copy so that nothing stays behind in the tree."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-TEXT"):
        shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source)]
    subprocess.run(command, check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """Makes an empty environment with some packages, in the versions of the lock; gives what runs Python there."""
    folders = []

    def make(*packages):
        folder = tmp_path_factory.mktemp("environment")
        folders.append(folder)
        venv.create(folder, with_pip=True)
        python = folder / "bin" / "python"
        constraints = folder / "constraints.txt"
        constraints.write_text("\n".join(LOCK) + "\n")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", constraints]
        subprocess.run([*pip, *packages], check=True)
        empty = folder / "empty"
        empty.mkdir()

        def run(*arguments, **variables):
            kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ATTN_COURSE", "KERAS"))}
            path = f"{folder / 'bin'}{os.pathsep}{kept['PATH']}"
            settings = {**kept, "PATH": path, "OMP_NUM_THREADS": "2", "TF_CPP_MIN_LOG_LEVEL": "2", **variables}
            return subprocess.run([python, *arguments], cwd=empty, capture_output=True, text=True, env=settings)

        return run

    yield make
    for folder in folders:
        shutil.rmtree(folder)


def locked(name):
    """The requirement of the lock for this platform: torch==2.13.0, say."""
    from packaging.requirements import Requirement

    for line in LOCK:
        requirement = Requirement(line)
        if requirement.name.startswith(name) and (requirement.marker is None or requirement.marker.evaluate()):
            return f"{requirement.name}{requirement.specifier}"
    raise LookupError(name)


@pytest.fixture(scope="session")
def framework():
    return {"torch": locked("torch"), "tf": locked("tensorflow")}
