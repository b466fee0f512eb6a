"""Layers of patterns against released models' of Hugging Face: gpt-oss' sliding layer, Longformer's global maps."""

from pathlib import Path

import numpy as np
from support import FACE, build, numbers, tensor

from attn_course import masks, pytorch
from attn_course.parity import get_parameters, set_parameters

GOLDENS = np.load(Path(__file__).with_name("patterns.npz"))
H, G, K, HEADS = GOLDENS["heads"].tolist()


def golden(part):
    found = {key.split("/")[1]: GOLDENS[key] for key in GOLDENS.files if key.startswith(part + "/")}
    return found.pop("x"), found.pop("output"), found


def padding(length):
    return masks.padding_mask(length - GOLDENS["padded"], length)


def gpt_oss(face, width, window):
    place = {} if face is pytorch else {"dtype": "float64"}
    parts = {
        "softmax": face.SinkSoftmax(H, **place),
        "rotary": face.RotaryEncoding(K, base=float(GOLDENS["base"]), **place),
    }
    return build(face, "SlidingWindowAttention", width, H, window=window, num_kv_heads=G, key_dim=K, **parts)


@FACE
def test_a_window_with_sinks_and_groups_is_gpt_oss_layer(face):
    """Its rotation is in float32. Rows in its padding see nothing that ours sees."""
    x, output, parameters = golden("gpt-oss")
    real = padding(x.shape[1])
    for window, right in ((int(GOLDENS["window"]), True), (int(GOLDENS["window"]) + 1, False)):
        layer = gpt_oss(face, x.shape[-1], window)
        set_parameters(layer, parameters)
        found, _ = layer(tensor(face, x), causal=True, mask=tensor(face, real[:, None, None]))
        apart = np.abs(numbers(found) - output)[real].max()
        assert apart < 1e-5 if right else apart > 1e-2
    layer.softmax = None
    assert np.abs(numbers(layer(tensor(face, x), causal=True)[0]) - output)[real].max() > 1e-2


@FACE
def test_global_projections_are_longformers(face):
    """Theirs ends before the output's projection: ours is the identity here. Its global softmax is in float32."""
    x, output, parameters = golden("longformer")
    real, width = padding(x.shape[1]), x.shape[-1]
    sizes = {"window": int(GOLDENS["side"]) + 1, "positions": GOLDENS["global"].tolist()}
    layer = build(face, "LongformerAttention", width, HEADS, global_projections=True, **sizes)
    parameters |= {"output_weight": np.eye(width), "output_bias": np.zeros(width)}
    assert get_parameters(layer).keys() == parameters.keys()
    set_parameters(layer, parameters)
    mask = tensor(face, real[:, None, None])
    found = numbers(layer(tensor(face, x), mask=mask)[0])
    np.testing.assert_allclose(found[real], output[real], rtol=1e-5, atol=1e-5)
    shared = build(face, "LongformerAttention", width, HEADS, **sizes)
    set_parameters(shared, {name: x for name, x in parameters.items() if "global" not in name})
    other = numbers(shared(tensor(face, x), mask=mask)[0])
    rows = np.isin(np.arange(x.shape[1]), sizes["positions"])
    assert np.abs(other - output)[:, rows].max() > 1e-2
    np.testing.assert_allclose(other[:, ~rows][real[:, ~rows]], output[:, ~rows][real[:, ~rows]], rtol=1e-5, atol=1e-5)
