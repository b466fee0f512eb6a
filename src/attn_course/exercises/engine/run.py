"""Run an answer on one case: whatever it does comes back as an `Outcome`."""

import ctypes
import io
import linecache
import sys
import threading
import time
import warnings
from functools import cache
from typing import NamedTuple

import numpy as np

from attn_course.exercises.engine.exercise import as_floats

SECONDS = 10.0  # of a processor, for one call
PATIENCE = 6  # times as many by the clock: the machine may have more to do
FRAMEWORKS = ("numpy", "torch", "tf")


class Outcome(NamedTuple):
    """What one call gave: arrays, or what went wrong in words."""

    arrays: tuple = ()
    error: str = ""
    fatal: bool = False  # no other case needs to be tried


class Refused(Exception):
    """Something that the learner should be told, in words."""


def one_of(names):
    """A ``measure`` for an answer that is one of these names: its number among them."""

    def measure(results, *arguments):
        (name,) = results
        if name.ndim or str(name) not in names:
            told = f"{str(name)[:40]!r} is none of the names: {', '.join(names)}"
            raise Refused(told)
        return np.array(names.index(str(name)))

    return measure


def reviewed(functions, right, wrong):
    """A ``measure`` for a review of functions: one is named, on an input that shows it.

    The answer is the name of the right one, and arguments of them all, on which each
    other one gives something else. wrong: name -> what is wrong with it, in words.
    """
    functions = {each.__name__: each for each in functions}

    def measure(results, *arguments):
        name, *given = results
        one_of([*functions])((name,))
        if str(name) in wrong:
            raise Refused(f"{name} is wrong: {wrong[str(name)]}")
        count = functions[right].__code__.co_argcount
        if len(given) != count:
            words = f"return a name and {count} arrays; these are {len(given)}"
            raise Refused(words)
        found = {}
        for own, function in functions.items():
            try:
                found[own] = function(*given)
            except Exception as error:
                words = f"on this input {own} raises {type(error).__name__}"
                raise Refused(f"{words}: all have to run") from None
            if not np.isfinite(found[own]).all():
                raise Refused(f"on this input {own} gives a number that is not finite")
        for own in wrong:
            same = np.shape(found[own]) == np.shape(found[right])
            if same and np.allclose(found[own], found[right]):
                raise Refused(f"on this input {own} gives what {right} gives")
        return np.array(True)

    return measure


class Prints(io.TextIOBase):
    """What an answer prints goes on to ``out``: by case, and not more than ``left``."""

    def __init__(self, out, left=2000):
        self.out, self.left, self.label = out, left, ""

    def begin(self, case):
        """What comes next is of this case."""
        name = f'case "{case}"' if case else "a case"
        self.label = f"({name} prints:)\n"

    def writable(self):
        return True

    def write(self, text):
        if self.left > 0:
            cut = "\n(and more, which is not shown)\n" if len(text) > self.left else ""
            self.out.write(self.label + text[: self.left] + cut)
            self.left, self.label = self.left - len(text), ""
        return len(text)

    def flush(self):
        self.out.flush()


class _Stop(BaseException):
    """Raised in a thread that runs for too long; `except Exception` lets it pass."""


class _Call(threading.Thread):
    """A call in a thread of its own; ``inner``: the one for which it waits, if any."""

    inner, clock, begun = None, None, 0.0

    def run(self):
        if hasattr(time, "pthread_getcpuclockid"):  # on Linux
            self.clock = time.pthread_getcpuclockid(self.ident)
        super().run()

    def used(self):
        """Seconds of a processor, of the innermost call that runs.

        Threads beside it count only where a thread has no clock: BLAS lets them spin.
        """
        if self.inner is not None and self.inner.is_alive():
            return self.inner.used()
        if self.clock is None:
            return time.process_time() - self.begun
        try:
            return time.clock_gettime(self.clock)
        except OSError:  # it has just ended
            return 0.0

    def stop(self):
        """End the innermost call that runs; those around it end with its error."""
        if self.inner is not None and self.inner.is_alive():
            return self.inner.stop()
        number = ctypes.c_ulong(self.ident)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(number, ctypes.py_object(_Stop))


def limited(call, seconds):
    """``call()`` in a thread of its own: its value, its exception, or TimeoutError.

    A signal would reach the main thread alone and doesn't exist on Windows; a thread
    can be left behind anywhere, in a notebook too. It is told to stop, which ends any
    loop in Python. A single long call into compiled code ends when it ends.
    """
    box = {}

    def work():
        try:
            with np.errstate(all="ignore"):
                box["value"] = call()
        except BaseException as error:  # SystemExit too: nothing may leave the checker
            box["error"] = error

    thread = _Call(target=work, daemon=True)
    thread.begun, begun = time.process_time(), time.monotonic()
    around = threading.current_thread()
    if isinstance(around, _Call):
        around.inner = thread
    thread.start()
    try:
        while (
            thread.is_alive()
            and thread.used() < seconds
            and time.monotonic() - begun < PATIENCE * seconds
        ):
            thread.join(min(0.1, seconds))
    finally:
        for _ in range(20):
            if not thread.is_alive():
                break
            thread.stop()
            box["stopped"] = True
            thread.join(0.05)
    if "stopped" in box:
        raise TimeoutError(f"it was stopped after {seconds:g} s: does a loop not end?")
    if "error" in box:
        raise box["error"]
    return box["value"]


