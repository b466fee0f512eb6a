"""Layers of thirteen models of Hugging Face, random weights: ours say the same, from one dict in both frameworks.

``make_huggingface_goldens.py`` made what is compared with; here stands a module of the same form without the library.
"""

import numpy as np
import pytest
from oracle_modules import ABOUT, GOLDENS, ROWS, call, module, stub
from support import numbers, tensor

from attn_course import pytorch, tf
from attn_course.frameworks import torch
from attn_course.models.huggingface.shared import read_huggingface
from attn_course.parity import get_parameters, set_parameters

ROW = pytest.mark.parametrize("row", ROWS)
FACE = pytest.mark.parametrize("face", [pytorch, tf], ids=["pytorch", "tf"])
EXPECTED = {
    "bert": ("EncoderLayer", "MultiHeadAttention"),
    "gpt2": ("EncoderLayer", "MultiHeadAttention"),
    "llama": ("EncoderLayer", "GroupedQueryAttention"),
    "llama3": ("EncoderLayer", "GroupedQueryAttention"),
    "mistral": ("EncoderLayer", "SlidingWindowAttention"),
    "qwen3": ("EncoderLayer", "GroupedQueryAttention"),
    "gemma3 sliding_attention": ("SlidingWindowAttention", None),
    "gemma3 full_attention": ("GroupedQueryAttention", None),
    "gpt-oss sliding_attention": ("SlidingWindowAttention", None),
    "gpt-oss full_attention": ("GroupedQueryAttention", None),
    "deepseek-v3": ("EncoderLayer", "LatentAttention"),
    "deepseek-v3 yarn": ("EncoderLayer", "LatentAttention"),
    "gemma2 sliding_attention": ("EncoderLayer", "SlidingWindowAttention"),
    "gemma2 full_attention": ("EncoderLayer", "GroupedQueryAttention"),
    "gemma3 layer": ("EncoderLayer", "SlidingWindowAttention"),
    "olmo2": ("GroupedQueryAttention", None),
    "qwen3-next": ("GroupedQueryAttention", None),
    "llama4 chunks": ("GroupedQueryAttention", None),
    "llama4 nope": ("GroupedQueryAttention", None),
    "diffllama": ("EncoderLayer", "DifferentialAttention"),
}


@FACE
@ROW
def test_ours_says_the_same(face, row):
    layer = face.from_huggingface(module(row))
    assert (type(layer).__name__, type(getattr(layer, "attention", None)).__name__.replace("NoneType", "")) == tuple(
        x or "" for x in EXPECTED[row]
    )
    found = numbers(call(face, row, layer, tensor(face, GOLDENS[f"{row}/x"])))
    expected = GOLDENS[f"{row}/output"]
    assert np.abs(found - expected).max() / np.abs(expected).max() < 1e-5


@ROW
def test_one_dict_for_both(row):
    """Every number of theirs is in it once; and both layers have it, key by key."""
    recipe = read_huggingface(module(row))
    size = sum(GOLDENS[name].size for name in GOLDENS.files if name.startswith(f"{row}/state/"))
    assert sum(x.size for x in recipe.parameters.values()) == size
    for face in (pytorch, tf):
        found = get_parameters(face.from_huggingface(module(row)))
        assert found.keys() == recipe.parameters.keys()
        for name, x in recipe.parameters.items():
            np.testing.assert_array_equal(found[name], x)


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ("gpt-oss full_attention", "softmax.sink"),
        ("qwen3", "attention.query_key_norm.key.scale"),
        ("gemma3 full_attention", "query_key_norm.query.scale"),
        ("deepseek-v3", "attention.latent_norm.scale"),
        ("bert", "norm1.bias"),
        ("gpt2", "feed_forward.1.bias"),
        ("gemma2 full_attention", "norm1_behind.scale"),
        ("gemma3 layer", "norm2_behind.scale"),
        ("olmo2", "query_key_norm.key.scale"),
        ("gemma3 layer", "attention.query_key_norm.key.scale"),
        ("qwen3-next", "output_gate.weight"),
        ("qwen3-next", "query_key_norm.query.scale"),
        ("diffllama", "attention.lambda_query"),
    ],
)
def test_what_is_special_matters(row, name):
    """Without it the output is another: the comparison above would see it."""
    layer, x = pytorch.from_huggingface(module(row)), torch.from_numpy(GOLDENS[f"{row}/x"])
    parameters = get_parameters(layer)
    set_parameters(layer, {**parameters, name: parameters[name] + 0.5})
    expected = GOLDENS[f"{row}/output"]
    assert np.abs(numbers(call(pytorch, row, layer, x)) - expected).max() / np.abs(expected).max() > 1e-3


