"""Files that are never half-written, and programs that end in one line.

A file is written under its own name in a folder beside its place, and moved there when
it is whole. Whoever reads meanwhile sees the old file or the new one; a write that
fails, or Ctrl-C in its middle, leaves the old one.
"""

import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path):
    """Where to write the new file, which takes the old one's place at the end.

    ::

        with replacing("records/dates.json") as new:
            new.write_text(text)

    The new file has the same name, so that what a writer reads from it (``.npz``,
    ``.svg``) is right. Of two writers at once the later one stays, whole.
    """
    path = Path(path).resolve()  # what a link points to is replaced, not the link
    with tempfile.TemporaryDirectory(prefix=".new-", dir=path.parent) as folder:
        new = Path(folder, path.name)
        yield new
        os.replace(new, path)


def write_text(path, text):
    """Write a text in UTF-8, whole or not at all."""
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8")


@contextmanager
def ending_in_one_line(kept="what was written before is whole"):
    """Around a program: Ctrl-C and a file that can't be written end it in one line.

    The exit status is 130 after Ctrl-C, as in a shell, and 1 otherwise.
    """
    try:
        yield
    except KeyboardInterrupt:
        print(f"\nstopped: {kept}", file=sys.stderr)
        sys.exit(130)
    except OSError as error:
        if error.strerror is None:  # no system's message: a fault of the program
            raise
        named = f" {error.filename}" if error.filename else ""
        print(f"failed:{named} {error.strerror}; {kept}", file=sys.stderr)
        sys.exit(1)
