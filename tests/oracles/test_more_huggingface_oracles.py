"""Layers of seven more models of Hugging Face, random weights: ours with the same numbers says the same.

``make_more_huggingface_goldens.py`` made them, and says what ours is built with.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from support import numbers, tensor

from attn_course import pytorch, tf
from attn_course.parity import get_parameters, set_parameters

GOLDENS = np.load(Path(__file__).with_name("more_huggingface.npz"))
ABOUT = json.loads(str(GOLDENS["about"]))
FACE = pytest.mark.parametrize("face", [pytorch, tf], ids=["pytorch", "tf"])
ROW = pytest.mark.parametrize("row", ABOUT["rows"])


def arrays(row, folder):
    start = f"{row}/{folder}/"
    return {name.removeprefix(start): GOLDENS[name] for name in GOLDENS.files if name.startswith(start)}


def error(face, row, changed=None, **without):
    """How far ours is from theirs, as a share; changed: a parameter that is made another; without: a part left out."""
    about, x = ABOUT["rows"][row], GOLDENS[f"{row}/x"]
    parts = {name: getattr(face, kind)(*own, **more) for name, (kind, own, more) in about["parts"].items()}
    bias = parts.pop("bias", None)
    layer = getattr(face, about["kind"])(**about["options"], **{**parts, **without})
    parameters = arrays(row, "parameter")
    if changed is not None:
        old = parameters[changed]  # unevenly: a norm or a softmax takes away what is added to all
        parameters[changed] = old + np.linspace(-0.5, 0.5, old.size).reshape(old.shape) ** 3
    call = {name: tensor(face, array) for name, array in arrays(row, "call").items()} | about["flags"]
    if bias is not None:
        set_parameters(bias, {"weight": parameters.pop("bias.weight")})
        call["bias"] = bias(x.shape[1], x.shape[1])
    assert get_parameters(layer).keys() == parameters.keys()
    set_parameters(layer, parameters)
    memory = [call.pop("memory")] if "memory" in call else []
    found = numbers(layer(tensor(face, x), *memory, **call)[0])
    expected = GOLDENS[f"{row}/output"]
    return np.abs(found - expected).max() / np.abs(expected).max()


@FACE
@ROW
def test_ours_says_the_same(face, row):
    assert error(face, row) < 1e-5


@ROW
def test_every_number_matters(row):
    """But the key's bias, which adds the same to all scores of a query."""
    for name in arrays(row, "parameter"):
        if not name.endswith("key_bias"):
            assert error(pytorch, row, name) > 1e-4, name


@pytest.mark.parametrize("row", ["falcon attention", "modernbert local attention"])
def test_a_rotation_matters(row):
    assert error(pytorch, row, rotary=None) > 1e-3


def test_they_are_of_the_version_that_is_named():
    assert ABOUT["transformers"] == "5.23.0"
