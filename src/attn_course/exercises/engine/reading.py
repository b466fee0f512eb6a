"""Exercises that read a library's call: the answer says in NumPy what it returns.

The call itself runs beside the answer; its arguments are the same numbers.
"""

import contextlib
import sys

import numpy as np

from attn_course.exercises.engine.run import Refused, into, to_numpy

LIBRARIES = ("torch", "tensorflow", "keras")


def call_read(library, answer, case, framework):
    """True where the answer gives what ``library(framework, ...)`` gives, else Refused.

    For "numpy", which has no such call, it is True: the cases' side asks for that.
    """
    if framework != "numpy":
        with _without_libraries():
            found = answer(*into("numpy", case.arguments))
        right = to_numpy(library(framework, *into(framework, case.arguments)))
        _compare(to_numpy(found), right)
    return (np.array(True),)


def _compare(found, right):
    if found.dtype == object:
        raise Refused("not done yet: it returns nothing")
    if found.shape != right.shape:
        raise Refused(f"the shape is {found.shape}, the call returns {right.shape}")
    if found.dtype.kind not in "fiub":
        raise Refused(f"the dtype is {found.dtype}, the call returns {right.dtype}")
    far = ~np.isclose(found, right, rtol=1e-3, atol=1e-4, equal_nan=True)
    if far.any():
        at = tuple(map(int, np.argwhere(far)[0]))
        words = f"at {at} it gives {found[at]:.4g}, the call returns {right[at]:.4g}"
        raise Refused(words)


@contextlib.contextmanager
def _without_libraries():
    """Whatever is called in this thread must not be a library's own code."""

    def look(frame, event, argument):
        name = frame.f_globals.get("__name__", "") if event == "call" else ""
        if event == "c_call":
            owner = getattr(argument, "__self__", None)
            name = getattr(argument, "__module__", None) or type(owner).__module__
        if str(name).partition(".")[0] in LIBRARIES:
            words = "it calls the library: read what the call does, and say it in NumPy"
            raise Refused(words)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)
