"""What a learner is told and handed: their own line, the failing case, which parameter; float32; progress of two."""

import itertools
import linecache
import math
import re
import subprocess
import sys

import numpy as np
import pytest

from attn_course.core.frameworks import keras, tf, torch
from attn_course.exercises import EXERCISES, case, check, progress, shown, softmax
from attn_course.exercises.engine.exercise import Case, known_mistakes
from attn_course.exercises.engine.judge import caller, draw_cases, first_fault, run_cases
from attn_course.exercises.engine.progress import load, solved
from attn_course.exercises.engine.rounding import EPS, bounded
from attn_course.exercises.engine.run import Outcome, expected
from attn_course.exercises.engine.sources import compiled, source_of

ATTENTION = """
def attention(query, key, value, mask):
    score = query @ key.T / np.sqrt(key.shape[1])
    weights = softmax(np.where(mask, score, -1e30))
    return weights @ value
"""


def _edited(name, *edits):
    text = source_of(EXERCISES[name].solution)
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return compiled(EXERCISES[name].solution, text)


def cell(code, name, **space):
    """As a notebook defines it: its lines can be looked up."""
    file = f"<cell {len(linecache.cache)}>"
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    space = {"np": np, "softmax": softmax, **space}
    exec(compile(code, file, "exec"), space)
    return space[name]


def told(capsys, name, answer, **options):
    assert not check(name, answer, **options)
    return capsys.readouterr().out


def test_an_error_names_the_learners_line_and_comes_before_numbers(capsys):
    answer = cell(ATTENTION.replace("key.T", "key"), "attention")
    words = told(capsys, "04.attention", answer)
    assert ", in line 3: score = query @ key / np.sqrt(key.shape[1]) (case " in words
    assert "it raised ValueError: " in words and '(case "equal sizes"' not in words
    layer = (
        "class Layer(torch.nn.Module):\n    def __init__(self, *sizes):\n        super().__init__()\n        1 / 0\n"
    )
    words = told(capsys, "04.layer", cell(layer, "Layer", torch=torch), framework="torch")
    assert "ZeroDivisionError: division by zero, in line 4: 1 / 0" in words


def test_a_shape_comes_before_a_number_and_equal_sizes_last(capsys):
    answer = cell(ATTENTION.replace("weights @ value", "(weights @ value).T"), "attention")
    assert "the shape is (" in told(capsys, "04.attention", answer)
    answer = cell(ATTENTION.replace("-1e30", "0.5"), "attention")
    assert '(case "sizes of different primes", inputs ' in told(capsys, "04.attention", answer, seed=5)


@pytest.mark.parametrize("framework", ["numpy", "torch", "tf"])
def test_the_failing_case_is_handed_over(capsys, monkeypatch, framework):
    monkeypatch.setattr("attn_course.exercises.engine.checking._failed", {})  # those of other tests
    with pytest.raises(ValueError, match=r"no check of '10\.window' has failed"):
        case("10.window")
    wrong = cell(ATTENTION.replace("-1e30", "0.5"), "attention")

    def answer(*given):
        return wrong(*map(np.asarray, given))

    words = told(capsys, "04.attention", answer, framework=framework, seed=5)
    failing = case("04.attention")
    assert f'(case "{failing.name}"' in words and failing.seed == 5
    query = failing.arguments[0]
    assert {"numpy": isinstance(query, np.ndarray), "torch": torch.is_tensor(query), "tf": tf.is_tensor(query)}[
        framework
    ]
    assert f"inputs {tuple(query.shape)}, " in words
    assert not np.allclose(answer(*failing.arguments), failing.expected)
    assert np.allclose(EXERCISES["04.attention"].solution(*map(np.asarray, failing.arguments)), failing.expected)
    assert case("04.attention", 6).seed == 6
    assert check("04.attention", EXERCISES["04.attention"].solution)
    with pytest.raises(ValueError, match="no check of"):
        case("04.attention")


def test_of_a_call_that_is_read_the_case_holds_what_it_returns(capsys):
    def own(query, key, value):
        return value[:, : query.shape[1]]

    for framework in ("torch", "tf"):
        told(capsys, "04.causal_call", own, framework=framework)
        failing = case("04.causal_call")
        assert all(isinstance(each, np.ndarray) for each in (*failing.arguments, failing.expected))
        right = EXERCISES["04.causal_call"].answers[framework]
        assert np.allclose(cell(right, "returned")(*failing.arguments), failing.expected, atol=1e-4)


