"""The lab of chapter 16: what its texts hold, what is measured, and models that are twins; the chart of families."""

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from support import twinned

from attn_course.course.labs import one_layer
from attn_course.course.labs.one_layer import pytorch as in_torch, tf as in_tf
from attn_course.frameworks import tf, torch
from attn_course.parity import get_parameters
from attn_course.tasks.families import PARTS, load_families
from experiments import mixes

LABS = {"pytorch": (in_torch, torch.from_numpy), "tf": (in_tf, tf.constant)}


def test_the_sign_is_followed_by_the_symbol_before_it():
    tokens, following = next(one_layer.batches(seed=3, count=400))
    assert tokens.shape == following.shape == (400, one_layer.LENGTH)
    assert (tokens[:, 0] == one_layer.BEGIN).all() and not (tokens[:, 1:] == one_layer.BEGIN).any()
    np.testing.assert_array_equal(tokens[:, 1:], following[:, :-1])
    row, place = np.nonzero(tokens == one_layer.ECHO)
    assert place.min() > 1 and (following[row, place] == tokens[row, place - 1]).all()
    assert 1 / 10 < (tokens[:, 3:] == one_layer.ECHO).mean() < 1 / 8


def test_the_other_symbols_come_as_often_as_they_should():
    tokens, following = next(one_layer.batches(seed=4, count=4000))
    plain = (tokens[:, 1:] == 5) & (following[:, 1:] != one_layer.ECHO)
    found = np.bincount(following[:, 1:][plain], minlength=one_layer.SYMBOLS) / plain.sum()
    np.testing.assert_allclose(found, one_layer.followers()[5], atol=0.03)


def test_what_is_measured():
    """A head that lays a quarter on the first key where it is idle, and all on the key before where it is not."""
    tokens, _ = one_layer.tested(64)
    echo = tokens == one_layer.ECHO
    weights = np.zeros((64, 1, one_layer.LENGTH, one_layer.LENGTH))
    weights[:, 0, :, 0] = np.where(echo, 0, 0.25)
    weights[:, 0, :, 1] = np.where(echo, 1, 0)
    found = one_layer.measure(tokens, np.full(tokens.shape, 2.0), echo, weights, np.where(echo, 3.0, 0.5))
    expected = {"loss": 2, "echoed": 1, "first_idle": 0.25, "first_echo": 0, "sum_idle": 0.25, "sum_echo": 1}
    assert found == {**expected, "added_idle": 0.5, "added_echo": 3}


@pytest.mark.parametrize("kind", one_layer.KINDS)
def test_the_models_are_twins(kind):
    models = {name: lab.Echo(**one_layer.SIZES, kind=kind) for name, (lab, _) in LABS.items()}
    tokens, found = one_layer.tested(3)[0], {}
    models["tf"](tf.constant(tokens))
    assert get_parameters(models["pytorch"].layer).keys() == get_parameters(models["tf"].layer).keys()
    twinned(models["pytorch"], models["tf"])
    for name, (_, tensor) in LABS.items():
        mask = tensor(one_layer.evicted())
        x = models[name].embedding(tensor(tokens))
        output, weights = models[name].layer(x, mask=mask, causal=True)
        parts = output, weights, models[name].added(tensor(tokens), mask=mask)
        found[name] = [y.detach().numpy() if name == "pytorch" else y.numpy() for y in parts]
        assert not found[name][1][:, :, 1:, 0].any()
    for one, other in zip(*found.values(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_a_question_for_a_key():
    tokens, wanted = mixes.questions(np.random.default_rng(0), 50, 20, place=4, asked=3)
    assert (tokens[:, -1] == mixes.ASK).all() and (tokens[:, 4] >= mixes.FILLERS).all()
    asks = tokens == mixes.ASK
    np.testing.assert_array_equal(asks, wanted >= 0)
    assert not asks[:, :5].any()
    assert (np.where(asks, wanted, 0) == np.where(asks, tokens[:, 4:5] - mixes.FILLERS, 0)).all()


def test_mixes_differ_in_nothing_but_what_their_layers_see():
    models = {mix: mixes.MODELS["pytorch"](mix) for mix in mixes.MIXES}
    shapes = [{name: tuple(x.shape) for name, x in model.named_parameters()} for model in models.values()]
    assert all(each == shapes[0] for each in shapes)
    tokens = torch.zeros(1, 60, dtype=torch.long)
    other = tokens.clone()
    other[0, 0] = 1
    for mix, model in models.items():  # 44 positions back, and not one more
        moved = (model(tokens) - model(other)).abs().amax(dim=-1)[0]
        assert bool((moved[45:] == 0).all()) == (mix == "4 windows")
        assert moved[44] > 0


def test_the_chart_has_44_families():
    families = load_families()
    assert len(families) == 44 and list(families) == sorted(families)
    assert all(has and set(has) <= set(PARTS) for has in families.values())
    assert "gate" in families["qwen3_next"] and "sink" in families["gpt_oss"]
