"""Tests that find mutants, weights set by hand, calls that are read, and tables that are not to be built."""

import hashlib
import itertools
import threading
import time

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from answers import OTHERS, WRONG, made, right_answers, told

from attn_course.exercises import EXERCISES, check
from attn_course.exercises.engine.exercise import known_mistakes
from attn_course.exercises.engine.marking import Cases, mark
from attn_course.exercises.engine.run import into, leaves, limited
from attn_course.exercises.engine.sources import source_of
from attn_course.frameworks import keras, tf, torch

LEAN = ("10.banded", "10.fixed", "11.recurrent", "14.tiled")
TABLES = {"numpy": np.ones, "torch": torch.ones, "tf": tf.ones}


def _answers(name):
    """(framework, answer): those that are tried in NumPy, or in both frameworks."""
    reads = EXERCISES[name].kind == "read"
    return [each for each in right_answers(name) if not reads or each[0] != "numpy"]


def _frameworks(name):
    return ("torch", "tf") if EXERCISES[name].kind == "read" else ("numpy",)


@pytest.mark.parametrize("name", OTHERS)
def test_answers_right_in_many_ways_pass(name):
    answers = _answers(name)
    assert len(answers) >= 3
    seeds = range(1 if name == "04.rescue" else 3)  # it trains a model in each of its three cases
    for (framework, answer), seed in itertools.product(answers, seeds):
        assert told(name, answer, seed, framework) is None, (framework, seed)


@pytest.mark.parametrize("name", OTHERS)
def test_mistakes_of_these_kinds_are_refused_and_told(name):
    exercise = EXERCISES[name]
    assert len(exercise.mistakes) >= (0 if exercise.kind == "test" else 5)
    for words, mistake in itertools.islice(known_mistakes(exercise), len(exercise.mistakes)):
        for framework in _frameworks(name):
            assert words.partition(":")[0] in told(name, mistake, 1, framework), words


@pytest.mark.parametrize("name", [name for name in OTHERS if EXERCISES[name].kind == "open"])
def test_answers_without_a_content_are_refused(name):
    solution = EXERCISES[name].solution

    def filled(content):
        return lambda *given: tuple(np.full(np.shape(each), content) for each in leaves(solution(*given)))

    for answer in (lambda *given: None, *map(filled, (np.nan, np.inf, 0.0, "text"))):
        assert told(name, answer, 1) is not None


@pytest.mark.parametrize("name", OTHERS)
def test_dishonest_answers_are_refused(name):
    assert len(WRONG[name]) >= 5
    for (words, code), framework in itertools.product(WRONG[name], _frameworks(name)):
        space = {"scaled_dot_product_attention": torch.nn.functional.scaled_dot_product_attention, "keras": keras}
        said = told(name, made(code, space), 1, framework)
        assert said is not None, words
        if EXERCISES[name].kind != "open":
            assert words.partition(":")[0] in said, (words, said)


def test_a_test_needs_its_number_of_wrong_functions(capsys):
    """The right test finds them all; one that is blind to large scores finds fewer, and is told how many."""
    text = source_of(EXERCISES["04.test_attention"].solution)
    assert check("04.test_attention", EXERCISES["04.test_attention"].solution)
    assert "correct; it finds 2" in capsys.readouterr().out
    blind = text.replace("(1, 0), (1, -12000), (800, 0)", "(1, 0),")
    assert blind != text
    assert not check("04.test_attention", made(blind))
    assert "of 24 wrong functions, 20 are needed" in capsys.readouterr().out


def test_a_test_that_does_not_end_is_stopped(monkeypatch):
    from attn_course.exercises.engine import run

    def test(attention):
        while True:
            pass

    monkeypatch.setattr(run, "SECONDS", 0.2)
    before = threading.active_count()
    assert "stopped after 0.2 s" in told("04.test_attention", test, 1)
    assert threading.active_count() == before, "nothing runs on, and slows what comes after"


def test_what_spins_beside_a_call_is_not_its_time():
    """As threads of BLAS do while they wait for each other."""
    ended = threading.Event()

    def spin():
        while not ended.is_set():
            hashlib.pbkdf2_hmac("sha256", b"", b"", 10**5)  # without Python's lock

    threads = [threading.Thread(target=spin) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        assert limited(lambda: time.sleep(1.5), 0.6) is None
    finally:
        ended.set()


@pytest.mark.parametrize("framework", TABLES)
@pytest.mark.parametrize("name", LEAN)
def test_a_table_of_all_pairs_is_refused(name, framework):
    solution = EXERCISES[name].solution

    def dense(query, key, *more):
        table = TABLES[framework]((len(query), len(key)))
        result = solution(*(each if isinstance(each, int) else np.asarray(each) for each in (query, key, *more)))
        if framework == "numpy":
            return result + 0 * table[:, :1]
        return into(framework, result.astype(np.float32)) + 0 * table[:, :1]

    said = told(name, dense, 1, framework)
    assert "is there a table of all pairs" in said
    assert framework != "numpy" or "MB of arrays, allowed are 3 MB: " in said


LOOPS = {
    "rows": lambda hit: np.array([np.cumsum(row) for row in hit]),
    "a vectorized function": lambda hit: np.vectorize(lambda row: np.cumsum(row), signature="(t)->(t)")(hit),
    "a function of NumPy along an axis": lambda hit: np.apply_along_axis(np.cumsum, 1, hit),
    "halves": lambda hit: (
        np.cumsum(hit, 1)
        if len(hit) < 2
        else np.concatenate([LOOPS["halves"](half) for half in np.array_split(hit, 2)])
    ),
}


@pytest.mark.parametrize("framework", TABLES)
@pytest.mark.parametrize("way", LOOPS)
def test_a_loop_is_counted(way, framework):
    def written(tokens, end):
        hit = np.asarray(tokens) == end
        return into(framework, LOOPS[way](hit) - hit == 0)

    said = told("01.written", written, 1, framework)
    assert "lines of Python, allowed are 300: is there a loop?" in said


@pytest.mark.parametrize(("rows", "words"), [(1600, "MB of arrays, allowed are 2 MB"), (1, "allowed are 3,000")])
def test_pixels_are_taken_neither_all_at_once_nor_one_by_one(rows, words):
    text = source_of(EXERCISES["05.pixels"].solution)
    assert text.count("32") == 2 and words in told("05.pixels", made(text.replace("32", str(rows))), 1)


def test_a_wrong_number_is_said_before_a_table():
    def dense(query, key, value, size):
        score = query @ key.T
        e = np.exp(score - score.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True) @ value

    assert "the scale is missing" in told("14.tiled", dense, 1)


def test_all_kinds_are_marked(sandbox):
    """By a process of its own: the answers that are right, and ones that do nothing."""
    head = "import numpy as np\nfrom attn_course.exercises import check, softmax\n"
    right, empty = [head], [head]
    for name in (*OTHERS, *LEAN):
        exercise = EXERCISES[name]
        function, framework = exercise.solution.__name__, _frameworks(name)[0]
        call = f'check("{name}", {function}, framework="{framework}")\n'
        right.append((exercise.answers.get(framework) or source_of(exercise.solution)) + call)
        empty.append(f"def {function}(*given):\n    pass\n" + call)
    names = {*OTHERS, *LEAN}
    marks = mark(right, Cases(1))
    assert marks.faults == dict.fromkeys(names), marks
    marks = mark(empty, Cases(1))
    assert set(marks.faults) == names and all(marks.faults.values())
