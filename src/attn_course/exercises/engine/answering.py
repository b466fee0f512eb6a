"""A submission in a process of its own: it is asked one case at a time, and answers it.

``python -m attn_course.exercises.engine.answering``: frames come through what stdin
was, and go through what stdout was. Nothing about the submission's file, its neighbors,
the seed or the cases stands in the arguments or in a file, and what is right isn't
known here.
"""

import ast
import contextlib
import json
import linecache
import os
import pickle
import resource
import struct
import sys
from pathlib import Path

import numpy as np

import attn_course

KINDS = "biufcU"  # of arrays that go through a frame
LARGEST = 2**26  # bytes of a frame
PROCESSES = 256  # of a submission, with its threads


def write(out, header, arrays=()):
    """One frame: its length, a line of JSON, the bytes of the arrays."""
    header = {**header, "arrays": [[each.dtype.str, each.shape] for each in arrays]}
    body = json.dumps(header).encode() + b"\n"  # a lone surrogate stays an escape
    body += b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)
    out.write(struct.pack("<I", len(body)) + body)
    out.flush()


def read(source):
    """(header, arrays) of the next frame; None at the end; ValueError for any other."""
    size = source.read(4)
    if len(size) < 4:
        return None
    (size,) = struct.unpack("<I", size)
    if size > LARGEST:
        raise ValueError(f"a result is larger than {LARGEST // 2**20} MiB")
    line, _, rest = source.read(size).partition(b"\n")
    try:
        header = json.loads(line)
        arrays, at = [], 0
        for kind, shape in header.pop("arrays"):
            arrays.append(
                _array(np.dtype(kind), [int(each) for each in shape], rest, at)
            )
            at += arrays[-1].nbytes
        return header, tuple(arrays)
    except Exception as error:  # whatever a submission has written there
        raise ValueError("its result can't be read") from error


def _array(dtype, shape, data, at):
    if dtype.kind not in KINDS or min(shape, default=0) < 0:
        raise ValueError("not an array of numbers")
    count = int(np.prod(shape, dtype=object))
    if not count:
        return np.empty(shape, dtype)
    return np.frombuffer(data, dtype, count, at).reshape(shape)


def limit(megabytes):
    """Hold this process to so much address space, its user to so many processes.

    The user is of this submission alone, or the namespace is.
    """
    sizes = {"RLIMIT_AS": megabytes * 2**20, "RLIMIT_FSIZE": 2**28, "RLIMIT_CORE": 0}
    for name, size in {**sizes, "RLIMIT_NPROC": PROCESSES}.items():
        with contextlib.suppress(ValueError):  # the system holds it to less already
            resource.setrlimit(getattr(resource, name), (size, size))


def steps(cells):
    """(cell, code) of each statement: one that never ends costs itself alone."""
    for number, cell in enumerate(cells, start=1):
        name = f"cell {number}"
        linecache.cache[name] = len(cell), None, cell.splitlines(keepends=True), name
        try:
            body = ast.parse(cell).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            yield name, error
            continue
        for node in body:
            yield name, ast.Module([node], [])


class Asked:
    """Stands in for `check`: it asks for cases, and sends what came out of them."""

    def __init__(self, source, out, plan):
        self.source, self.out, self.seconds = source, out, plan["seconds"]
        self.behind = plan["calls"]  # calls that an earlier process has made already

    def __call__(self, name, answer, framework):
        """In place of ``check``; whether it was right is not known here."""
        from attn_course.exercises.engine.checking import callable_of
        from attn_course.exercises.engine.files import EXERCISES
        from attn_course.exercises.engine.judge import caller
        from attn_course.exercises.engine.run import outcome

        if self.behind > 0:
            self.behind -= 1
            return True
        exercise = EXERCISES[name]
        answer, prediction, fault = callable_of(exercise, answer, framework)
        head = {"name": name, "framework": framework, "prediction": prediction}
        write(self.out, {**head, "wrong": fault, "ours": ours(answer)})
        while fault is None and (case := from_teacher(self.source)) is not None:
            found = outcome(caller(exercise), answer, case, framework, self.seconds)
            error = found.error or _no_numbers(found.arrays)
            arrays = () if error else found.arrays
            write(self.out, {"error": error, "fatal": found.fatal}, arrays)
        return True


def _no_numbers(arrays):
    for each in arrays:
        if each.dtype.kind not in KINDS:
            return f"the dtype is {each.dtype}, expected numbers"
    return ""


def ours(answer):
    """The name of this package's own that the answer is, is made of or calls; or ""."""
    if _from_package(answer):
        return getattr(answer, "__qualname__", "the answer")
    functions = [answer, *getattr(answer, "__dict__", {}).values()]  # of a class
    bases = [base for base in getattr(answer, "__mro__", ()) if _from_package(base)]
    for each in functions:
        code, names = getattr(each, "__code__", None), getattr(each, "__globals__", {})
        called = getattr(code, "co_names", ())
        bases += [names[name] for name in called if _from_package(names.get(name))]
    return getattr(bases[0], "__name__", "a name") if bases else ""


def _from_package(value):
    code = getattr(value, "__code__", None)
    file = getattr(code, "co_filename", None) or getattr(value, "__file__", None)
    home = f"{Path(attn_course.__file__).parent}{os.sep}"
    given = getattr(value, "__name__", None) == "softmax"  # which learners may use
    inside = str(file).startswith(home) or str(
        getattr(value, "__module__", None)
    ).startswith("attn_course.")
    return inside and not given


def from_teacher(source):
    """The next object that the teacher's process sends; it alone writes here."""
    (size,) = struct.unpack("<I", source.read(4))
    return pickle.loads(source.read(size))


def main():
    """Run the submission's statements; every call of check asks for its cases."""
    source, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)  # what is printed goes nowhere, however much it is
    plan = from_teacher(source)
    limit(plan["megabytes"])
    from attn_course.exercises.engine import checking

    space = {"__name__": "__main__"}
    with checking.recording(Asked(source, out, plan)):
        for place, (name, code) in enumerate(steps(plan["cells"])):
            if place in plan["skip"]:
                continue
            write(out, {"step": place, "cell": name})
            try:
                if isinstance(code, BaseException):
                    raise code
                exec(compile(code, name, "exec"), space)
            except BaseException as error:  # SystemExit too
                words = f"{name}: {type(error).__name__}: {str(error)[:300]}"
                write(out, {"note": words})
    write(out, {"end": True})


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # threads that a submission left behind must not keep it
