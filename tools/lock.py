"""The hashed locks beside the files requirements*.txt.

python tools/lock.py           resolve each for every platform and write requirements.lock, requirements-book.lock ...
python tools/lock.py --check   say where a lock is not in step with its file; asks no index

A lock names every file that pip may install by its sha256, with what the pins bring along on other platforms. It
names no index: pip takes the one that it is set to.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from publisher import ROOT

FILES = ("requirements.txt", "requirements-book.txt", "requirements-clients.txt")
LOCKS = {name: Path(name).with_suffix(".lock").name for name in FILES}
BESIDE = {"requirements-clients.txt"}  # its pins alone: it is installed without dependencies, beside the first
PYTHON = "3.11.0"  # the oldest that is supported: a pin that refuses it is refused here
OPTIONS = ["--universal", "--python-version", PYTHON, "--generate-hashes", "--no-annotate", "--quiet"]
_HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def requirements(path: Path) -> list[Requirement]:
    """The pins of a requirements file and of those that it includes, without the course itself."""
    found: list[Requirement] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            found += requirements(path.with_name(line[3:].strip()))
        elif line and not line.startswith(("#", "-")):
            found.append(Requirement(line))
    return found


def locked(path: Path) -> dict[tuple[str, str], int]:
    """Name and version of what a lock holds, and how many hashes each has. Raises ValueError for a foreign line."""
    found: dict[tuple[str, str], int] = {}
    for entry in path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        if not entry.strip() or entry.lstrip().startswith("#"):
            continue
        hashes = len(_HASH.findall(entry))
        try:
            asked = Requirement(_HASH.sub("", entry).strip())
            (version,) = asked.specifier
        except ValueError:
            raise ValueError(f"{path.name}: a line is no pin with hashes: {entry[:60]!r}") from None
        found[canonicalize_name(asked.name), version.version] = hashes
    return found


def faults(root: Path = ROOT) -> list[str]:
    """Where a lock differs from its file."""
    found = []
    for name, lock in LOCKS.items():
        if not (root / lock).exists():
            found.append(f"{lock} is missing")
            continue
        held = locked(root / lock)
        pins = {(canonicalize_name(r.name), next(iter(r.specifier)).version) for r in requirements(root / name)}
        found += [f"{lock} does not hold {pin}=={version}" for pin, version in sorted(pins - held.keys())]
        names = {pin for pin, _ in pins}
        old = sorted(key for key in held.keys() - pins if key[0] in names)
        found += [f"{lock} holds {pin}=={version}, {name} another version" for pin, version in old]
        found += [f"{lock}: {pin} has no hash" for (pin, _), hashes in sorted(held.items()) if not hashes]
        if "://" in (root / lock).read_text(encoding="utf-8"):
            found.append(f"{lock} names an address; it must hold for every index")
    return found


def uv() -> str:
    """The program that resolves: the environment's, or one on the path."""
    found = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        raise ValueError("uv is not installed: make .venv/stamp")
    return found


def write(root: Path = ROOT) -> None:
    """Resolve by uv; versions that a lock has and that still fit stay."""
    with tempfile.TemporaryDirectory(prefix="attn_course_") as folder:
        for name, lock in LOCKS.items():
            pins = Path(folder, name)
            pins.write_text("\n".join(map(str, requirements(root / name))) + "\n", encoding="utf-8")
            command = [uv(), "pip", "compile", *OPTIONS, "--custom-compile-command", "make lock"]
            command += ["--no-deps"] if name in BESIDE else []
            done = subprocess.run([*command, "-o", str(root / lock), str(pins)], capture_output=True, text=True)
            if done.returncode:
                raise ValueError(f"{name} can't be resolved for Python {PYTHON}:\n{done.stderr}")
            print(f"{lock}: {len(locked(root / lock))} packages")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        if not options.check:
            write(options.root)
        found = faults(options.root)
    except ValueError as error:
        found = [str(error)]
    for fault in found:
        print(f"{fault}: run make lock" if options.check else fault, file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
