"""Every solution is accepted in every framework; every mistake is refused and named."""

import re
from pathlib import Path

import numpy as np
import pytest

from attn_course.exercises import CHAPTERS, EXERCISES, check
from attn_course.exercises.exercise import Exercise, into
from attn_course.frameworks import tf, torch

TENSORS = {"numpy": np.ndarray, "torch": torch.Tensor, "tf": tf.Tensor}
MISTAKES = [(name, words) for name, exercise in EXERCISES.items() for words in exercise.mistakes]


@pytest.mark.parametrize("framework", TENSORS)
@pytest.mark.parametrize("name", EXERCISES)
def test_solution_is_accepted(name, framework, capsys):
    def answer(*given):
        assert all(isinstance(array, TENSORS[framework]) for array in given)
        arrays = [np.asarray(array) for array in given]
        return into(framework, EXERCISES[name].solution(*arrays))

    assert check(name, answer, framework)
    assert capsys.readouterr().out == f"{name}: correct\n"


@pytest.mark.parametrize(("name", "words"), MISTAKES)
def test_mistake_is_refused_and_named(name, words, capsys):
    with np.errstate(all="ignore"):
        assert not check(name, EXERCISES[name].mistakes[words])
    assert capsys.readouterr().out == f"{name}: not yet: {words}\n"


@pytest.mark.parametrize("name", EXERCISES)
def test_sizes_differ_in_one_case(name):
    """Where two axes are equally long in every case, mixing them up would pass."""
    cases = EXERCISES[name].cases(np.random.default_rng(0))
    assert any(len(set(case[0].shape)) == case[0].ndim for case in cases)
    assert len({case[0].shape for case in cases}) > 1


def test_modules_give_exercises_named_after_their_chapter():
    numbers = []
    for chapter in CHAPTERS:
        assert chapter.EXERCISES
        (number,) = {name[:2] for name in chapter.EXERCISES}
        numbers.append(int(number))
        for name, exercise in chapter.EXERCISES.items():
            assert isinstance(exercise, Exercise)
            assert re.fullmatch(r"\d\d\.[a-z_]+", name)
    assert numbers == sorted(set(numbers))


def test_every_exercise_stands_in_its_chapter_and_so_does_its_solution():
    book = Path(__file__).parents[2] / "book"
    for name in EXERCISES:
        (chapter,) = book.glob(f"{name[:2]}_*.md")
        text = chapter.read_text(encoding="utf-8")
        assert f'\ndone = check("{name}", ' in text
        assert f'\nassert check("{name}", ' in text


def in_place(targets, begin):
    targets[:, 1:] = targets[:, :-1].copy()
    targets[:, 0] = begin
    return targets


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("01.last_state", lambda *given: ..., "not done yet: it returns nothing"),
        ("01.last_state", lambda *given: None, "not done yet: it returns nothing"),
        (
            "01.last_state",
            lambda *given: np.zeros(3),
            "the shape is (3,), expected (3, 5) ((3, 7, 5), (3, 7) in)",
        ),
        (
            "01.last_state",
            lambda states, mask: states[:, 0] * np.nan,
            "not yet: there are NaNs (inputs (3, 7, 5), (3, 7))",
        ),
        (
            "01.last_state",
            lambda states, mask: 1 / 0,
            "it raised ZeroDivisionError: division by zero (inputs (3, 7, 5), (3, 7))",
        ),
        (
            "01.last_state",
            lambda states, mask: states[:, 0].astype(np.float32),
            "the dtype is float32, expected float64",
        ),
        (
            "01.last_state",
            lambda states, mask: [["a"] * 5] * 3,
            "the dtype is <U1, expected float64",
        ),
        (
            "01.last_state",
            lambda *given: given,
            "it returns 2 things, expected one array",
        ),
        ("01.last_state", lambda *given: [[1], [1, 2]], "it raised ValueError: "),
        (
            "01.last_state",
            np.zeros((3, 5)),
            "hand over the function itself; this is a nd",
        ),
        (
            "01.decoder_input",
            lambda targets, begin: np.zeros(targets.shape),
            "the dtype is float64, expected int64",
        ),
        ("01.decoder_input", in_place, "it changes its argument 1 in place"),
        (
            "01.decoder_input",
            lambda targets, begin: np.where(np.arange(7) == 6, 99, np.roll(targets, 1, 1)),
            "at (0, 6) it gives 99, expected 4 (inputs (3, 7), ())",
        ),
    ],
)
def test_feedback(name, answer, words, capsys):
    assert not check(name, answer)
    assert words in capsys.readouterr().out


def test_nans_of_a_mistake_raise_no_warning_of_ours(capsys):
    """Warnings are errors here: only the learner's own code may raise one."""
    assert not check("00.soft_lookup", lambda q, k, v: np.full((4, 4), np.nan))
    assert "NaNs" in capsys.readouterr().out


def test_answers_in_the_frameworks():
    def in_torch(q, m, W, U, v):
        return torch.tanh((q @ W)[:, :, None] + (m @ U)[:, None]) @ v

    def in_tf(q, m, W, U, v):
        return tf.linalg.matvec(tf.tanh((q @ W)[:, :, None] + (m @ U)[:, None]), v)

    assert check("02.additive_score", in_torch, framework="torch")
    assert check("02.additive_score", in_tf, framework="tf")


def test_a_tensor_with_gradients_is_told_what_to_do(capsys):
    def answer(states, mask):
        return states[:, 0].requires_grad_()

    assert not check("01.last_state", answer, framework="torch")
    assert "it raised RuntimeError: " in capsys.readouterr().out


def test_a_small_error_is_refused():
    """Numbers are compared closely: one part in ten thousand is refused."""
    solution = EXERCISES["00.soft_lookup"].solution
    assert not check("00.soft_lookup", lambda *given: 1.0001 * solution(*given))


def test_right_for_equal_sizes_alone_is_refused(capsys):
    """Some mistakes can't run where sizes differ; the answer is judged all the same."""
    solution = EXERCISES["00.soft_lookup"].solution
    assert not check("00.soft_lookup", lambda q, k, v: solution(q, k, v) + (len(q) != len(k)))
    assert "not yet: at (" in capsys.readouterr().out


def test_unknown_names():
    with pytest.raises(ValueError, match=r"no exercise '99.x'; there are: 00.soft_"):
        check("99.x", None)
    with pytest.raises(ValueError, match="framework must be numpy, torch or tf"):
        check("01.last_state", None, framework="jax")
