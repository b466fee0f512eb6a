"""The learned look-up of chapter 4: its questions, and the same training in both frameworks."""

from itertools import islice

import both_frameworks  # noqa: F401
import numpy as np

from attn_course.frameworks import tf as tensorflow, torch
from attn_course.tasks.look_up import NAMES, PEOPLE, SIZE, VALUES, look_ups
from experiments import look_up


def test_every_question_has_its_answer():
    for batch in islice(look_ups(5), 20):
        assert batch.names.shape == batch.values.shape == (5, SIZE)
        assert batch.names.min() >= 0 and batch.names.max() < NAMES and batch.values.max() < VALUES
        for names, values, asked, answer in zip(*batch, strict=True):
            assert len(set(names)) == SIZE
            assert values[list(names).index(asked)] == answer


def test_every_name_is_spelled():
    assert len(PEOPLE) == len(set(PEOPLE)) == NAMES


def test_look_by_hand():
    """A key that equals its query and is far from all others: the answer is its value's row of the output."""
    names, values = np.arange(3)[None], np.array([[2, 0, 1]])
    parameters = {"query": np.eye(3) * 50, "key": np.eye(3), "value": np.diag([1.0, 2.0, 3.0]), "output": np.eye(3)}
    for framework, to in (("pytorch", torch.from_numpy), ("tf", tensorflow.constant)):
        given = {name: to(x) for name, x in parameters.items()}
        logits = look_up.look(framework, given, to(names), to(values), to(np.array([1])), scale=1.0)
        np.testing.assert_allclose(np.asarray(logits), [[1.0, 0.0, 0.0]], atol=1e-12)


def test_both_frameworks_learn_alike():
    options = {"width": 8, "steps": 30, "seed": 2, "every": 10}
    found = [look_up.train(name, 8**-0.5, **options) for name in look_up.FACES]
    np.testing.assert_allclose(*found, atol=0.02)
    assert found[0].shape == (3,)


def test_start_is_as_the_paper_assumes():
    drawn = look_up.start(256, seed=0)
    for name in ("query", "key"):
        assert abs(drawn[name].mean()) < 0.02 and abs(drawn[name].var() - 1) < 0.02
