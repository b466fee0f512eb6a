"""Compare what an answer gave with what the solution gives, and say what differs."""

import ast
import contextlib
import re
import sys
import warnings
from functools import partial

import numpy as np

from attn_course.core import frameworks
from attn_course.exercises.engine.breaking import (
    call_test,
    cases_of_test,
    fault_of_test,
)
from attn_course.exercises.engine.exercise import (
    Exercise,
    as_floats,
    known_mistakes,
    softmax,
)
from attn_course.exercises.engine.lean import lean
from attn_course.exercises.engine.modules import call_module, call_part, gradient_names
from attn_course.exercises.engine.reading import call_read
from attn_course.exercises.engine.rounding import bounded
from attn_course.exercises.engine.run import (
    Outcome,
    Prints,
    call_function,
    call_measured,
    expected,
    outcome,
)
from attn_course.exercises.engine.sources import source_of

# By the dtype of the answer or of the case: relative, and of the largest number. That
# of float32 serves where nothing can be derived from the case, see `rounding.bounded`.
TOLERANCE = {"float64": (1e-6, 1e-9), "float32": (1e-3, 1e-4)}


def caller(exercise):
    """The function that makes one call of an answer."""
    kinds = {"module": call_module, "part": call_part, "test": call_test}
    kinds["open"] = partial(call_measured, exercise.measure)
    kinds["read"] = partial(call_read, exercise.measure)
    return lean(kinds.get(exercise.kind, call_function))


def draw_cases(exercise, seed, framework="numpy", more=None):
    """The cases of a seed; PyTorch and TensorFlow get float32, as is usual there.

    more: a function like ``exercise.cases``, whose cases come after these.
    """
    if exercise.kind == "test":
        return cases_of_test(exercise, seed)
    cases = exercise.cases(np.random.default_rng(seed))
    if more is not None:
        cases = [*cases, *more(np.random.default_rng(seed))]
    last = ast.parse(source_of(exercise.solution)).body[-1].body[-1]
    if isinstance(getattr(last, "value", None), ast.Tuple):  # return a, b
        cases = [case._replace(several=True) for case in cases]
    if framework == "numpy":
        return cases
    single = ((case, as_floats(case.arguments, np.float32)) for case in cases)
    return [case._replace(single=True, arguments=given) for case, given in single]


def run_cases(exercise, cases, answer, framework, seconds=None):
    """The outcome of every case; none after one that ends it all."""
    found = []
    prints = Prints(sys.stdout)
    for case in cases:
        prints.begin("" if exercise.kind == "test" else case.name)
        with contextlib.redirect_stdout(prints):
            found.append(outcome(caller(exercise), answer, case, framework, seconds))
        if found[-1].fatal:
            break
    return found


def first_fault(exercise: Exercise, cases, found, named=True):
    """What is wrong with the outcomes, or None: (words, the case or None).

    named: whether to look for the mistake that explains them.
    """
    if exercise.kind == "test":
        return fault_of_test(exercise, cases, found)
    # How much it holds or runs comes last: a wrong number says more.
    if cases[-1].most or cases[-1].lines:
        fault = first_fault(exercise, cases[:-1], found[: len(cases) - 1], named)
        if fault is not None:
            return fault
    call = caller(exercise)
    # The solution's own bytes and lines need no measuring, which is slow.
    free = [case._replace(most=0, lines=0) for case in cases]
    right = [Outcome(expected(call, exercise.solution, case)) for case in free]
    gradients = exercise.kind in ("module", "part")
    cases = [
        bounded(call, exercise.solution, case, one.arrays, gradients)
        for case, one in zip(cases, right, strict=True)
    ]
    wrong = [
        number
        for number, result in enumerate(found)
        if not _agree(result, right[number], cases[number])
    ]
    if not wrong:
        return None
    first = min(wrong, key=lambda n: _rank(found[n], right[n], cases[n]))
    case = cases[first]
    if found[-1].fatal:
        return found[-1].error, cases[len(found) - 1]
    start = ""
    if _is_starter(exercise, cases, found):
        start = "this is the function as it was given: "
    elif named:
        for words, mistake in known_mistakes(exercise):
            if _explains(call, mistake, cases, found, wrong, gradients):
                return words, None
    return start + _difference(found[first], right[first], case, exercise), case


def _rank(result, right, case):
    """What says most comes first: an error, a shape, a number; unequal sizes."""
    if result.error:
        kind = 0
    else:
        one, two = ([each.shape for each in x.arrays] for x in (result, right))
        kind = 1 if one != two else 2
    return kind, case.name == "equal sizes"


def _is_starter(exercise, cases, found):
    """Whether this is the wrong function that the learner was given to mend."""
    if exercise.kind != "bug":
        return False
    starter = from_text(exercise.starters["numpy"])
    return all(
        _agree(result, outcome(caller(exercise), starter, case, "numpy"), case)
        for result, case in zip(found, cases, strict=True)
    )


def from_text(text):
    """The function or class that a starter or a solution defines: its last one."""
    namespace = {"np": np, "softmax": softmax}
    if "torch." in text:
        namespace["torch"] = frameworks.torch
    if "keras." in text or "tf." in text:
        namespace |= {"tf": frameworks.tf, "keras": frameworks.keras}
    exec(text, namespace)
    name = re.findall(r"^(?:def|class) (\w+)", text, re.MULTILINE)[-1]
    return namespace[name]


