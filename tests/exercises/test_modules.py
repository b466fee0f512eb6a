"""Layers: no wrong one passes and no right one fails."""

import itertools

import both_frameworks  # noqa: F401
import pytest
from answers import MODULES, right_answers, told, wrong_answers

from attn_course.exercises import EXERCISES
from attn_course.exercises.engine.exercise import known_mistakes
from attn_course.exercises.engine.judge import caller, draw_cases, first_fault
from attn_course.exercises.engine.run import Outcome, expected


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
