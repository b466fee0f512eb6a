"""Files and seeds of an older state of this package give what they gave; made by ``make_older_goldens.py``."""

from pathlib import Path

import numpy as np
import pytest
from make_older_goldens import LAYERS, build, called, inputs
from support import numbers

from attn_course import pytorch, tf
from attn_course.frameworks import keras, torch
from attn_course.parity import get_parameters, set_parameters

HERE = Path(__file__).parent
OLDER = np.load(HERE / "older.npz")
LAYER = pytest.mark.parametrize("name", LAYERS)


def older(start):
    """The arrays whose names begin so, by what comes behind it."""
    return {key.removeprefix(start): OLDER[key] for key in OLDER.files if key.startswith(start)}


@LAYER
def test_a_seed_gives_the_same_weights_and_outputs(name):
    """Weights to the bit; the sums of an output may be ordered otherwise on another machine."""
    for face, short in ((pytorch, "pytorch"), (tf, "tf")):
        layer, kept = build(face, name), older(f"{name}/{short}/parity/")
        if face is pytorch:
            layer.eval()
        found = get_parameters(layer)
        assert list(found) == list(kept)
        for key, x in kept.items():
            np.testing.assert_array_equal(found[key], x)
        x = inputs(name) if face is tf else map(torch.from_numpy, inputs(name))
        np.testing.assert_allclose(numbers(called(layer, name, *x)), OLDER[f"{name}/{short}/output"], 1e-6, 1e-6)


@LAYER
def test_a_state_dict_loads(name):
    state = {key: torch.from_numpy(x) for key, x in older(f"{name}/state/").items()}
    layer = build(pytorch, name).eval()
    assert list(layer.state_dict()) == list(state)
    for parameter in layer.parameters():
        torch.nn.init.zeros_(parameter)
    layer.load_state_dict(state, strict=True)
    found = numbers(called(layer, name, *map(torch.from_numpy, inputs(name))))
    np.testing.assert_allclose(found, OLDER[f"{name}/pytorch/output"], 1e-6, 1e-6)


@LAYER
def test_parameters_of_parity_load_into_both(name):
    parameters = older(f"{name}/tf/parity/")
    for face in (pytorch, tf):
        layer = build(face, name)
        if face is pytorch:
            layer.eval()
        set_parameters(layer, parameters)
        x = inputs(name) if face is tf else map(torch.from_numpy, inputs(name))
        np.testing.assert_allclose(numbers(called(layer, name, *x)), OLDER[f"{name}/tf/output"], 1e-5, 1e-5)


def test_a_keras_file_loads():
    model = keras.models.load_model(HERE / "older.keras")
    for name, found in zip(LAYERS, model([*map(list, map(inputs, LAYERS))]), strict=True):
        np.testing.assert_allclose(numbers(found), OLDER[f"{name}/tf/output"], 1e-6, 1e-6)
