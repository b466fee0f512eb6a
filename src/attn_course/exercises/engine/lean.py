"""How much a call holds at a time, where a table of all pairs is a fault, or a loop."""

import contextlib
import sys
import tracemalloc
from functools import partial

from attn_course.exercises.engine.reading import LIBRARIES
from attn_course.exercises.engine.run import Refused

WORDS = "{}, allowed are {} MB: is there a table of all pairs, or of what is used once?"


def lean(call):
    """``call``, which refuses what holds more bytes at a time than the case allows, or
    runs more lines."""
    return partial(_measured, call)


def _measured(call, answer, case, framework):
    if case.lines:
        with _counted_lines(case.lines):
            return _measured(call, answer, case._replace(lines=0), framework)
    if not case.most:
        return call(answer, case, framework)
    with contextlib.ExitStack() as stack:
        if framework == "torch":
            stack.enter_context(_watched_torch(case.most))
        if framework == "tf":
            stack.enter_context(_watched_tf(case.most))
        peak = stack.enter_context(_numpy_peak())
        found = call(answer, case, framework)
        _allow(peak(), case.most, "at one time it holds {} MB of arrays")
    return found


@contextlib.contextmanager
def _counted_lines(most):
    """While at most so many lines of Python may run, the libraries' own not counted."""
    count = 0

    def enter(frame, event, argument):
        name = str(frame.f_globals.get("__name__")).partition(".")[0]
        # TensorFlow has Python import what it has, again and again.
        return None if name in (*LIBRARIES, "importlib", "abc") else step

    def step(frame, event, argument):
        nonlocal count
        count += event == "line"
        return step

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(before)
    if count > most:
        words = "lines of Python, allowed are"
        raise Refused(f"it runs {count:,} {words} {most:,}: is there a loop?")


def _megabytes(count):
    return f"{count / 2**20:.3g}"


def _allow(count, most, words):
    if count > most:
        words = words.format(_megabytes(count))
        raise Refused(WORDS.format(words, _megabytes(most)))


@contextlib.contextmanager
def _numpy_peak():
    """A function that gives the most bytes held since the beginning."""
    running = tracemalloc.is_tracing()
    if not running:
        tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        yield lambda: tracemalloc.get_traced_memory()[1] - before
    finally:
        if not running:
            tracemalloc.stop()


def _watched_torch(most):
    """A mode in which no function of PyTorch may give an array of more bytes."""
    from torch.overrides import TorchFunctionMode

    from attn_course.core.frameworks import torch

    # A mode of dispatch would see more, but its first use imports for many seconds.
    class Watched(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            found = function(*args, **(kwargs or {}))
            for each in found if isinstance(found, tuple | list) else (found,):
                if isinstance(each, torch.Tensor):
                    count = each.numel() * each.element_size()
                    _allow(count, most, "it makes an array of {} MB")
            return found

    return Watched()


@contextlib.contextmanager
def _watched_tf(most):
    """While no eager operation of TensorFlow may give an array of more bytes."""
    from tensorflow.python.framework import op_callbacks

    def watch(kind, inputs, attributes, outputs, name=None, graph=None):
        for each in outputs:
            if hasattr(each, "numpy") and each.dtype.size:
                count = int(each.shape.num_elements() or 0) * each.dtype.size
                _allow(count, most, "it makes an array of {} MB")

    op_callbacks.add_op_callback(watch)
    try:
        yield
    finally:
        op_callbacks.remove_op_callback(watch)