def into(framework, value):
    """NumPy arrays in ``value`` as those of the framework; numbers stay numbers."""
    if isinstance(value, tuple):
        return tuple(into(framework, each) for each in value)
    if isinstance(value, dict):
        return {key: into(framework, each) for key, each in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    value = value.copy()
    if framework == "torch":
        from attn_course.core.frameworks import torch

        return torch.from_numpy(value)
    if framework == "tf":
        from attn_course.core.frameworks import tf

        return tf.constant(value)
    return value


def leaves(value):
    """The arrays and numbers in lists, tuples and dictionaries, in their order."""
    if isinstance(value, list | tuple | dict):
        parts = value.values() if isinstance(value, dict) else value
        return [leaf for part in parts for leaf in leaves(part)]
    return [value]


def to_numpy(value):
    """An array of any of the frameworks as one of NumPy; none of them is imported."""
    library = type(value).__module__.partition(".")[0]
    if library == "torch" and hasattr(value, "detach"):
        value = value.detach().cpu()
        kept = ("float64", "float32", "float16", "bool")
        if value.is_floating_point() and str(value.dtype)[6:] not in kept:
            raise Refused(f"the dtype is {value.dtype}, expected float32 or float64")
        return value.numpy()
    if library in ("tensorflow", "keras") and hasattr(value, "numpy"):
        value = value.numpy()
    return np.asarray(value)


def _arrays(result, several):
    if result is None or result is ...:
        raise Refused("not done yet: it returns nothing")
    if several and isinstance(result, list):
        result = tuple(result)
    parts = result if isinstance(result, tuple) else (result,)
    return tuple(to_numpy(part) for part in parts)


def call_function(answer, case, framework):
    """The arrays that a function gives for a case; Refused where it changes one."""
    given = into(framework, case.arguments)
    result = answer(*given)
    arrays = tuple(array.copy() for array in _arrays(result, case.several))
    check_unchanged(case.arguments, given)
    return arrays


def check_unchanged(arguments, given):
    """Refused where what was given is no longer as the arguments are."""
    for number, (before, after) in enumerate(zip(arguments, given, strict=True), 1):
        for old, new in zip(leaves(before), leaves(after), strict=True):
            same = not isinstance(old, np.ndarray) or np.array_equal(old, to_numpy(new))
            if not same:
                message = f"it changes its argument {number} in place: work on a copy"
                raise Refused(message)


@cache
def _warm_torch():
    """Let PyTorch import what its first gradient imports, before the clock runs."""
    torch = sys.modules["torch"]
    x = torch.ones(1, requires_grad=True)
    torch.autograd.grad(2 * x, x, torch.ones(1))


def call_measured(measure, answer, case, framework):
    """What the answer's result does, in place of the result: ``measure`` says it."""
    result = answer(*into(framework, case.arguments))
    found = measure(_arrays(result, case.several), *case.arguments)
    return found if isinstance(found, tuple) else (found,)


def outcome(call, answer, case, framework, seconds=None):
    """What ``call(answer, case, framework)`` gives; it never raises."""
    limit = SECONDS if seconds is None else seconds
    into(framework, np.zeros(1))  # imports the framework
    if hasattr(sys.modules.get("torch"), "autograd"):
        _warm_torch()
    try:
        with warnings.catch_warnings():
            # Whether an answer is right must not depend on the filter of the day.
            warnings.simplefilter("ignore")
            return Outcome(limited(lambda: call(answer, case, framework), limit))
    except (TimeoutError, Refused) as error:
        return Outcome(error=str(error), fatal=True)
    except KeyboardInterrupt:
        raise
    except SystemExit:
        return Outcome(error="it leaves Python (SystemExit): return the answer instead")
    except BaseException as error:
        words = f"it raised {type(error).__name__}: {_words(error)}"
        return Outcome(error=words + _line(error, answer))


def _line(error, answer):
    """Where in the learner's own code it was raised: the last line of theirs."""
    methods = getattr(answer, "__dict__", {}).values()  # of a class
    codes = [getattr(each, "__code__", None) for each in (answer, *methods)]
    files = {code.co_filename for code in codes if code is not None} - {"<string>"}
    place, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in files:
            place = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
    if place is None:
        return ""
    text = linecache.getline(*place).strip()
    return f", in line {place[1]}" + (f": {text}" if text else "")


def _words(error):
    try:
        text = str(error)
    except Exception:
        return "(its message can't be read)"
    lines = text.strip().splitlines()
    return lines[0][:300] if lines else "(no message)"


def expected(call, solution, case):
    """What the solution gives, in float64 whatever the case's dtype."""
    with np.errstate(all="ignore"):
        wide = case._replace(arguments=as_floats(case.arguments, np.float64))
        return call(solution, wide, "numpy")


class Table:
    """A decoder's step that looks its logits up: state, whole numbers, counts steps."""

    def __init__(self, logits):
        self.logits = logits  # (steps, tokens, tokens)

    def __call__(self, token, state):
        tokens, steps = to_numpy(token), to_numpy(state)
        if tokens.shape != steps.shape:
            raise ValueError(f"token has the shape {tokens.shape}, not {steps.shape}")
        library = type(token).__module__.partition(".")[0]
        framework = {"torch": "torch", "tensorflow": "tf"}.get(library, "numpy")
        return into(framework, self.logits[steps, tokens]), state + 1
