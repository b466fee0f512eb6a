"""A submission's process, seen from the one that marks it: what it says, in time."""

import contextlib
import pickle
import queue
import struct
import subprocess
import threading

from attn_course.exercises.engine import box
from attn_course.exercises.engine.answering import read

CROWD = 64  # processes that no answer needs; the kernel stops at 256, with threads
LOOKS = 0.2  # seconds between two looks at what it holds


class Process:
    """One process of a submission; ``next`` gives its frames in time."""

    def __init__(self, plan, hidden):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        pipes |= {"stderr": subprocess.DEVNULL, "start_new_session": True}
        room = box.command(hidden)
        self.process = subprocess.Popen(room, env=box.environment(), **pipes)
        self.why, self.closed = "it ended early", threading.Event()
        self.frames = queue.Queue(maxsize=2)
        self.given = queue.Queue(maxsize=64)
        self.megabytes = plan["megabytes"]
        works = self._pump, self._watch, self._feed
        self.threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in self.threads:
            thread.start()
        self.send(plan)

    def _pump(self):
        try:
            while (frame := read(self.process.stdout)) is not None:
                self.frames.put(frame)
                if self.closed.is_set():  # nobody asks for the rest
                    break
            self.frames.put(EOFError(self.why))
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

    def _watch(self):
        """End it where all its processes together are too many, or hold too much."""
        while not self.closed.wait(LOOKS):
            room = box.below(self.process.pid)
            if len(room) > CROWD:
                self.why = f"it was ended: it started more than {CROWD} processes"
            elif box.held(room) > self.megabytes * box.MEBI:
                self.why = f"it was ended: it took more than {self.megabytes} MiB"
            else:
                continue
            return box.end(self.process.pid)

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
        """End it and all that it started, before its number is another's."""
        pump, watch, _ = self.threads
        self.closed.set()
        watch.join()
        box.end(self.process.pid)
        self.process.wait()
        with contextlib.suppress(queue.Full):  # where it is full, the pipe is broken
            self.given.put_nowait(None)
        while pump.is_alive():  # perhaps it waits for a place
            with contextlib.suppress(queue.Empty):
                self.frames.get_nowait()
            pump.join(0.02)
