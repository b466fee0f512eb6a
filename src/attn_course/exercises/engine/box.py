"""The room that a submission is shut in: bubblewrap builds it, on Linux.

Only the system, Python and what it imports from are there, to be read: no other file,
no other process, no network. What is written goes to memory, and is gone with the
process. It is no defense against whoever looks for a hole in the kernel: for that,
mark on a machine of its own.
"""

import contextlib
import os
import shutil
import signal
import site
import subprocess
import sys
from functools import cache
from pathlib import Path

PYTHON = (sys.executable, "-P", "-m", "attn_course.exercises.engine.answering")
SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "nix/store")
HOME = "/submission"  # with /dev/shm the one place to write to
MEBI = 2**20
FILES = 256  # MiB for what it writes, in each of the two
KEPT = ("PATH", "LANG", "TF_CPP_MIN_LOG_LEVEL")
# Threads that wait for each other spin, and one machine marks several at once.
ALONE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
ALONE += ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")


def environment():
    """What a submission's process finds in its environment."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    paths = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    kept["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, paths))
    return kept | dict.fromkeys(ALONE, "1") | {"HOME": HOME, "TMPDIR": HOME}


def _run(asked):
    return subprocess.run(asked, env=environment(), capture_output=True, text=True)


@cache
def _readable():
    """What Python needs, and wherever it imports from."""
    asked = (sys.executable, "-P", "-c", "import sys; print('\\n'.join(sys.path))")
    found = _run(asked)
    found.check_returncode()
    own = [sys.prefix, sys.base_prefix, sys.exec_prefix, site.getusersitepackages()]
    paths = [Path("/", each) for each in (*SYSTEM, *own, *found.stdout.splitlines())]
    paths += [path.resolve() for path in paths]  # a link, and where it leads
    shown = []
    for path in sorted({path for path in paths if path.exists() and path.name}):
        if not any(path.is_relative_to(each) for each in shown):
            shown.append(path)
    return shown


def command(hidden, run=PYTHON):
    """The command that runs a submission's process in a room of its own.

    hidden: a folder that is empty in it, wherever it stands; or None.
    """
    room = ["bwrap", "--die-with-parent", "--new-session", "--unshare-ipc"]
    room += ["--unshare-pid", "--unshare-net", "--unshare-uts"]
    room += ["--unshare-cgroup-try", "--cap-drop", "ALL"]
    # As root without a user namespace: within one the kernel counts a process as
    # root's, whom no limit of processes holds. setpriv gives the user away instead.
    if root := os.geteuid() == 0:
        room += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        room += ["--unshare-user", "--disable-userns"]
    for path in _readable():
        for parent in reversed(path.parents[:-1]):  # made without --perms, it is 0700
            room += ["--perms", "0755", "--dir", str(parent)]
        room += ["--ro-bind", str(path), str(path)]
    if hidden is not None:
        place = Path(hidden).resolve()
        if any(place.is_relative_to(path) for path in _readable()):
            room += ["--size", "4096", "--perms", "0755", "--tmpfs", str(place)]
    room += ["--proc", "/proc", "--dev", "/dev"]
    for place in ("/dev/shm", HOME):
        room += ["--size", str(FILES * MEBI), "--perms", "1777", "--tmpfs", place]
    if "/tmp" not in room:  # something that is shown may stand in it
        room += ["--symlink", HOME, "/tmp"]
    room += ["--chdir", HOME, "--"]
    return [*room, *(_as_nobody_else() if root else ()), *run]


def _as_nobody_else():
    """As a user of this marker's own, among those that the system gives to no one.

    So what one submission starts doesn't count for another.
    """
    user = str(61_184 + os.getpid() % 4_336)  # systemd's range of passing users
    given = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"]
    return [*given, "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]


@cache
def missing():
    """Why a submission can't be shut in here, in words; nothing where it can."""
    if not sys.platform.startswith("linux"):
        return f"marking needs Linux, this is {sys.platform}: take a virtual machine"
    for name, package in (("bwrap", "bubblewrap"), ("setpriv", "util-linux")):
        if shutil.which(name) is None:
            return f"{package} is missing: sudo apt-get install {package}"
    tried = _run(command(None, (sys.executable, "-c", "")))
    if tried.returncode == 0:
        return ""
    words = " ".join(tried.stderr.split())[:300] or f"it ended with {tried.returncode}"
    return f"bubblewrap can't build a room here: {words}"


def works():
    """Whether a submission can be shut in here."""
    return not missing()


def children(number):
    """The processes that a process started, and that have not ended."""
    found = []
    for path in Path(f"/proc/{number}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # one may end meanwhile
            found += map(int, path.read_text().split())
    return found


def below(number):
    """The processes that a process started, and those that they started."""
    found = []
    for child in children(number):
        found += [child, *below(child)]
    return found


def held(room):
    """Bytes that the processes of a room hold together, with what they have written."""
    total = 0
    for number in room:
        with contextlib.suppress(OSError, IndexError):
            text = Path(f"/proc/{number}/smaps_rollup").read_text()
            # Pss: what several share counts once, in parts.
            total += 1024 * int(text.partition("\nPss:")[2].split()[0])
    for place in ("/dev/shm", HOME):
        with contextlib.suppress(OSError, IndexError):
            files = os.statvfs(f"/proc/{room[0]}/root{place}")
            total += (files.f_blocks - files.f_bfree) * files.f_frsize
            total += (files.f_files - files.f_ffree) * 1024  # of the kernel, about
    return total


def end(number):
    """Kill the first process of bubblewrap's room, which ends all that is in it."""
    for child in children(number) or [number]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