def test_of_a_test_the_case_is_a_function(capsys):
    """The first that it takes for what it isn't: a wrong one that passes, a right one that is refused."""

    def blind(attention):
        q = np.ones((2, 3))
        assert attention(q, q, q, np.ones((2, 2), bool)).shape == (2, 3)

    told(capsys, "04.test_attention", blind, seed=1)
    failing = case("04.test_attention")
    (function,) = failing.arguments
    blind(function)
    assert failing.expected and failing.name in EXERCISES["04.attention"].mistakes

    def strict(attention):
        raise AssertionError

    told(capsys, "04.test_attention", strict, seed=1)
    failing = case("04.test_attention")
    assert not failing.expected and failing.name.startswith("a right function")


def test_prints_are_labeled_and_not_without_end(capsys):
    right = EXERCISES["00.weights"].solution

    def loud(score):
        print("looking at", score.shape)
        print("x" * 100)
        return right(score)

    assert check("00.weights", loud, seed=1)
    said = capsys.readouterr().out
    assert said.startswith('(case "equal sizes" prints:)\nlooking at (5, 5)\n' + "x" * 100 + "\n")
    assert said.count("looking at") == said.count(" prints:)\n") >= 6

    def flood(score):
        print("y" * 10**6)
        return right(score)

    assert check("00.weights", flood)
    said = capsys.readouterr().out
    assert len(said) < 2300 and said.count("(and more, which is not shown)") == 1 and said.endswith(": correct\n")


def test_whole_ratios_need_no_round_more():
    """And none of the cases stands where the usual spellings differ by a rounding."""
    solution = EXERCISES["12.rounds"].solution
    assert [solution(*given) for given in ((0.2, 0.36), (0.7, 0.91), (0.5, 0.75), (0.6, 0.99))] == [2, 2, 2, 6]
    spellings = (
        lambda p, w: int(np.ceil(np.log(1 - w) / np.log(1 - p))),
        lambda p, w: math.ceil(math.log(1 - w, 1 - p)),
        lambda p, w: math.ceil(math.log2(1 - w) / math.log2(1 - p)),
        lambda p, w: next(r for r in range(1, 10**6) if (1 - p) ** r <= 1 - w),
    )
    for answer, seed in itertools.product(spellings, range(50)):
        assert check("12.rounds", (6, answer), seed=seed)


def test_what_a_page_shows_marks_nothing(capsys, tmp_path):
    shown("00.weights", EXERCISES["00.weights"].solution)
    assert capsys.readouterr().out == "00.weights: correct\n" and load() == set()
    shown("00.weights", lambda score: score)
    first = capsys.readouterr().out
    shown("00.weights", lambda score: score)
    assert first.startswith("00.weights: not yet, two mistakes (seed=0)\n- ") and capsys.readouterr().out == first
    with pytest.raises(ValueError, match="no exercise"):
        shown("00.none", None)
    assert check("00.weights", EXERCISES["00.weights"].solution) and load() == {"00.weights"}


def test_a_count_may_be_a_float(capsys):
    def as_float(answer):
        return lambda *given: float(answer(*given))

    for name in ("05.weight_bytes", "09.decoder_parameters", "13.cache_size"):
        solution = EXERCISES[name].solution
        assert check(name, (1.0, as_float(solution)))
        assert not check(name, (1.0, lambda *given, f=solution: f(*given) + 0.5))
        capsys.readouterr()
    padding = EXERCISES["01.decoder_input"].solution
    assert "the dtype is float64, expected int64" in told(
        capsys, "01.decoder_input", lambda *given: padding(*given).astype(float)
    )


def test_a_layer_says_what_is_wrong_with_it(capsys):
    right = EXERCISES["04.layer"].answers["torch"]
    space = {"torch": torch}
    exec(right, space)
    words = told(capsys, "04.layer", space["Pooling"](3), framework="torch")
    assert "hand over the class itself, not an instance of it" in words
    cut = cell(right.replace("@ self.query", "@ self.query.detach()"), "Pooling", torch=torch)
    assert "the gradients: query gets none: is it used" in told(capsys, "04.layer", cut, framework="torch")
    linear = "class Own(torch.nn.Module):\n    def __init__(self, d):\n        super().__init__()\n"
    linear += "        self.query = torch.nn.Linear(d, 1)\n"
    words = told(capsys, "04.layer", cell(linear, "Own", torch=torch), framework="torch")
    assert "query is a Linear: it has to be the parameter itself, of the shape (" in words
    instance = keras.layers.Dense(3)
    assert "not an instance of it" in told(capsys, "04.layer", instance, framework="tf")


