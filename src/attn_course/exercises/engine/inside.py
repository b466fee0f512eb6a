"""Run a command in a room of its own.

``python inside.py ROOT HIDDEN PATH... -- COMMAND...``

The paths can be read there, and nothing else is there: no other file, no other process,
no network. What is written goes to memory and is gone with the command. ROOT is an
empty folder to build the room in; HIDDEN is empty in the room, where a path holds it.
Linux alone.

It is run by its path and needs only the standard library: a process that makes a user
namespace may have no second thread, and NumPy starts some.
"""

import ctypes
import os
import resource
import sys
from pathlib import Path

HOME = "/submission"  # the one place to write to
NOBODY = 65534
PROCESSES = 4096  # with threads; those of the same user outside count on old kernels
# <sched.h> and <sys/mount.h>
NEW_USER = 0x10000000
NEW_ALL = 0x00020000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000
NO_SUID, NO_DEV, NO_EXEC = 2, 4, 8
BIND, RECURSIVE, PRIVATE = 4096, 16384, 1 << 18
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, READ_ONLY = 442, -100, 0x8000, 1
DETACH = 2
PARENT_DEATH, NO_NEW_PRIVILEGES = 1, 38

LIBRARY = ctypes.CDLL(None, use_errno=True)


def _call(name, *arguments):
    given = [os.fsencode(x) if isinstance(x, str | Path) else x for x in arguments]
    given = [ctypes.c_ulong(x) if isinstance(x, int) else x for x in given]
    if getattr(LIBRARY, name)(*given) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _mount(source, target, kind=None, flags=0, data=None):
    _call("mount", source, target, kind, flags, data)


def _memory(place, size):
    place.mkdir(parents=True, exist_ok=True)
    _mount("none", place, "tmpfs", NO_SUID | NO_DEV, f"mode=1777,nr_inodes=20k,{size}")


def _show(root, path):
    """The path in the room, a link as a link and what it leads to."""
    place = root / path.relative_to("/")
    if path.is_symlink():
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_symlink():
            place.symlink_to(os.readlink(path))
        path = path.resolve()
        place = root / path.relative_to("/")
    if place.exists():  # within a path that is there already
        return
    if path.is_dir():
        place.mkdir(parents=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    _mount(path, place, flags=BIND | RECURSIVE)


def build(root, hidden, paths):
    """The room at ``root``, in new namespaces; the next child is process 1 in it."""
    user, group = os.geteuid(), os.getegid()
    _call("unshare", NEW_ALL | (NEW_USER if user else 0))
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _mount(None, "/", flags=RECURSIVE | PRIVATE)
    _mount("none", root, "tmpfs", NO_SUID | NO_DEV, "mode=755")
    for path in sorted(paths, key=lambda path: len(path.parts)):
        _show(root, path)
    empty = root / hidden.relative_to("/")
    if empty.exists():
        _memory(empty, "size=4k")
    for name in ("proc", "dev/shm", HOME[1:]):
        (root / name).mkdir(parents=True, exist_ok=True)
    if not (root / "tmp").exists():  # a path may stand in it
        (root / "tmp").symlink_to(HOME)
    for name in ("null", "zero", "full", "random", "urandom"):
        _show(root, Path("/dev") / name)
    # struct mount_attr: set, clear, propagation, the user namespace
    read_only = (ctypes.c_uint64 * 4)(READ_ONLY | NO_SUID, 0, 0, 0)
    given = MOUNT_SETATTR, AT_FDCWD, root, AT_RECURSIVE, read_only, 32
    _call("syscall", *given)
    _memory(root / HOME[1:], "size=1g")
    _memory(root / "dev/shm", "size=1g")


def enter(root):
    """Move into the room, and give up what could lead out of it."""
    os.setsid()
    _mount("proc", root / "proc", "proc", NO_SUID | NO_DEV | NO_EXEC)
    os.chdir(root)
    _call("pivot_root", ".", ".")
    _call("umount2", ".", DETACH)
    os.chdir(HOME)
    if os.geteuid() == 0 and Path("/proc/self/uid_map").read_text().split()[2] != "1":
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    else:  # in a namespace below, what was mounted above stays as it is
        _call("unshare", NEW_USER)
    _call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _call("prctl", PARENT_DEATH, 9, 0, 0, 0)
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    most = PROCESSES if hard < 0 else min(PROCESSES, hard)
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def main(root, hidden, *rest):
    """Build the room, run the command in it, end as it ends."""
    at = rest.index("--")
    root = Path(root)
    _call("prctl", PARENT_DEATH, 9, 0, 0, 0)  # where whoever marks is killed
    build(root, Path(hidden), [Path(each) for each in rest[:at]])
    child = os.fork()
    if child:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255)
    try:
        enter(root)
        os.execv(rest[at + 1], rest[at + 1 :])
    except BaseException as error:
        os.write(2, f"{error}\n".encode())
        os._exit(125)


if __name__ == "__main__":
    main(*sys.argv[1:])
