"""The lab of chapter 15: what its windows hold, and models with the same weights and other rotations."""

import both_frameworks  # noqa: F401
import numpy as np
import pytest

from attn_course.course.labs import longer
from attn_course.frameworks import torch
from attn_course.reference import rotary_frequencies
from attn_course.tasks.topics import load_topics
from experiments import longer as program

TEXT = np.arange(1000) % 256
SMALL = {"symbols": 273, "width": 32, "heads": 2, "layers": 2}


def test_a_window_begins_with_the_key_and_its_text_runs_on_past_a_sign():
    asked = np.zeros((1, 7), bool)
    asked[0, 3] = True
    inputs, targets = longer.fill(TEXT, np.array([20]), asked, np.random.default_rng(0))
    key = inputs[0, 0]
    assert 256 <= key < longer.ASK
    np.testing.assert_array_equal(inputs[0, 1:], [20, 21, longer.ASK, 22, 23, 24])
    np.testing.assert_array_equal(targets[0], [20, 21, 22, key, 23, 24, 25])


@pytest.mark.parametrize("length", [64, 256])
def test_windows_of_training_ask_as_often(length):
    inputs, targets = next(longer.batches(TEXT, length=length, seed=0))
    assert inputs.shape == (longer.TOKENS // length, length)
    signs = inputs == longer.ASK
    assert (signs.sum(axis=1) == length // longer.ASKED).all() and not signs[:, 0].any()
    assert (targets[signs] == np.repeat(inputs[:, 0], length // longer.ASKED)).all()
    assert (targets[~signs] < 256).all()


def test_the_same_bytes_and_keys_at_every_length():
    text = load_topics("test")
    short, long = (longer.sliding(text, n) for n in (64, 512))
    np.testing.assert_array_equal(short[1][:, -longer.SLIDE :], long[1][:, -longer.SLIDE :])
    assert short[0].shape == (longer.TESTED // longer.SLIDE, 64) and not (short[0] == longer.ASK).any()
    asked = [longer.questions(text, n) for n in (64, 512)]
    np.testing.assert_array_equal(asked[0][0][:, :63], asked[1][0][:, :63])
    for inputs, targets in asked:
        assert (inputs[:, -1] == longer.ASK).all() and (targets[:, -1] == inputs[:, 0]).all()


def test_a_model_that_knows_the_key_is_scored_so():
    text = load_topics("test")

    def score(model, inputs, targets):
        return np.full(inputs.shape, 3.0), np.broadcast_to(model, inputs.shape)

    assert longer.evaluate(score, True, text, 64) == {"length": 64, "bits": 3.0, "found": 1.0}
    assert longer.evaluate(score, False, text, 64)["found"] == 0


def test_rotations_by_name():
    assert longer.rotation("as trained") == {"frequencies": rotary_frequencies(16)[0].tolist(), "scale": 1.0}
    assert longer.rotation("linear")["frequencies"][0] == 0.25
    assert longer.rotation("larger base")["frequencies"][-1] == pytest.approx(500_000.0 ** (-14 / 16))
    assert longer.rotation("yarn")["scale"] > 1


def test_the_same_weights_and_another_rotation():
    torch.manual_seed(0)
    model = program.build("rotary", SMALL)
    same = program.changed(model, sizes=SMALL, **longer.rotation("as trained"))
    other = program.changed(model, sizes=SMALL, **longer.rotation("linear"))
    tokens = torch.from_numpy(longer.questions(load_topics("test"), 64)[0][:3])
    with torch.no_grad():
        first, second, third = (one(tokens)[0].numpy() for one in (model, same, other))
    np.testing.assert_allclose(first, second, atol=1e-5)
    assert np.abs(first - third).max() > 1e-2


def test_a_window_hides_what_lies_before_it():
    bias = program.Window(3)(5, 5)
    seen = torch.isfinite(bias).tril()
    assert seen.sum(dim=1).tolist() == [1, 2, 3, 3, 3] and bias[4, 1] == -torch.inf
