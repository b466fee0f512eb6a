"""What an exercise is: its cases, its solution, and the mistakes that people make."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from attn_course.exercises.engine.sources import compiled, merged, source_of

PRIMES = (2, 3, 5, 7, 11, 13)
WORDS = {
    "large": "scores of several hundred",
    "low": "scores below -10,000",
    "lowest": "scores below -1,000,000,000",
    "behind": "the largest score is blocked",
    "empty": "an empty row",
    "full": "everything allowed",
    "gaps": "positions with gaps",
    "heads": "another number of heads",
}


class Case(NamedTuple):
    """One call: its name, its arguments, and how its result is compared.

    single: whether the result is compared as float32, whatever its dtype says.
    """

    name: str
    arguments: tuple
    single: bool = False
    most: int = 0  # bytes that a call may hold at a time; not measured where it is 0
    lines: int = 0  # of Python that a call may run; not counted where it is 0
    bounds: tuple = ()  # what rounding moves each result by, see `rounding.bounded`
    several: bool = False  # results: a list of them is as good as a tuple


@dataclass(frozen=True)
class Exercise:
    """A task, the calls that an answer is compared on, and what to say of a wrong one.

    cases: takes a NumPy generator; gives a list of `Case`. Arrays are NumPy arrays,
        numbers are Python numbers. Those of a module are (sizes, inputs, parameters).
        None where the answer is a test.
    solution: takes and returns NumPy arrays; the page shows its source.
    mistakes: what is wrong, in words -> a function that does it, or the source of the
        solution with that mistake in it.
    hints: three of them: the concept, the line, nearly the code.
    starters: framework -> the text of the cell that the learner starts from.
    kind: "write", "bug" (the starter is wrong), "predict", "module" or "part" (of a
        project: its gradients are checked); "test" (the answer is a test, see
        `breaking`), "open" (right in many ways) or "read" (see `reading`).
    ask: of "predict" alone: the arguments that the prediction is about.
    answers: of "module" alone: framework -> the text of a solution.
    measure: of "open", as weights that are set by hand: turns what the answer returns,
        and the arguments, into what is compared, or raises `run.Refused` with what is
        wrong. Of "read": the library's call, of the framework and the arguments.
    of, needed: of "test" alone: the exercise whose mistakes it has to find, how many.
    """

    name: str
    level: int
    minutes: int
    solution: Callable
    mistakes: Mapping
    hints: tuple
    starters: dict
    cases: Callable | None = None
    kind: str = "write"
    title: str = ""
    statement: str = ""
    before: str = ""
    ask: tuple = ()
    answers: dict = field(default_factory=dict)
    measure: Callable | None = None
    of: str = ""
    needed: int = 0


def softmax(score, axis=-1):
    """Softmax over an axis, without a mask; given to the learner in the exercises."""
    exponential = np.exp(score - score.max(axis=axis, keepdims=True))
    return exponential / exponential.sum(axis=axis, keepdims=True)


def unsafe_softmax(score, axis=-1):
    """Softmax without a maximum, which overflows: the most frequent of all mistakes."""
    exponential = np.exp(score)
    return exponential / exponential.sum(axis=axis, keepdims=True)


def afterwards(score, mask):
    """Softmax, the mask, and the rows brought to 1 again: wrong, as is seen too late.

    Nothing is left of a row whose largest score is blocked.
    """
    kept = softmax(score) * mask
    total = kept.sum(axis=-1, keepdims=True)
    return kept / np.where(total == 0, 1, total)


def fixed_cases(rng, draw, count, *, long=(0,), equal=5, **changes):
    """The fixed list of cases, as far as it applies to the exercise.

    draw: takes ``count`` sizes and gives the arguments of a call.
    long: the sizes that are 100 in the case of that name.
    equal: all sizes in the first case, in which mixed-up axes still run; None for none.
    changes: one of `WORDS` -> a function from arguments to arguments, or to a list of
        them, or {place: what is done to the argument there}. "heads" is drawn once more
        instead, with other primes.
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
        given = draw(*sizes)
        made = change(*given) if callable(change) else altered(given, change)
        cases.append(Case(WORDS[word], tuple(made)))
    return cases


def sized(draw, *all_sizes):
    """A case of each of some sizes, which is called after them."""

    def word(sizes):
        if 1 in sizes:
            return "an axis of size 1"
        same = len(set(sizes)) == 1
        return "equal sizes" if same else "sizes of different primes"

    return [Case(word(sizes), draw(*sizes)) for sizes in all_sizes]


