"""What an exercise is: its cases, its solution, and the mistakes that people make."""

import inspect
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

PRIMES = (2, 3, 5, 7, 11, 13)
WORDS = {
    "large": "scores of several hundred",
    "low": "scores below -10,000",
    "empty": "an empty row",
    "full": "everything allowed",
    "gaps": "positions with gaps",
    "heads": "another number of heads",
}


class Case(NamedTuple):
    """One call: its name, its arguments, and how closely its result is compared.

    slack: how many times looser float32 is compared than usual.
    single: whether the result is compared as float32, whatever its dtype says.
    """

    name: str
    arguments: tuple
    slack: float = 1.0
    single: bool = False


@dataclass(frozen=True)
class Exercise:
    """A task, the calls that an answer is compared on, and what to say of a wrong one.

    cases: takes a NumPy generator; gives a list of `Case`. Arrays are NumPy arrays,
        numbers are Python numbers. Those of a module are (sizes, inputs, parameters).
    solution: takes and returns NumPy arrays; the page shows its source.
    mistakes: what is wrong, in words -> a function that does it, or the edits of the
        solution's source that make it: (old, new), or several of these.
    hints: three of them: the concept, the line, nearly the code.
    starters: framework -> the text of the cell that the learner starts from.
    kind: "write", "bug" (the starter is wrong), "predict" or "module".
    ask: of "predict" alone: the arguments that the prediction is about.
    answers: of "module" alone: framework -> the text of a solution.
    """

    name: str
    level: int
    minutes: int
    cases: Callable
    solution: Callable
    mistakes: dict
    hints: tuple
    starters: dict
    kind: str = "write"
    statement: str = ""
    before: str = ""
    ask: tuple = ()
    answers: dict = field(default_factory=dict)


def softmax(score, axis=-1):
    """Softmax over an axis, without a mask; given to the learner in the exercises."""
    exponential = np.exp(score - score.max(axis=axis, keepdims=True))
    return exponential / exponential.sum(axis=axis, keepdims=True)


def unsafe_softmax(score, axis=-1):
    """Softmax without a maximum, which overflows: the most frequent of all mistakes."""
    exponential = np.exp(score)
    return exponential / exponential.sum(axis=axis, keepdims=True)


OVERFLOW = {
    "exp of a large score overflows: subtract each row's largest one first": (
        "softmax(",
        "unsafe_softmax(",
    )
}


def fixed_cases(rng, draw, count, *, long=(0,), equal=5, **changes):
    """The fixed list of cases, as far as it applies to the exercise.

    draw: takes ``count`` sizes and gives the arguments of a call.
    long: the sizes that are 100 in the case of that name.
    equal: all sizes in the first case, in which mixed-up axes still run; None for none.
    changes: one of `WORDS` -> a function from arguments to arguments, or to a list of
        them. "heads" is drawn once more instead, with other primes.
    """
    primes = [int(size) for size in rng.permutation(PRIMES)[:count]]
    cases = [] if equal is None else [Case("equal sizes", draw(*[equal] * count))]
    cases.append(Case("sizes of different primes", draw(*primes)))
    for axis in range(count):
        ones = [1 if axis == other else size for other, size in enumerate(primes)]
        cases.append(Case("an axis of size 1", draw(*ones)))
    single = as_floats(draw(*primes), np.float32)
    cases.append(Case("float32", single, single=True))
    if long:
        sizes = [100 if axis in long else size for axis, size in enumerate(primes)]
        cases.append(Case("length 100", draw(*sizes)))
    for word, change in changes.items():
        sizes = [int(size) for size in rng.permutation(PRIMES)[:count]]
        slack = 30.0 if word == "low" else 1.0
        cases.append(Case(WORDS[word], tuple(change(*draw(*sizes))), slack))
    return cases


def strong(query, key):
    """Query and key with scores beyond 800 of either sign, by turns of the rows."""
    query, key = query.copy(), key.copy()
    key[..., 0] = 1 + np.abs(key[..., 0])
    signs = -((-1.0) ** np.arange(query.shape[-2]))
    query[..., 0] = 800 * np.sqrt(query.shape[-1]) * signs
    return query, key


def weak(query, key):
    """Query and key whose scores are all near -12,000, below the usual fill values."""
    query, key = query.copy(), key.copy()
    query[..., 0], key[..., 0] = -12000 * np.sqrt(query.shape[-1]), 1
    return query, key


def as_floats(arguments, dtype):
    """The arguments with every floating array in that dtype; parts keep their form."""
    if isinstance(arguments, dict):
        return {key: as_floats(each, dtype) for key, each in arguments.items()}
    if isinstance(arguments, tuple):
        return tuple(as_floats(each, dtype) for each in arguments)
    if isinstance(arguments, np.ndarray) and arguments.dtype.kind == "f":
        return arguments.astype(dtype)
    return arguments


@lru_cache
def source_of(function):
    """The function's source, as a page shows it."""
    return textwrap.dedent(inspect.getsource(function))


@lru_cache(maxsize=2048)
def edited(function, *edits):
    """The function with pieces of its source replaced; None where that can't be."""
    source = source_of(function)
    for old, new in edits:
        if old not in source:
            return None
        source = source.replace(old, new)
    namespace = {**function.__globals__, "unsafe_softmax": unsafe_softmax}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(source, f"<edited {function.__name__}>", "exec")
    except SyntaxError:  # two edits of one place
        return None
    exec(code, namespace)
    return namespace[function.__name__]


def _edits(mistake):
    return (mistake,) if isinstance(mistake[0], str) else mistake


def known_mistakes(exercise):
    """Words and function of each mistake, then of each pair that can be combined."""
    edits = {}
    for words, mistake in exercise.mistakes.items():
        if callable(mistake):
            yield words, mistake
        else:
            edits[words] = _edits(mistake)
            yield words, edited(exercise.solution, *edits[words])
    for one, other in combinations(edits, 2):
        both = edited(exercise.solution, *edits[one], *edits[other])
        if both is not None:
            yield f"there are two mistakes: {one}; and {other}", both
