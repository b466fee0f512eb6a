"""How a submission is shut in: in a room of its own where the system has namespaces.

`inside` builds it: only the system, Python and this package are there, to be read. It
is no defense against whoever looks for a hole in the kernel: for that, run the whole
command in a container or on a machine of its own.
"""

import contextlib
import ctypes
import os
import signal
import site
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import attn_course

INSIDE = Path(__file__).with_name("inside.py")
PYTHON = (sys.executable, "-P", "-m", "attn_course.exercises.engine.answering")
SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "nix/store")


@cache
def _readable():
    """What Python needs, and what this package stands in."""
    own = [sys.prefix, sys.base_prefix, sys.exec_prefix, *site.getsitepackages()]
    own += [site.getusersitepackages(), Path(attn_course.__file__).parents[1]]
    paths = [Path("/", each) for each in (*SYSTEM, *own)]
    paths += [path.resolve() for path in paths]
    return sorted({str(path) for path in paths if path.exists()})


def command(hidden, folder, run=PYTHON):
    """The command of a submission's process: in a room, or as it is where none works.

    hidden: a folder that must not be seen, wherever it stands; or None.
    folder: an empty one, where the room is built.
    """
    if not works():
        return list(run)
    return _in_a_room(hidden, folder, run)


def _in_a_room(hidden, folder, run):
    hidden = str(Path(folder if hidden is None else hidden).resolve())
    room = [sys.executable, "-I", str(INSIDE), str(folder), hidden]
    return [*room, *_readable(), "--", *run]


@cache
def works():
    """Whether this system has namespaces for whoever asks."""
    if not sys.platform.startswith("linux"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        tried = _in_a_room(None, folder, (sys.executable, "-c", "import ctypes"))
        try:
            return (
                subprocess.run(tried, capture_output=True, timeout=60).returncode == 0
            )
        except (OSError, subprocess.TimeoutExpired):
            return False


def home(folder):
    """Where a submission may write: a folder, as its process sees it."""
    return "/submission" if works() else str(folder)


def forget_arguments():
    """Let no other process read this one's command line, nor what it holds.

    A seed or the place of the cases may stand there.
    """
    _undumpable()
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        begin, end = map(int, fields[45:47])  # arg_start and arg_end of proc(5)
        ctypes.memset(begin, 0, end - begin)


def missing_limits():
    """What this system can't do for a submission, in words; nothing if it can all."""
    notes = []
    if not sys.platform.startswith("linux"):
        notes.append(f"no limit of memory is kept on this system ({sys.platform})")
        notes.append("processes that a submission starts are not ended with it")
    if not works():
        notes.append(
            "no sandbox here (it needs user namespaces): a submission can use the net, "
            "read your files and end your processes; mark in a container"
        )
    return notes


def adopt():
    """On Linux: children of a submission that leave its session become ours to end.

    And what this process holds, the seed among it, can't be read through /proc.
    """
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    _undumpable()


def _undumpable():
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE


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