def normals(rng, *sizes):
    """An array for each of some sizes."""
    return tuple(rng.normal(size=size) for size in sizes)


def altered(arguments, changes):
    """The arguments, some of them changed; changes: place -> what is done to it."""
    given = enumerate(arguments)
    return tuple(changes[n](each) if n in changes else each for n, each in given)


def of_layer(arguments, changes):
    """A module's arguments, some inputs, by place, and parameters, by name, changed."""
    sizes, inputs, weights = arguments
    named = {name: changes[name](weights[name]) for name in weights if name in changes}
    return sizes, altered(inputs, changes), {**weights, **named}


def cleared(*place):
    """Sets a place of an array to 0, of a mask to False."""

    def change(array):
        array[place] = 0
        return array

    return change


def scaled(*factors):
    """Changes that multiply the first arguments."""
    return {n: partial(np.multiply, factor) for n, factor in enumerate(factors)}


def strong(query, key, *rest):
    """Query and key with scores beyond 800 of either sign, by turns of the rows."""
    query, key = query.copy(), key.copy()
    key[..., 0] = 1 + np.abs(key[..., 0])
    signs = -((-1.0) ** np.arange(query.shape[-2]))
    query[..., 0] = 800 * np.sqrt(query.shape[-1]) * signs
    return query, key, *rest


def behind(query, key, *rest, place=-1, by=20000.0):
    """Query and key where ``place``, to be blocked, beats every score by ``by``.

    A softmax before the mask leaves nothing of the others, in float64 too; and a fill
    of -10,000, set or added, loses against it.
    """
    query, key = query.copy(), key.copy()
    query[..., 0], key[..., 0] = np.sqrt(query.shape[-1]), 0.0
    key[..., place, 0] = by
    return query, key, *rest


def additive_behind(memory, mask, weights):
    """Memory and parameters whose additive score is largest at the end, blocked."""
    mask[:, 0], mask[:, -1] = True, False
    memory = -np.abs(memory)
    memory[:, -1] = 50
    score = np.full_like(weights["score_weight"], 3000)
    positive = np.abs(weights["memory_weight"])
    return memory, {**weights, "memory_weight": positive, "score_weight": score}


def pooled_behind(sizes, inputs, weights):
    """A pooling layer's arguments; its last score, which is blocked, is 20,000."""
    memory, mask = inputs
    mask[:, 0], mask[:, -1] = True, False
    along = weights["query"] / (weights["query"] ** 2).sum()
    memory[:, -1] = 20000 * np.sqrt(sizes[0]) * along
    return sizes, (memory, mask), weights


def weak(query, key, *rest):
    """Query and key whose scores are all near -12,000, below the usual fill values."""
    query, key = query.copy(), key.copy()
    query[..., 0], key[..., 0] = -12000 * np.sqrt(query.shape[-1]), 1
    return query, key, *rest


def lengths_mask(rng, B, S):
    """(B, S): True where a token stands; at least one in each row."""
    return np.arange(S) < rng.integers(1, S + 1, (B, 1))


def layer_weights(rng, **shapes):
    """name -> a matrix in float32, drawn with the root of its first axis as divisor."""
    return {
        name: (rng.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32)
        for name, shape in shapes.items()
    }


def steep(weights, x, memory, allowed=True):
    """The weights; the query's make the largest of the allowed scores 900."""
    query, width = weights["query_weight"], np.float32(x.shape[2])
    score = x @ query @ (memory @ weights["key_weight"]).swapaxes(1, 2)
    most = np.where(allowed, score, -np.inf).max() / np.sqrt(width)
    return {**weights, "query_weight": 900 * query / most}


def as_floats(arguments, dtype):
    """The arguments with every floating array in that dtype; parts keep their form."""
    if isinstance(arguments, dict):
        return {key: as_floats(each, dtype) for key, each in arguments.items()}
    if isinstance(arguments, tuple):
        return tuple(as_floats(each, dtype) for each in arguments)
    if isinstance(arguments, np.ndarray) and arguments.dtype.kind == "f":
        return arguments.astype(dtype)
    return arguments


def known_mistakes(exercise):
    """Words and function of each mistake, then of each pair that can be combined."""
    solution, texts = exercise.solution, {}
    for words, mistake in exercise.mistakes.items():
        if callable(mistake):
            yield words, mistake
        else:
            texts[words] = mistake
            yield words, compiled(solution, mistake)
    for one, other in combinations(texts, 2):
        text = merged(source_of(solution), texts[one], texts[other])
        both = None if text is None else compiled(solution, text)
        if both is not None:
            yield f"two mistakes\n- {one}\n- {other}", both