def test_a_window_and_a_rotation_matter():
    windows = "mistral", "gemma2", "gemma3", "gpt-oss"
    for row in [name if name in ROWS else f"{name} sliding_attention" for name in windows]:
        x, expected = torch.from_numpy(GOLDENS[f"{row}/x"]), GOLDENS[f"{row}/output"]
        layer = pytorch.from_huggingface(module(row))
        attention = getattr(layer, "attention", layer)
        attention.rotary = None
        assert np.abs(numbers(call(pytorch, row, layer, x)) - expected).max() / np.abs(expected).max() > 1e-3
        assert attention.config["window"] == 3


def test_parts_without_parameters_matter():
    """Llama 4's norm, its rotation, its chunks and its log scale, and the turning halves of DiffLlama."""
    parts = {"llama4 chunks": ("rotary", "query_key_norm"), "llama4 nope": ("rotary",), "diffllama": ("rotary",)}
    for row, names in parts.items():
        x, expected = torch.from_numpy(GOLDENS[f"{row}/x"]), GOLDENS[f"{row}/output"]
        for name in names:
            layer = pytorch.from_huggingface(module(row))
            setattr(getattr(layer, "attention", layer), name, None)
            assert np.abs(numbers(call(pytorch, row, layer, x)) - expected).max() / np.abs(expected).max() > 1e-3
        if row == "llama4 chunks":
            whole = numbers(pytorch.from_huggingface(module(row))(x, causal=True)[0])
            np.testing.assert_allclose(whole[:, :3], expected[:, :3], 1e-5, 1e-5)
            assert np.abs(whole - expected)[:, 3:].max() / np.abs(expected).max() > 1e-3


def test_a_cap_matters():
    """1.5 in the rows, so that it bends the scores of so small a layer."""
    for row in ("gemma2 sliding_attention", "gemma2 full_attention"):
        x, expected = torch.from_numpy(GOLDENS[f"{row}/x"]), GOLDENS[f"{row}/output"]
        layer = pytorch.from_huggingface(module(row))
        assert layer.attention.softmax.cap == 1.5
        layer.attention.softmax = None
        assert np.abs(numbers(call(pytorch, row, layer, x)) - expected).max() / np.abs(expected).max() > 1e-3


@FACE
def test_a_layer_decodes_with_a_cache(face):
    """Token by token behind ``new_cache``, as at once."""
    for row in ("llama3", "deepseek-v3 yarn", "gemma2 sliding_attention", "diffllama", "llama4 nope"):
        layer, x = face.from_huggingface(module(row)), GOLDENS[f"{row}/x"]
        cache = layer.new_cache(len(x), x.shape[1])
        with torch.no_grad():
            parts = [
                numbers(layer(tensor(face, x[:, t : t + 1]), causal=True, need_weights=False, cache=cache)[0])
                for t in range(x.shape[1])
            ]
        np.testing.assert_allclose(np.concatenate(parts, 1), GOLDENS[f"{row}/output"], 1e-4, 1e-4)


def test_what_is_not_ours_is_refused():
    assert ABOUT["transformers"] == "5.23.0"
    with pytest.raises(ValueError, match="module must be one of BertLayer, GPT2Block"):
        read_huggingface(stub("GptOssDecoderLayer", {}))
    with pytest.raises(ValueError, match="hidden_act must be one of relu, gelu"):
        read_huggingface(module("bert", hidden_act="mish"))
    rope = {"rope_type": "longrope", "rope_theta": 1e4}
    with pytest.raises(ValueError, match="rope_type must be one of default, linear, llama3, yarn"):
        read_huggingface(module("llama", rope_parameters=rope))
    other = module("qwen3")
    state = other.state_dict() | {"mlp.experts.weight": torch.zeros(2, 2)}
    other.state_dict = lambda: state
    with pytest.raises(ValueError, match=r"module must have what ours has, got mlp\.experts\.weight"):
        read_huggingface(other)
