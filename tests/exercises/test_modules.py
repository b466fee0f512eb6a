"""Layers: no wrong one passes and no right one fails."""

import itertools
from functools import cache

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from answers import MODULES, right_answers, specific, told, wrong_layers

from attn_course.exercises import EXERCISES
from attn_course.exercises.engine.exercise import known_mistakes
from attn_course.exercises.engine.judge import caller, draw_cases, first_fault, from_text
from attn_course.exercises.engine.run import Outcome, expected, into
from attn_course.exercises.engine.sources import changed
from attn_course.frameworks import tf


def _numbers(exercise, mistake, seed):
    """(the cases, what a layer with this mistake gives): the NumPy function's numbers, however much it holds."""
    call, found = caller(exercise), []
    cases = [case._replace(single=True, most=0) for case in draw_cases(exercise, seed)]
    for case in cases:
        try:
            found.append(Outcome(expected(call, mistake, case)))
        except ValueError:  # widths that differ can't be mixed up
            found.append(Outcome(error="it raised"))
    return cases, found


@pytest.mark.parametrize("name", MODULES)
def test_right_modules_pass(name):
    answers = right_answers(name)
    assert {framework for framework, _ in answers} == {"torch", "tf"}
    for framework, answer in answers:
        for seed in range(3 if framework == "torch" else 2):
            assert told(name, answer, seed, framework) is None, (framework, seed)


@pytest.mark.parametrize("name", MODULES)
def test_wrong_modules_are_refused_and_named(name):
    """Each known mistake as a module: the NumPy function's numbers, with gradients by differences."""
    exercise = EXERCISES[name]
    assert len(exercise.mistakes) >= 10
    for words, mistake in itertools.islice(known_mistakes(exercise), len(exercise.mistakes)):
        assert mistake is not None, f"no such text in the solution: {words}"
        assert first_fault(exercise, *_numbers(exercise, mistake, 1)) == (words, None)


@cache
def said_of(name):
    """A layer's wrong answers in PyTorch -> what each is told; None where it passes."""
    return {text: told(name, answer, 2, "torch") for text, answer in wrong_layers(name).items()}


@pytest.mark.parametrize("name", MODULES)
def test_wrong_modules_in_pytorch_are_refused(name):
    assert len(said_of(name)) >= 4
    assert [text for text, words in said_of(name).items() if words is None] == []


def test_most_wrong_modules_are_told_what_they_are():
    """Not only the first number that differs."""
    named = {name: [specific(words) for words in said_of(name).values()] for name in MODULES}
    assert np.mean([each for own in named.values() for each in own]) > 0.65
    assert min(np.mean(own) for own in named.values()) > 0.3


UNCLAMPED = "center = last - torch.arange(query.shape[1])\n"
PADDED = "last = memory.shape[1] - 1 + 0 * mask.sum(1, keepdim=True)\n"
ZEROS = "return torch.softmax(score, dim=-1).nan_to_num() @ memory"


@pytest.mark.parametrize(
    ("name", "lines", "words"),
    [
        ("03.layer", UNCLAMPED, "a center below 0 sees nothing"),
        ("03.layer", UNCLAMPED + ZEROS, "a center below 0 sees nothing"),
        ("03.layer", PADDED, "the window counts from the end of the padding"),
        ("03.layer", PADDED + ZEROS, "the window counts from the end of the padding"),
    ],
)
def test_nothing_may_be_0_or_no_number(name, lines, words):
    """What a window without a token gives."""
    answer = from_text(changed(EXERCISES[name].answers["torch"], lines))
    for seed in (1, 2):
        assert words in told(name, answer, seed, "torch")


@pytest.mark.parametrize("name", MODULES)
def test_a_layer_takes_a_batch_and_a_length_that_nobody_knows(name):
    """The page's own of TensorFlow, traced: the same numbers as at once."""
    exercise = EXERCISES[name]
    sizes, inputs, _ = draw_cases(exercise, 1, "tf")[1].arguments
    layer, given = from_text(exercise.answers["tf"])(*sizes), list(into("tf", inputs))
    right = layer(*given)
    specs = [tf.TensorSpec([*[None] * min(2, x.ndim), *x.shape[2:]], x.dtype) for x in given]
    traced = tf.function(lambda *x: layer(*x), input_signature=specs)
    assert np.allclose(traced(*given), right, atol=1e-5)


def test_a_layer_with_the_sizes_of_its_first_batch_is_told_so():
    text = EXERCISES["13.layer"].answers["tf"]
    wrong = text.replace("tf.unstack(tf.shape(x))", "x.shape")
    assert wrong != text
    said = told("13.layer", from_text(wrong), 1, "tf")
    assert "it fails where the size of the batch is unknown, as in fit: take it from tf.shape(x)" in said
