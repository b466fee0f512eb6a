"""How a submission is shut in: in namespaces of its own where the system has them.

A box takes the network, other processes and the folder of submissions out of reach. It
is no defense against whoever looks for a hole in the system: for that, run the whole
command in a container.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import attn_course

PYTHON = (sys.executable, "-P", "-m", "attn_course.exercises.engine.answering")
SHELL = 'mount -t tmpfs none "$1" && cd "$2" && shift 2 && exec "$@"'
UNSHARE = (
    *("unshare", "--user", "--map-root-user", "--pid", "--fork", "--net", "--ipc"),
    *("--mount-proc", "--kill-child"),
)


@cache
def works():
    """Whether this system has namespaces for whoever asks."""
    command = [*UNSHARE, "sh", "-c", SHELL, "sh", tempfile.gettempdir(), "/", "true"]
    try:
        return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def command(hidden, folder):
    """The command of a submission's process, which sees ``hidden`` empty.

    A folder that Python or this package stands in can't be hidden.
    """
    needed = (Path(sys.prefix), Path(sys.base_prefix), Path(attn_course.__file__))
    hidden = Path(folder if hidden is None else hidden).resolve()
    if any(hidden in each.resolve().parents for each in (*needed, Path(folder))):
        hidden = Path(folder)
    if not works():
        return list(PYTHON)
    return [*UNSHARE, "sh", "-c", SHELL, "sh", str(hidden), str(folder), *PYTHON]


def missing_limits():
    """What this system can't do for a submission, in words; nothing if it can all."""
    notes = []
    if not sys.platform.startswith("linux"):
        notes.append(f"no limit of memory is kept on this system ({sys.platform})")
        notes.append("processes that a submission starts are not ended with it")
    if not works():
        notes.append(
            "no sandbox here (unshare doesn't work): a submission can use the network, "
            "read your files and end your processes; mark in a container"
        )
    return notes


def adopt():
    """On Linux: children of a submission that leave its session become ours to end.

    And what this process holds, the seed among it, can't be read through /proc.
    """
    if sys.platform.startswith("linux"):
        library = ctypes.CDLL(None, use_errno=True)
        library.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        library.prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE


def children():
    """Numbers of this process's children, from /proc; none where there is no /proc."""
    found = set()
    for path in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found |= {int(each) for each in path.read_text().split()}
    return found


def end_all(before):
    """End every child that was not there before, and theirs, until none is left."""
    for _ in range(50):
        ours = children() - before
        if not ours:
            return
        for child in ours:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