# What one call of a layer does not show: words -> the texts replaced in 06.layer, as each framework has them.
BEYOND = {
    "trainable parameters that were not asked for: more": {
        "torch": ("self.num_heads = num_heads", "self.num_heads, self.more = num_heads, new()"),
        "tf": ("self.num_heads = num_heads", "self.num_heads, self.more = num_heads, new()"),
    },
    "as it is made it can't learn: all gradients are 0": {
        "torch": ("torch.randn(model_dim, model_dim) / 4", "torch.zeros(model_dim, model_dim)"),
        "tf": ("(model_dim, model_dim)", '(model_dim, model_dim), "zeros"'),
    },
    "called again with the same arguments it gives something else": {
        "torch": ("key = split(", "self.calls = getattr(self, 'calls', 0) + 1\n        key = self.calls * split("),
        "tf": (
            "key = self.split(",
            "self.calls = getattr(self, 'calls', 0) + 1\n        key = self.calls * self.split(",
        ),
    },
    "key_weight gets another one, the output is right": {
        "torch": ("x @ self.key_weight", "x @ (self.key_weight + self.key_weight.detach()) / 2"),
        "tf": ("x @ self.key_weight", "x @ (self.key_weight + tf.stop_gradient(self.key_weight)) / 2"),
    },
    "key_weight gets none: is it used": {
        "torch": ("x @ self.key_weight", "x @ self.query_weight"),
        "tf": ("x @ self.key_weight", "x @ self.query_weight"),
    },
}


@pytest.mark.parametrize("words", BEYOND)
@pytest.mark.parametrize("framework", ["torch", "tf"])
def test_a_layer_is_asked_more_than_one_output(words, framework, capsys):
    right, edit = EXERCISES["06.layer"].answers[framework], BEYOND[words][framework]
    assert edit[0] in right
    space = {"torch": torch, "tf": tf, "keras": keras}
    answer = cell(right.replace(*edit), "Heads", **space)
    for seed in range(3):
        assert words in told(capsys, "06.layer", answer, framework=framework, seed=seed)
    assert check("06.layer", cell(right, "Heads", **space), framework=framework, seed=0)


def test_a_layer_leaves_its_arguments_and_says_its_sizes(capsys):
    right, space = EXERCISES["02.layer"].answers["torch"], {"torch": torch}
    changing = right.replace("return torch", "mask.logical_not_()\n        return torch")
    words = told(capsys, "02.layer", cell(changing, "Additive", **space), framework="torch")
    assert "it changes its argument 3 in place" in words
    halved = cell(right.replace("return", "return 0.4 *"), "Additive", **space)
    assert re.search(r", made of \(\d+, \d+, \d+\), inputs \(", told(capsys, "02.layer", halved, framework="torch"))


# Where a softmax follows a mask.
MASKED = [
    name
    for name, each in EXERCISES.items()
    if each.kind in ("write", "bug", "part", "read")
    and re.search(r"np.where\(.*(-np.inf|low)\)", source_of(each.solution))
    and name != "10.banded"  # what it blocks are copies of an allowed score: none is larger
]


@pytest.mark.parametrize("name", MASKED)
def test_a_mask_after_the_softmax_never_passes(name, capsys):
    """By construction, not by luck: a blocked key has the dominating score in one case. It is told what it is."""
    exercise = EXERCISES[name]
    known = itertools.islice(known_mistakes(exercise), len(exercise.mistakes))
    words = "softmax, and the rest is brought to 1|softmax: block|not after it|the allowed ones vanish"
    answers = [answer for each, answer in known if re.search(words, each)]
    assert len(answers) == 1
    reads = exercise.kind == "read"
    for seed in range(8):
        assert not check(name, *answers, framework="torch" if reads else "numpy", seed=seed)
        said = capsys.readouterr().out
        words = "the mask comes after the softmax", "a blocked score is the largest, and the allowed ones vanish"
        words += ("this is the function as it was given",) if exercise.kind == "bug" else ()
        assert reads or any(each in said for each in words), said


def test_frameworks_get_float32_and_numpy_float64():
    for framework, kind in (("numpy", np.float64), ("torch", np.float32), ("tf", np.float32)):
        first, *_ = draw_cases(EXERCISES["04.attention"], 0, framework)
        assert first.arguments[0].dtype == kind and first.single == (framework != "numpy")


