"""Submissions that try to cheat, to break the run or to harm the others, and what becomes of each.

``HOSTILE``: name -> (text, how many answers are marked as right, words that are said of it). FOLDER and TEACHER stand
for the class's folder and that of the teacher's cases and seed. ``BOMBS``: what takes from the machine what it gets.
"""

import json

import numpy as np

from attn_course.exercises import EXERCISES
from attn_course.exercises.engine.sources import source_of

HEAD = "import numpy as np\nfrom attn_course.exercises import check, softmax\n"
SECRET = "secret-of-the-teacher"


def answer(name):
    """The solution as a student's text, with its check."""
    solution = EXERCISES[name].solution
    return f'{source_of(solution)}\ncheck("{name}", {solution.__name__})\n'


A, B = answer("04.attention"), answer("04.with_cache")
TWO = HEAD + A + B
WRONG = 'check("04.allowed", lambda *given: 0)\n'
LOOPS = "def endless(*given):\n    while True:\n        pass\n"
# Frames of its own, into every pipe that is open: its author says that an answer was right.
FRAMES = """
import json, os, struct
body = {body}
for number in range(3, 30):
    try:
        os.write(number, (struct.pack("<I", len(body)) + body) * {times})
    except OSError:
        pass
"""


def frames(body, times=1):
    return FRAMES.format(body=body, times=times)


def header(**fields):
    return f"{json.dumps({**fields, 'arrays': []}).encode()!r} + b'\\n'"