def _explains(call, mistake, cases, found, wrong, gradients):
    """Whether the mistake gives the same in every case, and an array in a wrong one."""
    seen = False
    for number, (case, result) in enumerate(zip(cases, found, strict=True)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # as where the answer ran
                made = Outcome(expected(call, mistake, case))
        except Exception as error:  # exchanged arguments fit equal sizes alone
            made = Outcome(error=str(error))
        if not _agree(result, made, case._replace(bounds=())):
            if made.error or not case.single:
                return False
            # What rounding moves is the mistake's own; it isn't that of the solution.
            own = bounded(call, mistake, case, made.arrays, gradients)
            if not _agree(result, made, own):
                return False
        seen = seen or (number in wrong and bool(made.arrays))
    return seen


def _agree(result, other, case):
    if result.error or other.error:
        return bool(result.error and other.error)
    if len(result.arrays) != len(other.arrays):
        return False
    pairs = zip(result.arrays, other.arrays, strict=True)
    return all(_same(one, two, case, n) for n, (one, two) in enumerate(pairs))


def _same(found, right, case, place=0):
    if found.shape != right.shape or _dtype_fault(found, right):
        return False
    if right.dtype.kind != "f":
        return np.array_equal(found, right)
    if not (np.isfinite(found).all() or np.isfinite(right).all()):
        return True  # both overflow, perhaps at other places
    return not _far(found, right, case, place).any()


def _far(found, right, case, place=0):
    """Where two numbers differ; of float32, by more than its rounding moves there."""
    if case.single and case.bounds:
        with np.errstate(all="ignore"):
            return ~(np.abs(found - right.astype(np.float64)) <= case.bounds[place])
    single = found.dtype == np.float32 or case.single
    relative, absolute = TOLERANCE["float32" if single else "float64"]
    found, right = found.astype(np.float64), right.astype(np.float64)
    largest = max(1.0, float(np.abs(right[np.isfinite(right)]).max(initial=0.0)))
    tolerance = {"rtol": relative, "atol": absolute * largest}
    with np.errstate(all="ignore"):
        return ~np.isclose(found, right, **tolerance, equal_nan=True)


def _dtype_fault(found, right):
    kinds, words = {
        "f": ("fiu", "float32 or float64"),
        "i": ("iu", "int64"),
        "b": ("b", "bool"),
    }[right.dtype.kind.replace("u", "i")]
    fine = found.dtype.kind in kinds and found.dtype not in (np.float16, np.longdouble)
    # A count may be computed with floats: "return a number" asks for no more.
    whole = found.dtype.kind == "f" and found.ndim == 0 and float(found).is_integer()
    if fine or (whole and right.dtype.kind in "iu"):
        return ""
    return f"the dtype is {found.dtype}, expected {words}"


def _difference(result, right, case, exercise):
    """What differs first, in one sentence."""
    if result.error:
        return result.error
    last = len(right.arrays) - (exercise.kind in ("module", "part"))  # the gradients
    if len(result.arrays) != len(right.arrays):
        wanted = "one array" if last == 1 else f"{last} arrays"
        count = len(result.arrays) + last - len(right.arrays)
        return f"it returns {count} thing{'s' * (count != 1)}, expected {wanted}"
    if unused := _unused(result, right, case, exercise, last):
        return unused
    for number, (found, wanted) in enumerate(
        zip(result.arrays, right.arrays, strict=True)
    ):
        if _same(found, wanted, case, number):
            continue
        where = "the gradients: " if number == last else ""
        if not where and last > 1:
            where = f"result {number + 1} of {last}: "
        if fault := _dtype_fault(found, wanted):
            return where + fault
        if found.shape != wanted.shape:
            words = f"{where}the shape is {found.shape}, expected {wanted.shape}"
            lost = 1 in wanted.shape and found.shape == wanted.squeeze().shape
            return words + (": an axis of size 1 is lost" if lost else "")
        if number == last:  # and what it returns is right
            place = np.flatnonzero(_far(found, wanted, case, number))[0]
            name = gradient_names(exercise, case)[place]
            words = "is a part of the way detached, rounded, or walked twice?"
            return f"{where}{name} gets another one, the output is right: {words}"
        return where + _number(found, wanted, case, number)
    raise AssertionError("nothing differs")


def _unused(result, right, case, exercise, last):
    """The first parameter or input that gets no gradient and should, in words."""
    first = result.arrays[0]
    if last == len(right.arrays) or first.dtype.kind != "f":
        return ""
    if not np.isfinite(first).all():
        return ""
    found, wanted = result.arrays[last], right.arrays[last]
    none = np.isnan(found) & ~np.isnan(wanted) if found.shape == wanted.shape else []
    if not np.any(none):
        return ""
    name = gradient_names(exercise, case)[np.flatnonzero(none)[0]]
    return f"the gradients: {name} gets none: is it used, and is nothing detached?"


def _number(found, wanted, case, place=0):
    if wanted.dtype.kind == "f":
        different = _far(found, wanted, case, place)
        if np.isnan(found).any() and not np.isnan(wanted).any():
            different = np.isnan(found)
    else:
        different = found != wanted
    at = tuple(map(int, np.argwhere(different)[0]))
    got, right = found[at].item(), wanted[at].item()
    place = f"at {at} it gives" if at else "it gives"
    words = f"{place} {_digits(got, right)}, expected {_digits(right, got)}"
    if wanted.dtype.kind == "f" and not case.single and np.isfinite(found).all():
        loose = case._replace(single=True, bounds=())
        if found.dtype == np.float64 and not _far(found, wanted, loose).any():
            words += (
                ": close, but not to float64; is something rounded on the way, or a "
            )
            words += "small number added, or another one than was asked for?"
    return words


def _digits(number, other):
    """Four digits, or as many as the two need to look different."""
    if not isinstance(number, float) or not isinstance(other, float):
        return str(number)
    for digits in range(4, 18):
        if f"{number:.{digits}g}" != f"{other:.{digits}g}":
            return f"{number:.{digits}g}"
    return repr(number)
