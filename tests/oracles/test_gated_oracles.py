"""Independent witnesses: a norm, a gate, sinks and a cap as in Hugging Face's Qwen3, Qwen3-Next, gpt-oss and Gemma 2.

``gated.npz`` was made by ``make_gated_goldens.py``. Most of these modules compute norm and softmax in float32; the
TensorFlow twin is compared with PyTorch on the same parameters, and closer.
"""

from pathlib import Path

import numpy as np
import pytest
from support import close, numbers, tensor

from attn_course import pytorch, tf
from attn_course.frameworks import torch
from attn_course.masks import sliding_window_mask
from attn_course.parity import get_parameters, set_parameters

GOLDENS = np.load(Path(__file__).with_name("gated.npz"))
B, T, D, H, G, K, W = 2, 7, 30, 6, 2, 8, 3
SCALAR = 13
LAYER = pytest.mark.parametrize("name", ["GroupedQueryAttention", "MultiHeadAttention"])


def golden(name):
    """What the file has, and query, key, value and output by our names."""
    arrays = {key.split("/")[1]: GOLDENS[key] for key in GOLDENS if key.startswith(f"{name}/")}
    ours = {}
    for long, short in {"query": "q", "key": "k", "value": "v", "output": "o"}.items():
        for part in ("weight", "bias"):
            if (x := arrays.get(f"{short}_proj.{part}")) is not None:
                ours[f"{long}_{part}"] = x.T
    return arrays, ours


def agree(arrays, parameters, build, tolerance=1e-5, **call):
    """The layer that ``build(face, dtype)`` makes, in both frameworks; every parameter is one of the module's."""
    found = {}
    for face in (pytorch, tf):
        layer = build(face, {"dtype": torch.float64 if face is pytorch else "float64"})
        assert parameters.keys() == get_parameters(layer).keys()
        set_parameters(layer, parameters)
        options = {"causal": True} | {key: tensor(face, x) for key, x in call.items()}
        found[face] = numbers(layer(tensor(face, arrays["x"]), **options)[0])
    close(found[pytorch], arrays["output"], tolerance)
    close(found[tf], found[pytorch], 1e-12)


def heads(face, dtype, name, **options):
    options = {"num_kv_heads": G, "key_dim": K, "use_bias": False} | options
    # A part of Keras has a dtype of its own, even one without weights.
    rotary = options.pop("rotary", None) or face.RotaryEncoding(K, **(dtype if face is tf else {}))
    return getattr(face, name)(D, H, rotary=rotary, **options, **dtype)


@LAYER
def test_norm_of_queries_and_keys_as_in_qwen3(name):
    arrays, ours = golden("qwen3")
    ours |= {f"query_key_norm.{long}.scale": arrays[f"{long[0]}_norm.weight"] for long in ("query", "key")}
    agree(arrays, ours, lambda face, dtype: heads(face, dtype, name, query_key_norm=face.QueryKeyNorm(K, **dtype)))


@LAYER
def test_gate_as_in_qwen3_next(name):
    """The gate is the second half of every head of its ``q_proj``; its norm multiplies by 1 + weight."""
    arrays, ours = golden("qwen3_next")
    joint = ours["query_weight"].reshape(D, H, 2, K)
    ours |= {f"query_key_norm.{long}.scale": 1 + arrays[f"{long[0]}_norm.weight"] for long in ("query", "key")}
    ours |= {"query_weight": joint[:, :, 0].reshape(D, -1), "output_gate.weight": joint[:, :, 1].reshape(D, -1)}

    def build(face, dtype):
        half = K // 2  # of a head's columns turn
        steps = tuple(10000.0 ** (-np.arange(0, half, 2) / half))
        turn = face.RotaryEncoding(K, frequencies=steps, **(dtype if face is tf else {}))
        parts = {"query_key_norm": face.QueryKeyNorm(K, **dtype), "rotary": turn}
        return heads(face, dtype, name, output_gate=face.OutputGate(D, H, K, use_bias=False, **dtype), **parts)

    agree(arrays, ours, build)


@LAYER
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("window", [None, W])
def test_sinks_as_in_gpt_oss(name, need_weights, window):
    """In its layers of the whole text, and in those of a window, here as a mask."""
    arrays, ours = golden("gpt_oss" if window is None else "gpt_oss_window")
    ours["softmax.sink"] = arrays["sinks"]
    mask = None if window is None else sliding_window_mask(T, T, window, causal=True)

    def build(face, dtype):
        return heads(face, dtype, name, use_bias=True, softmax=face.SinkSoftmax(H, **dtype))

    agree(arrays, ours, build, need_weights=need_weights, mask=mask)


@LAYER
def test_cap_and_scale_as_in_gemma2(name):
    arrays, ours = golden("gemma2")

    def build(face, dtype):
        cap = face.CappedSoftmax(2.0, **(dtype if face is tf else {}))
        return heads(face, dtype, name, softmax=cap, scale=SCALAR**-0.5)

    agree(arrays, ours, build)


@pytest.mark.parametrize("part", ["softmax", "scale", "rotary"])
def test_without_a_part_the_numbers_are_others(part):
    """What the comparisons above would say of a layer that drops it."""
    arrays, ours = golden("gemma2")
    parts = {"softmax": pytorch.CappedSoftmax(2.0), "scale": SCALAR**-0.5}
    without = {**parts, part: torch.nn.Identity()} if part == "rotary" else {**parts, part: None}
    if part == "rotary":
        without[part].forward = lambda query, key: (query, key)
    layer = heads(pytorch, {"dtype": torch.float64}, "MultiHeadAttention", **without)
    set_parameters(layer, ours)
    found = numbers(layer(torch.from_numpy(arrays["x"]), causal=True)[0])
    assert np.abs(found - arrays["output"]).max() > 0.01