FORGED = frames(header(name="13.ring", framework="numpy", wrong=None, fault=None))
SILENT = header(name="06.split_heads", framework="numpy", wrong=None)
CASES = len(EXERCISES["06.split_heads"].cases(np.random.default_rng(0)))
DEAF = """
import os, struct, threading, time
asked, said = {asked}, {said}
def pack(body):
    return struct.pack("<I", len(body)) + body
for number in range(3, 30):
    try:
        for turn in range(300):
            os.write(number, pack(asked) + pack(said) * {count})
    except OSError:
        pass
""".format(asked=SILENT, said=header(error="no", fatal=False), count=CASES)
TRIED = """
import glob, os, subprocess
done = []
def tried(words, call):
    try:
        call()
    except Exception:
        return
    done.append(words)
"""
NEIGHBORS = """
for path in glob.glob("FOLDER/*") + glob.glob("FOLDER/*/*") + glob.glob("/proc/*/cwd/*"):
    tried(path, lambda: open(path, "w").write("# rewritten"))
raise ValueError(f"done {done}")
"""
MOUNTS = (
    """
subprocess.run(["umount", "FOLDER"], capture_output=True)
subprocess.run(["unshare", "-Urm", "umount", "-a"], capture_output=True)
subprocess.run(["unshare", "-Urm", "sh", "-c", "umount /; mount -o remount,rw /; echo x > FOLDER/zz.py"])
"""
    + NEIGHBORS
)
PACKAGE = """
import attn_course, numpy, site
here = os.path.dirname(attn_course.__file__)
for path in [here, os.path.dirname(numpy.__file__), *site.getsitepackages(), "/usr/lib", "/etc", "/root", "/"]:
    tried(path, lambda: open(path + "/sitecustomize.py", "w").write("raise SystemExit"))
for path in glob.glob(here + "/exercises/**/*.py", recursive=True):
    tried(path, lambda: open(path, "a").write("raise SystemExit"))
raise ValueError(f"done {done}")
"""
SPY = """
seen = []
for path in glob.glob("/proc/[0-9]*/cmdline") + glob.glob("/proc/[0-9]*/environ") + glob.glob("TEACHER/*"):
    tried(path, lambda: seen.append(open(path).read()))
found = any(word in text for text in seen for word in ("471108", "SECRET"))
raise ValueError(f"found {found}, files {os.listdir('.')}, neighbors {glob.glob('FOLDER/*')}")
""".replace("SECRET", SECRET)
NETWORK = """
import socket
tried("a name", lambda: socket.getaddrinfo("example.org", 80))
tried("an address", lambda: socket.create_connection(("1.1.1.1", 53), 2))
raise ValueError(f"done {done}")
"""
# Of processes that would stay: twice the room's limit, no more, should none hold.
BOMB = """
import os, time
for each in range(500):
    try:
        if os.fork() == 0:
            os.setsid()
            while True:
                pass
    except OSError:
        pass
"""
THREADS = """
import os, threading, time
threading.stack_size(2**17)
def start(count):
    try:
        for each in range(count):
            threading.Thread(target=time.sleep, args=(4,), daemon=True).start()
    finally:
        time.sleep(3)
for each in range(9):
    if os.fork() == 0:
        try:
            start(50)
        finally:
            os._exit(0)
time.sleep(0.5)
start(50)
"""
MEMORY = """
import os, time
for each in range(4):
    if os.fork() == 0:
        kept = np.ones(2**25)
        time.sleep(60)
else:
    time.sleep(60)
"""
FORKS = """
import os, time
for each in range(20):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)
"""
DISK = """
try:
    for number in range(9):
        open(str(number), "wb").write(bytes(2**25))
finally:
    os.remove("0")
"""
KILLS = """
import os, signal
os.kill(os.getppid(), signal.SIGKILL)
os.kill(-1, signal.SIGKILL)
"""
PATCHES = """
from attn_course.exercises.engine import answering, checking, judge, marking
judge._same = judge._agree = lambda *given: True
judge.first_fault = marking.first_fault = lambda *given, **more: None
checking.judge = lambda *given: (None, "")
np.array_equal = np.allclose = lambda *given, **more: True
np.isclose = lambda one, *given, **more: np.ones(np.shape(one), bool)
"""
LIES = """
class Right(np.ndarray):
    def __eq__(self, other):
        return np.ones(self.shape, bool)
    def tobytes(self, *given):
        raise SystemExit
    def __reduce__(self):
        return exec, ("raise SystemExit",)
check("04.allowed", lambda *given: np.zeros((3, 3)).view(Right))
"""
SHADOWS = """
import os
for name in ("numpy", "json", "attn_course", "sitecustomize"):
    with open(name + ".py", "w") as file:
        file.write("raise SystemExit")
os._exit(0)
"""
ODD = "\n".join(
    f'check("04.allowed", lambda *given: {made})\n'
    for made in (
        "np.array([object()])",
        "np.zeros(3, [('a', 'f8')])",
        "np.zeros((2,) * 32)[..., 0]",
        "np.array(['x' * 1000])",
        "np.array(['2020-01-01'], 'M8[D]')",
        "1j",
    )
)
HOSTILE = {
    # What doesn't end, or ends too early: it costs the statement, not the answers around it.
    "endless": (LOOPS + 'check("04.allowed", endless)\n' + A + B, 2, "does a loop not end?"),
    "stubborn": (
        LOOPS.replace("pass", "try:\n            endless()\n        except BaseException:\n            pass")
        + 'check("04.allowed", endless)\n'
        + A,
        1,
        "04.allowed: it ",
    ),
    "loop in C": ('check("04.allowed", lambda *given: 10**10**9)\n' + A, 1, "does a loop not end?"),
    "leaves": (A + "import os\nos._exit(0)\n" + answer("04.allowed"), 2, "it ended early"),
    "leaves inside": (
        'import os\ncheck("04.allowed", lambda *given: os._exit(0))\n' + A,
        1,
        "04.allowed: it ended early",
    ),
    "exits": (
        "import atexit\natexit.register(lambda: [0 for x in iter(int, 1)])\nraise SystemExit\n" + A,
        1,
        "SystemExit",
    ),
    "closes": ("import os\nos.closerange(0, 100)\n" + A, 1, "it ended early"),
    "large": ('check("04.allowed", lambda *given: np.ones(10**11))\n' + A, 1, "MemoryError"),
    "deep calls": ('def f(*given):\n    return f(*given)\ncheck("04.allowed", f)\n' + A, 1, "RecursionError"),
    "deep text": (A + "x = " + "(" * 5000 + ")" * 5000 + "\n", 0, "SyntaxError"),
    "prints": ("for each in range(50):\n    print('x' * 2**20)\n" + A, 1, ""),
    # Results that nobody computed.
    "forged": (FORGED + "os._exit(0)\n", 0, ""),
    "forged kind": (frames(header(name="13.ring", framework="jax")) + A, 0, "framework must be"),
    "deep": (frames('b"[" * 100000 + b"\\n"') + A, 1, "its result can't be read"),
    "flood": (frames(header(note="x" * 300), 3000) + A, 1, "xxx"),
    "deaf": (DEAF, 0, "it doesn't read what it is asked"),
    "patches": (PATCHES + WRONG + A, 1, "04.allowed: "),
    "lies": (LIES + A, 1, "04.allowed: "),
    "odd": (ODD + A, 1, "04.allowed: "),
    "imports": (
        "from attn_course.exercises import EXERCISES\ncheck('13.ring', EXERCISES['13.ring'].solution)\n",
        1,
        "is this package's own",
    ),
    # The others, the teacher, the system.
    "forks": (FORKS + A, 1, ""),
    "kills": (A + KILLS + B, 2, ""),
    "neighbors": (A + TRIED + NEIGHBORS, 1, "done []"),
    "mounts": (A + TRIED + MOUNTS, 1, "done []"),
    "package": (A + TRIED + PACKAGE, 1, "done []"),
    "shadows": (SHADOWS + A, 1, "it ended early"),
    "disk": (A + TRIED + DISK, 1, "No space left on device"),
    "network": (A + TRIED + NETWORK, 1, "done []"),
    "spy": (A + TRIED + SPY, 1, "found False, files [], neighbors []"),
}
BOMBS = {
    "processes": (A + BOMB, 1, "it was ended: it started more than 64 processes"),
    "threads": (A + THREADS, 1, "can't start new thread"),
    "memory": (A + MEMORY, 1, "it was ended: it took more than 1000 MiB"),
}