def test_a_tolerance_follows_from_the_case():
    """What one rounding of the arguments moves: more for large scores, nothing by hand."""
    exercise = EXERCISES["04.attention"]
    call, bounds = caller(exercise), {}
    for drawn in draw_cases(exercise, 0, "torch"):
        right = expected(call, exercise.solution, drawn)
        bounds[drawn.name] = bounded(call, exercise.solution, drawn, right).bounds
    assert 16 * EPS < bounds["sizes of different primes"][0] < 1e-4
    assert bounds["scores below -10,000"][0] > 100 * bounds["sizes of different primes"][0]

    def edge(x):
        return (x >= 1).astype(float)

    def once(f, one, _):
        return (f(*one.arguments),)

    on_the_edge = Case("edge", (np.ones(3),), single=True)
    assert bounded(once, edge, on_the_edge, (np.ones(3),)).bounds == ()

    def saturated(x):  # rounded on the way, where it is nearly 1: the arguments hardly matter
        return 3000 * (1 - np.tanh(x))

    x = np.linspace(5.0, 6.0, 7)
    right = saturated(x)
    off = np.abs(saturated(x.astype(np.float32)) - right).max()
    assert bounded(once, saturated, Case("saturated", (x,), single=True), (right,)).bounds[0] > 4 * off


def test_float32_is_compared_by_what_rounding_moves_alone(capsys):
    """An answer that is off by three parts in 10,000 is no rounding; nor is it where scores are large."""
    for name in ("04.attention", "02.masked_weights", "13.grouped"):
        solution = EXERCISES[name].solution
        said = told(capsys, name, lambda *given, f=solution: 1.0003 * f(*map(np.asarray, given)), framework="torch")
        assert "it gives" in said and '(case "' in said
    exercise = EXERCISES["05.layer"]
    drawn = draw_cases(exercise, 0)[0]._replace(single=True)
    right = expected(caller(exercise), exercise.solution, drawn)
    for off, passes in ((1e-6, True), (1e-3, False)):
        found = [Outcome((right[0].astype(np.float32), (right[1] * (1 + off)).astype(np.float32)))]
        assert (first_fault(exercise, [drawn], found, named=False) is None) == passes


def test_float64_that_was_rounded_is_said_to_be(capsys):
    solution = EXERCISES["05.self_attention"].solution

    def rounded(*given):
        return solution(*(each.astype(np.float32) for each in given)).astype(float)

    assert "close, but not to float64" in told(capsys, "05.self_attention", rounded)


# Changes of solutions that one case alone refuses: with every seed.
LUCKY = {
    "03.local_weights": ("-np.inf", "-1e4"),
    "05.pixels": ("softmax(score)", "np.exp(score) / np.exp(score).sum(1)[:, None]"),
    "08.pre_norm": ("in weights:", "in weights[:6]:"),
    "10.banded": ("-np.inf", "-50"),
    "14.merge": ("np.maximum(m1, m2)", "np.maximum(m1, m2).max()"),
    "16.chosen": ("sinks + np.argsort(-score[sinks:])", "np.argsort(-score)"),
    "16.sink": ("score - score.max(axis=2, keepdims=True)", "score"),
    "17.verify": ("np.maximum(p[place] - q[place], 0)", "p[place]"),
    "project.greedy": ("(token == end)", "(token == end).any()"),
    "project.pad": ("texts, strict", "map(str.strip, texts), strict"),
}


@pytest.mark.parametrize("name", LUCKY)
def test_luck_does_not_pass(name):
    answer = _edited(name, LUCKY[name])
    for seed in range(40):
        cases = draw_cases(EXERCISES[name], seed)
        found = run_cases(EXERCISES[name], cases, answer, "numpy")
        assert first_fault(EXERCISES[name], cases, found, named=False)


def test_two_processes_lose_nothing(capsys):
    code = "import sys\nfrom attn_course.exercises.engine.progress import solved\n"
    code += "for name in sys.argv[1:]:\n    solved(name)"
    names = list(EXERCISES)[:40]
    halves = names[::2], names[1::2]
    running = [subprocess.Popen([sys.executable, "-c", code, *half]) for half in halves]
    assert [each.wait(120) for each in running] == [0, 0]
    assert load() == set(names)
    solved(names[0])
    assert progress().startswith("00-1f.01-1ff")
