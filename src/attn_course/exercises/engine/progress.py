"""Which exercises are solved: a local file, and a short string that can be kept."""

import contextlib
import itertools
import json
import os
import sys
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: a write is whole, but two at once may lose one
    fcntl = None

from attn_course.exercises.engine.files import EXERCISES
from attn_course.files import write_text


def _path():
    given = os.environ.get("ATTN_COURSE_PROGRESS")
    return Path(given) if given else Path.home() / ".attn_course" / "progress.json"


def _stored():
    """The names in the file; None where it holds something else."""
    try:
        names = json.loads(_path().read_text(encoding="utf-8"))["solved"]
        return {name for name in names if isinstance(name, str)}
    except FileNotFoundError:
        return set()
    except (ValueError, KeyError, TypeError):
        return None


def load():
    """The names that were solved; none where the file is missing or unreadable."""
    try:
        return _stored() or set()
    except OSError:
        return set()


def _put_aside(path):
    """An unreadable file is not written over: somebody may mend it."""
    names = (f"{path.stem}-{n}.unreadable" for n in itertools.count(1))
    aside = next(each for each in map(path.with_name, names) if not each.exists())
    path.rename(aside)
    print(f"{path} can't be read; it is kept as {aside.name}", file=sys.stderr)


@contextlib.contextmanager
def _locked(path):
    """Nobody else adds to the file meanwhile: neither a kernel nor a command."""
    with open(path.with_suffix(".lock"), "w") as file:
        if fcntl is not None:
            with contextlib.suppress(OSError):  # some network drives have no locks
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _add(names):
    path = _path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path):
            known = _stored()
            if known is None:
                _put_aside(path)
                known = set()
            if names <= known:
                return
            write_text(path, json.dumps({"solved": sorted(known | names)}))
    except OSError:
        pass  # a read-only home must not keep anyone from learning


def solved(name):
    """Write down that an exercise is solved."""
    _add({name})


def title_of(number):
    """What a group of exercises is called: a chapter's number stands for it."""
    return f"chapter {number}" if number.isdigit() else number


def encode(names):
    """Solved exercises as a short string, one hexadecimal number per chapter."""
    parts = []
    for number, chapter in EXERCISES.bits.items():
        bits = sum(1 << place for place, name in enumerate(chapter) if name in names)
        if bits:
            parts.append(f"{number}-{bits:x}")
    return ".".join(parts) or "none"


def decode(code):
    """The names in a string of `encode`; ValueError for any other text."""
    names = set()
    try:
        for part in [] if code == "none" else code.strip().split("."):
            number, bits = part.split("-")
            bits = int(bits, 16)
            if bits < 0 or bits >> len(EXERCISES.bits[number]):
                raise ValueError
            for place, name in enumerate(EXERCISES.bits[number]):
                if bits >> place & 1:
                    names.add(name)
    except (ValueError, KeyError, AttributeError):
        raise ValueError(
            f"code must be a string that progress() gave, got {code!r}"
        ) from None
    return names


def progress(code=None):
    """Print what is solved, and return it as a short string.

    The string brings it back, ``progress("00-3.01-1")``, after a Colab runtime is gone.

    Raises:
        ValueError: ``code`` is no string that this function gave.
    """
    if code is not None:
        _add(decode(code))
    names = load()
    for number, chapter in EXERCISES.bits.items():
        done = sum(name in names for name in chapter)
        marks = "".join("x" if name in names else "." for name in chapter)
        print(f"{title_of(number)}: {marks} {done} of {len(chapter)}")
    return encode(names)
