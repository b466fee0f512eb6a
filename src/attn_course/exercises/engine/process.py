"""A submission's process, seen from the one that marks it: what it says, in time."""

import contextlib
import os
import pickle
import queue
import struct
import subprocess
import tempfile
import threading

from attn_course.exercises.engine import box
from attn_course.exercises.engine.answering import read

KEPT = ("PATH", "PYTHONPATH", "LANG", "OMP_NUM_THREADS", "TF_CPP_MIN_LOG_LEVEL")


class Process:
    """One process of a submission; ``next`` gives its frames in time."""

    def __init__(self, plan, hidden):
        self.before = box.children()
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        place = self.folder.name
        environment = {key: os.environ[key] for key in KEPT if key in os.environ}
        environment |= dict.fromkeys(("HOME", "TMPDIR"), box.home(place))
        self.process = subprocess.Popen(
            box.command(hidden, place),
            cwd=place,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.frames = queue.Queue(maxsize=2)
        self.given = queue.Queue(maxsize=64)
        self.pump = threading.Thread(target=self._pump, daemon=True)
        self.pump.start()
        threading.Thread(target=self._feed, daemon=True).start()
        self.send(plan)

    def _pump(self):
        try:
            while (frame := read(self.process.stdout)) is not None:
                self.frames.put(frame)
            self.frames.put(EOFError("it ended early"))
        except (ValueError, OSError) as error:
            self.frames.put(error)
        finally:
            self.process.stdout.close()

    def _feed(self):
        """Write what is given, however slowly it is read; until None, or an end."""
        with contextlib.suppress(OSError), self.process.stdin as pipe:
            while (body := self.given.get()) is not None:
                pipe.write(struct.pack("<I", len(body)) + body)
                pipe.flush()

    def send(self, value):
        """Give it a plan, a case or None. A broken pipe shows in the next frame.

        Raises:
            ValueError: it answers, but doesn't read what it is asked.
        """
        try:
            self.given.put_nowait(pickle.dumps(value))
        except queue.Full:
            raise ValueError("it doesn't read what it is asked") from None

    def next(self, seconds):
        """(header, arrays); TimeoutError, EOFError or ValueError."""
        try:
            frame = self.frames.get(timeout=max(seconds, 0.01))
        except queue.Empty:
            words = f"it was stopped after {seconds:.3g} s: does a loop not end?"
            raise TimeoutError(words) from None
        if isinstance(frame, BaseException):
            raise frame
        return frame

    def close(self):
        """End it and all that it started."""
        self.process.kill()
        self.process.wait()
        box.end_all(self.before)
        with contextlib.suppress(queue.Full):  # where it is full, the pipe is broken
            self.given.put_nowait(None)
        # Perhaps the pump waits for a place; or for an end, where no child is adopted.
        for _ in range(100):
            if not self.pump.is_alive():
                break
            with contextlib.suppress(queue.Empty):
                self.frames.get_nowait()
            self.pump.join(0.02)
        self.folder.cleanup()
