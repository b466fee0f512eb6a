"""The package with the lowest, the locked and the newest versions of each extra, on every Python that is here.

python tools/versions.py [--extra torch|tf] [--py 3.11] [--set lowest|locked|newest]

Each combination gets an empty environment in a temporary folder, the wheel, one framework alone, the core of the
contract of all layers (tests/contract) and a use of the wheel (tests/install/use_wheel.py); then it is deleted. What
can't be installed is named and counts as not tested. PyTorch for CUDA (several GB) needs `--cuda yes`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from bundles import wheel
from execute import SETTINGS
from lock import requirements, uv
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from publisher import ROOT

PYTHONS, SETS = ("3.11", "3.12", "3.13"), ("lowest", "locked", "newest")
FACES = {"torch": "pytorch", "tf": "tf"}
# What the tests need beside the package; `newest` and `lowest` are about the package's own requirements.
TOOLS = ("pytest", "hypothesis")
# Numbers against the specification for every layer, and what a version changes first: files, compilers, precision.
FILES = {"torch": "test_torch.py", "tf": "test_keras.py"}
CHOSEN = {
    "torch": "not tf and not drives_both and (agrees or compiled or copies or autocast or functional)",
    "tf": "not pytorch and not drives_both and (agrees or saved or mixed or carried)",
}


class NotTested(RuntimeError):
    """Why a combination could not be installed here."""


def find_python(version: str) -> str | None:
    """A Python of this version: on the path, named in PYTHON3_12, or among pyenv's."""
    named = os.environ.get(f"PYTHON{version.replace('.', '_')}")
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = [named, sys.executable, shutil.which(f"python{version}")]
    candidates += sorted(map(str, home.glob(f"versions/{version}.*/bin/python{version}")), reverse=True)
    for candidate in filter(None, candidates):
        ask = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(ask, capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip() == version:
            return candidate
    return None


def asked(root: Path, extra: str) -> list[Requirement]:
    """What the package and one extra ask for. On Linux TensorFlow is its build without CUDA, of the same code."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"][extra]]
    if sys.platform == "linux" and os.uname().machine == "x86_64":
        lines = [re.sub(r"^tensorflow\b", "tensorflow-cpu", line) for line in lines]
    return [Requirement(line) for line in lines]


def chosen(root: Path, extra: str, python: str, which: str) -> list[str]:
    """The requirements of one set: lower bounds as they resolve for this Python, the lock's pins, or no bound."""
    wanted = asked(root, extra)
    if which == "newest":
        return [requirement.name for requirement in wanted]
    if which == "locked":
        pins = {r.name: str(r) for r in requirements(root / "requirements.txt") if not r.marker or r.marker.evaluate()}
        return [pins[requirement.name] for requirement in wanted]
    command = [uv(), "pip", "compile", "--quiet", "--no-annotate", "--no-header", "--resolution", "lowest-direct"]
    command += ["--only-binary", ":all:", "--python-version", python, "-"]
    done = subprocess.run(command, input="\n".join(map(str, wanted)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotTested(f"no set of lowest versions: {done.stderr.strip()[-300:]}")
    found = {Requirement(line).name: line for line in done.stdout.splitlines() if line.strip()}
    return [found[requirement.name] for requirement in wanted]


def brings_cuda(python: Path, requirement: str) -> str | None:
    """The version that pip would take of a requirement, if that is a build for CUDA. Nothing is installed."""
    command = [python, "-m", "pip", "install", "--dry-run", "--quiet", "--no-deps", "--ignore-installed"]
    done = subprocess.run([*command, "--report", "-", requirement], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotTested(f"pip finds no {requirement}: {done.stderr.strip()[-200:]}")
    metadata = json.loads(done.stdout)["install"][0]["metadata"]
    needs = [Requirement(line) for line in metadata.get("requires_dist", [])]
    needed = [r.name for r in needs if not r.marker or r.marker.evaluate({"extra": ""})]
    return metadata["version"] if any(name.startswith(("nvidia", "cuda")) for name in needed) else None


def try_one(root: Path, packed: Path, extra: str, python: str, which: str, cuda: bool) -> str:
    """Install and test one combination; returns what passed. Raises NotTested, or RuntimeError where a test fails."""
    program = find_python(python)
    if program is None:
        raise NotTested(f"there is no Python {python} here (name it in PYTHON{python.replace('.', '_')})")
    with tempfile.TemporaryDirectory(prefix="attn_course_") as made:
        folder = Path(made)
        subprocess.run([program, "-m", "venv", folder / "environment"], check=True)
        inner = folder / "environment" / "bin" / "python"
        wanted = chosen(root, extra, python, which)
        for requirement in [line for line in wanted if line.startswith("torch")]:
            if not cuda and (version := brings_cuda(inner, requirement)):
                raise NotTested(f"the index has torch {version} for CUDA alone, several GB: CUDA=yes installs it")
        tools = [str(r) for r in requirements(root / "requirements.txt") if r.name in TOOLS]
        install = [inner, "-m", "pip", "install", "--quiet", "--no-compile", "--no-cache-dir", *wanted, *tools, packed]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotTested(f"pip: {done.stderr.strip()[-300:]}")
        listed = subprocess.run([inner, "-m", "pip", "freeze"], capture_output=True, text=True, check=True).stdout
        names = {canonicalize_name(Requirement(line).name) for line in wanted}
        versions = [line for line in listed.splitlines() if canonicalize_name(line.partition("==")[0]) in names]
        return f"{', '.join(versions)}: {run_tests(root, folder, inner, extra)}"


def run_tests(root: Path, folder: Path, python: Path, extra: str) -> str:
    """The contract of the layers of one framework, and the use of the wheel; returns pytest's last line."""
    tests = folder / "tests"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(root / "tests" / "contract", tests / "contract", ignore=ignore)
    for name in ("support.py", "conftest.py", "install/use_wheel.py", "install/one_framework.py"):
        shutil.copy(root / "tests" / name, tests)
    (tests / "pytest.ini").write_text("[pytest]\npythonpath = .\n")  # warnings of other versions are not ours
    other = "tf" if extra == "torch" else "torch"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ATTN_COURSE", "KERAS"))}
    settings = {**kept, **SETTINGS, "PYTHONPATH": str(tests)}
    use = [python, "use_wheel.py", ",".join(sorted(p.stem for p in root.glob("src/attn_course/records/*.json")))]
    contract = [python, "-m", "pytest", "-q", "-x", "-p", "one_framework", "-p", "no:cacheprovider"]
    contract += ["-k", CHOSEN[extra], "contract/test_layers.py", f"contract/{FILES[extra]}"]
    last = ""
    for command, more in (([*use, FACES[extra]], {}), (contract, {"ATTN_COURSE_WITHOUT": other})):
        done = subprocess.run(command, cwd=tests, env={**settings, **more}, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError((done.stdout + done.stderr)[-3000:])
        last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else last
    return last.strip("= ")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extra", "--EXTRA", choices=FACES)
    parser.add_argument("--py", "--PY", choices=PYTHONS)
    parser.add_argument("--set", "--SET", choices=SETS)
    parser.add_argument("--cuda", "--CUDA", choices=("yes", "no"), default="no")
    options = parser.parse_args(arguments)
    failed = skipped = passed = 0
    with tempfile.TemporaryDirectory(prefix="attn_course_") as folder:
        packed = wheel(ROOT, Path(folder))
        for python in [options.py] if options.py else PYTHONS:
            for extra in [options.extra] if options.extra else FACES:
                for which in [options.set] if options.set else SETS:
                    started, name = time.monotonic(), f"Python {python}, {extra}, {which}"
                    try:
                        told = try_one(ROOT, packed, extra, python, which, options.cuda == "yes")
                        passed += 1
                        print(f"passed      {name}: {told} ({time.monotonic() - started:.0f} s)", flush=True)
                    except NotTested as reason:
                        skipped += 1
                        print(f"NOT TESTED  {name}: {reason}", flush=True)
                    except RuntimeError as error:
                        failed += 1
                        print(f"FAILED      {name}:\n{error}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} not tested")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
