"""Every solution is accepted in every framework; every known mistake is refused, and named."""

import numpy as np
import pytest

from attn_course.exercises import EXERCISES, check
from attn_course.frameworks import torch

MISTAKES = [(name, words) for name, exercise in EXERCISES.items() for words in exercise.mistakes]


@pytest.mark.parametrize("name", EXERCISES)
def test_solution_is_accepted(name, capsys):
    assert check(name, EXERCISES[name].solution)
    assert capsys.readouterr().out == f"{name}: correct\n"


@pytest.mark.parametrize(("name", "words"), MISTAKES)
def test_mistake_is_refused_and_named(name, words, capsys):
    with np.errstate(all="ignore"):
        assert not check(name, EXERCISES[name].mistakes[words])
    assert capsys.readouterr().out == f"{name}: not yet: {words}\n"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda *inputs: ..., "not done yet: it returns nothing"),
        (lambda *inputs: None, "not done yet: it returns nothing"),
        (lambda *inputs: np.zeros(3), "the shape is (3,), expected (3, 5)"),
        (lambda states, mask: states[:, 0] * np.nan, "there are NaNs"),
        (lambda states, mask: 1 / 0, "it raised ZeroDivisionError: division by zero"),
    ],
)
def test_feedback(answer, words, capsys):
    assert not check("01.last_state", answer)
    assert words in capsys.readouterr().out


def test_answers_in_the_frameworks():
    from attn_course.frameworks import tf

    def in_torch(q, m, W, U, v):
        return torch.tanh((q @ W)[:, :, None] + (m @ U)[:, None]) @ v

    def in_tf(q, m, W, U, v):
        return tf.linalg.matvec(tf.tanh((q @ W)[:, :, None] + (m @ U)[:, None]), v)

    assert check("02.additive_score", in_torch, framework="torch")
    assert check("02.additive_score", in_tf, framework="tf")


def test_unknown_names():
    with pytest.raises(ValueError, match=r"no exercise '99.x'; there are: 00.soft_lookup"):
        check("99.x", None)
    with pytest.raises(ValueError, match="framework must be numpy, torch or tf"):
        check("01.last_state", None, framework="jax")
