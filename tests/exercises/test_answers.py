"""No right answer fails, and every mistake that has a name is called by it."""

import ast
import inspect
import itertools
import re
from difflib import SequenceMatcher

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from answers import FUNCTIONS, RIGHT, right_answers, specific, told, unseen

from attn_course.exercises import EXERCISES
from attn_course.exercises.engine import run
from attn_course.exercises.engine.exercise import known_mistakes
from attn_course.exercises.engine.judge import _is_starter, draw_cases, from_text, run_cases
from attn_course.exercises.engine.run import into, leaves
from attn_course.exercises.engine.sources import changed, source_of
from attn_course.exercises.engine.submission import copied
from attn_course.frameworks import tf, torch


@pytest.mark.parametrize("name", FUNCTIONS)
def test_right_answers_pass_with_every_seed(name):
    """The solution; the solution in float32 tensors of either framework, with a gradient; others' spellings."""
    exercise = EXERCISES[name]

    def in_torch(*given):
        arrays = [np.asarray(each) if torch.is_tensor(each) else each for each in given]
        results = [torch.tensor(np.asarray(each)) for each in leaves(exercise.solution(*arrays))]
        results = [each.float().requires_grad_() if each.is_floating_point() else each for each in results]
        return results[0] if len(results) == 1 else tuple(results)

    def in_tf(*given):
        arrays = [np.asarray(each) if tf.is_tensor(each) else each for each in given]
        results = [tf.constant(each) for each in leaves(exercise.solution(*arrays))]
        results = [tf.cast(each, tf.float32) if each.dtype.is_floating else each for each in results]
        return results[0] if len(results) == 1 else tuple(results)

    assert "torch" in {key.split()[0] for key in RIGHT[name]}
    converted = [] if exercise.kind == "part" else [("torch", in_torch), ("tf", in_tf)]  # they have no gradients
    for framework, answer in [*right_answers(name), *converted]:
        for seed in range(5 if answer is exercise.solution else 3):
            assert told(name, answer, seed, framework) is None, (framework, seed)


ROUGH = [
    ("project.step", 137),  # a tanh near -1, times 3,000; the next two as well
    ("project.step", 1_067_536),
    ("08.pre_norm", 132),
    ("10.layer", 13_902_601),  # a result that is 0 but for rounding; so is the next
    ("10.layer", 14_019_097),
    ("lm.attend", 627_858),  # the slope of a steep softmax
    ("14.tiled", 4_757_387),  # a logarithm of a sum of exponentials of 800; so is the next
    ("14.tiled", 12_886_807),
    ("lm.layer", 590_816),  # the slope of a number over its size
]


@pytest.mark.parametrize(("name", "seed"), ROUGH)
def test_a_rounding_on_the_way_is_allowed(name, seed):
    """It moves the result by more than its arguments' roundings do, or by much of it where it is nearly 0."""
    for framework, answer in right_answers(name):
        assert told(name, answer, seed, framework) is None, framework


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_known_mistake_is_refused_and_named(name):
    exercise = EXERCISES[name]
    cases = draw_cases(exercise, 0)
    for words, mistake in itertools.islice(known_mistakes(exercise), len(exercise.mistakes)):
        assert mistake is not None, f"no such text in the solution: {words}"
        as_given = _is_starter(exercise, cases, run_cases(exercise, cases, mistake, "numpy"))
        for seed in (1, 2):
            words_told = told(name, mistake, seed)
            if as_given:
                assert words not in words_told
            else:
                assert words_told == f"not yet: {words} (seed={seed})"


# Bugs that the starter's lines don't tell apart: each as it stands alone in the solution.
ALONE = {
    "05.layer tf": (
        "weights = tf.nn.softmax(score / x.shape[1] ** 0.5)",
        "weights = tf.nn.softmax(score / key.shape[-1] ** 0.5, axis=0)",
    ),
    "07.alibi": (
        "slopes = 2.0 ** (-8 * np.arange(1, H + 1) / H)",
        "score = query @ key.swapaxes(1, 2) - slopes[:, None, None] * distance\n"
        "return softmax(score / np.sqrt(K)) @ value",
    ),
    "10.fixed": ("for start in range(0, n - stride + 1, stride):\n    ...", "score = np.where(seen, score, -np.inf)"),
    "12.kept": ("first = score", "past = np.where(np.tri(T) == 0, 0.0, first)"),
    "15.yarn": (
        "return theta * slowed + theta / factor * (1 - slowed)",
        "return theta * (1 - slowed) + (factor * base) ** (-2 * pairs / width) * slowed",
    ),
}


def _bugs(name, framework):
    """The solution with one bug of the starter at a time."""
    exercise = EXERCISES[name]
    own, starter = exercise.answers.get(framework), exercise.starters.get(framework)
    if own is None:
        own, starter = source_of(exercise.solution), exercise.starters["numpy"]
    if alone := ALONE.get(name, ALONE.get(f"{name} {framework}")):
        return [changed(own, code) for code in alone]
    old, new, pieces = own.splitlines(keepends=True), starter.splitlines(keepends=True), []
    for tag, i, stop, j, end in SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal" and stop - i == end - j:
            pieces += [(i + k, i + k + 1, [new[j + k]]) for k in range(stop - i)]
        elif tag != "equal":
            pieces.append((i, stop, new[j:end]))
    return ["".join(old[:i] + lines + old[stop:]) for i, stop, lines in pieces]


@pytest.mark.parametrize("name", [name for name, each in EXERCISES.items() if re.search("bugs|faults", each.title)])
def test_every_bug_of_a_starter_has_its_words(name):
    for framework, tensor in (("torch", torch.as_tensor), ("tf", tf.constant)):
        texts = _bugs(name, framework)
        assert len(texts) > 1
        for text in texts:
            answer = wrong = from_text(text)
            if name in FUNCTIONS:  # in NumPy
                answer = lambda *given: tensor(wrong(*map(np.asarray, given)))  # noqa: B023, E731
            words = told(name, answer, 1, framework)
            named = any(each in words for each in EXERCISES[name].mistakes) or "gets none" in words
            assert named, (text, framework, words)


def test_answers_that_nobody_had_seen():
    """None is taken for what it isn't; most wrong ones are told what is wrong, not the first number that differs."""
    named = {True: [], False: []}
    for name, kind, framework, answer in unseen():
        words = told(name, answer, 1, framework)
        assert (words is None) == (kind == "right"), (name, framework, words)
        if kind == "wrong":
            named[EXERCISES[name].kind == "module"].append(specific(words))
    assert min(map(len, named.values())) > 20
    assert np.mean([*named[True], *named[False]]) >= 0.7 and np.mean(named[True]) >= 0.6


def test_solutions_are_short_and_self_contained():
    """A page shows them: their source names nothing but NumPy and softmax."""
    for name, exercise in EXERCISES.items():
        source = source_of(exercise.solution)
        assert len(source.splitlines()) <= 15, name
        attributes = {node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)}
        names = set(exercise.solution.__code__.co_names) & set(exercise.solution.__globals__) - attributes
        assert names <= {"np", "softmax"}, name
        assert inspect.signature(exercise.solution)


def test_into_keeps_numbers():
    assert into("torch", (2, 0.5, True)) == (2, 0.5, True)
    assert run.FRAMEWORKS == ("numpy", "torch", "tf")


def test_no_answer_of_others_is_taken_for_a_copy():
    answers = [code for name in EXERCISES for code in RIGHT[name].values()]
    assert len(answers) > 200 and not any(map(copied, ([code] for code in answers)))
