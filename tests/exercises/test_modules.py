"""Layers: no wrong one passes and no right one fails."""

import itertools

import both_frameworks  # noqa: F401
import numpy as np
import pytest
import torch
from answers import MODULES, SHARES, right_answers, specific, told, wrong_answers

from attn_course.exercises import EXERCISES
from attn_course.exercises.engine.exercise import known_mistakes
from attn_course.exercises.engine.judge import caller, draw_cases, first_fault, from_text
from attn_course.exercises.engine.run import Outcome, expected, into
from attn_course.frameworks import tf


@pytest.mark.parametrize("name", MODULES)
def test_right_modules_pass(name):
    answers = right_answers(name)
    assert len(answers) >= 3 and {framework for framework, _ in answers} == {"torch", "tf"}
    for framework, answer in answers:
        for seed in range(5) if framework == "torch" else range(2):
            assert told(name, answer, seed, framework) is None, (framework, seed)


@pytest.mark.parametrize("name", MODULES)
def test_wrong_modules_are_refused_and_named(name):
    """Each known mistake as a module: the NumPy function's numbers, with gradients by differences."""
    exercise = EXERCISES[name]
    assert len(exercise.mistakes) >= 10
    call = caller(exercise)
    for words, mistake in itertools.islice(known_mistakes(exercise), len(exercise.mistakes)):
        assert mistake is not None, f"no such text in the solution: {words}"
        cases = [case._replace(single=True) for case in draw_cases(exercise, 1)]
        found = []
        for case in cases:
            try:
                found.append(Outcome(expected(call, mistake, case)))
            except ValueError:  # widths that differ can't be mixed up
                found.append(Outcome(error="it raised"))
        assert first_fault(exercise, cases, found) == (words, None)


@pytest.mark.parametrize("name", MODULES)
def test_wrong_modules_in_pytorch_are_refused(name):
    answers = wrong_answers(name)
    assert len(answers) >= 12
    passed = [text for text, answer in answers.items() if told(name, answer, 1, "torch") is None]
    assert not passed


@pytest.mark.parametrize("name", MODULES)
def test_wrong_modules_are_told_what_they_are(name):
    answers = {text: told(name, answer, 2, "torch") for text, answer in wrong_answers(name).items()}
    named = sum(specific(words) for words in answers.values())
    assert [named, len(answers)] == SHARES[name], "tests/exercises/bank/shares.json says what was told before"


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


@pytest.mark.parametrize("name", ["project.annotate", "project.greedy"])
def test_parts_take_sizes_that_nobody_knows(name):
    exercise = EXERCISES[name]
    given = into("tf", draw_cases(exercise, 1, "tf")[1].arguments)
    answer = from_text(exercise.answers["tf"])
    places = [n for n, x in enumerate(given) if tf.is_tensor(x)]

    def call(*tensors):
        known = dict(zip(places, tensors, strict=True))
        return answer(*[known.get(n, x) for n, x in enumerate(given)])

    if name == "project.greedy":  # its step is NumPy's: one that a graph can hold
        logits = tf.constant(given[0].logits)
        given = (lambda token, state: (tf.gather_nd(logits, tf.stack([state, token], 1)), state + 1), *given[1:])
        given = (given[0], tf.cast(given[1], tf.int32), *given[2:])
    tensors = [given[n] for n in places]
    specs = [tf.TensorSpec([*[None] * min(2, x.ndim), *x.shape[2:]], x.dtype) for x in tensors]
    if name == "project.annotate":  # the weights are known
        specs[2:] = [tf.TensorSpec(x.shape, x.dtype) for x in tensors[2:]]
    assert np.allclose(tf.function(call, input_signature=specs)(*tensors), answer(*given), atol=1e-5)


def test_a_layer_with_the_sizes_of_its_first_batch_is_told_so():
    text = EXERCISES["13.layer"].answers["tf"]
    wrong = text.replace("tf.unstack(tf.shape(x))", "x.shape")
    assert wrong != text
    said = told("13.layer", from_text(wrong), 1, "tf")
    assert "it fails where the size of the batch is unknown, as in fit: take it from tf.shape(x)" in said


def _after(score, mask):
    weights = torch.softmax(score, dim=-1) * mask
    total = weights.sum(-1, keepdim=True)
    return weights / torch.where(total == 0, 1.0, total)


# The line that blocks, the softmax, and the same with the mask after the softmax and the rows brought to 1 again.
AFTERWARDS = {
    "02.layer": ("masked_fill(~mask[:, None], -torch.inf)", "torch.softmax(score, dim=-1)", "mask[:, None]"),
    "03.layer": ("masked_fill(~mask[:, None], -torch.inf)", "torch.softmax(score, dim=-1)", "mask[:, None]"),
    "04.layer": ("masked_fill(~mask, -torch.inf)", "torch.softmax(score, dim=-1)", "mask"),
    "10.layer": ("score = torch.where(seen, score, -torch.inf)", "torch.softmax(score, -1)", "seen"),
    "14.layer": (
        "masked_fill(~mask, -torch.inf)",
        "torch.softmax(torch.cat([score, sink], 1), 1)",
        "torch.cat([mask, mask[:, :1] | True], 1)",
    ),
}


def test_every_masked_layer_is_among_them():
    masked = {name for name in MODULES if "-torch.inf" in EXERCISES[name].answers["torch"]}
    assert masked == set(AFTERWARDS)


@pytest.mark.parametrize("name", AFTERWARDS)
def test_a_mask_after_the_softmax_never_passes_in_a_layer(name):
    text, (blocks, softmax, mask) = EXERCISES[name].answers["torch"], AFTERWARDS[name]
    lines = [line for line in text.splitlines() if blocks not in line]
    own = softmax.replace("torch.softmax(", "after(").rpartition(",")[0]
    wrong = "\n".join(lines).replace(softmax, f"{own}, {mask})")
    assert len(lines) == len(text.splitlines()) - 1 and "after(" in wrong
    answer = from_text(wrong)
    answer.forward.__globals__["after"] = _after
    passed = [seed for seed in range(10) if told(name, answer, seed, "torch") is None]
    assert not passed
