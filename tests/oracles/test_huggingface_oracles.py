"""Layers of models of Hugging Face, random weights: ours say the same, from one dict in both frameworks.

``make_goldens.py`` stored what is compared with; here stands a module of the same form without the library, which
tests/clients asks itself.
"""

from dataclasses import replace

import numpy as np
import pytest
from oracle_modules import GOLDENS, ROWS, call, module, rebuilt, stub, without
from support import FACE, in_chunks, numbers, tensor

from attn_course import pytorch, tf
from attn_course.frameworks import torch
from attn_course.models.huggingface.shared import read_huggingface
from attn_course.parity import get_parameters, set_parameters

ROW = pytest.mark.parametrize("row", ROWS)
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
    "deepseek-v3 without a query latent": ("EncoderLayer", "LatentAttention"),
    "deepseek-v3 yarn": ("EncoderLayer", "LatentAttention"),
    "deepseek-v3 as released": ("EncoderLayer", "LatentAttention"),
    "gemma2 sliding_attention": ("EncoderLayer", "SlidingWindowAttention"),
    "gemma2 full_attention": ("EncoderLayer", "GroupedQueryAttention"),
    "gemma3 layer": ("EncoderLayer", "SlidingWindowAttention"),
    "olmo2": ("GroupedQueryAttention", None),
    "qwen3-next": ("GroupedQueryAttention", None),
    "llama4 chunks": ("GroupedQueryAttention", None),
    "llama4 nope": ("GroupedQueryAttention", None),
    "diffllama": ("EncoderLayer", "DifferentialAttention"),
    "deepseek-v3.2": ("EncoderLayer", "IndexedAttention"),
    "deepseek-v3.2 yarn": ("EncoderLayer", "IndexedAttention"),
    "deepseek-v4 window": ("CompressedAttention", None),
    "deepseek-v4 hca": ("CompressedAttention", None),
    "deepseek-v4 csa": ("CompressedAttention", None),
    "minimax-m3": ("IndexedBlocksAttention", None),
    "minimax-m3 dense": ("GroupedQueryAttention", None),
    "olmo3 sliding_attention": ("SlidingWindowAttention", None),
    "olmo3 full_attention": ("GroupedQueryAttention", None),
    "qwen2 sliding_attention": ("EncoderLayer", "SlidingWindowAttention"),
    "qwen2 full_attention": ("EncoderLayer", "GroupedQueryAttention"),
    "mixtral": ("SlidingWindowAttention", None),
    "glm": ("GroupedQueryAttention", None),
    "glm4": ("GroupedQueryAttention", None),
    "phi": ("GroupedQueryAttention", None),
    "phi3": ("SlidingWindowAttention", None),
    "gemma3n sliding_attention": ("SlidingWindowAttention", None),
    "gemma3n full_attention": ("GroupedQueryAttention", None),
}


GEMMA_3N = ("gemma3n sliding_attention", "gemma3n full_attention")


def apart(row, layer, face=pytorch):
    """How far a layer's output is from theirs, as a share of the largest number."""
    found, expected = numbers(call(face, row, layer, tensor(face, GOLDENS[f"{row}/x"]))), GOLDENS[f"{row}/output"]
    return np.abs(found - expected).max() / np.abs(expected).max()


@FACE
@ROW
def test_ours_says_the_same(face, row):
    layer = face.from_huggingface(module(row))
    assert (type(layer).__name__, type(getattr(layer, "attention", None)).__name__.replace("NoneType", "")) == tuple(
        x or "" for x in EXPECTED[row]
    )
    assert apart(row, layer, face) < 1e-5


@ROW
def test_one_dict_for_both(row):
    """Every number of theirs is in it once, and none but the zeros of a bias; and both layers have it, key by key."""
    recipe = read_huggingface(module(row))
    size = sum(GOLDENS[name].size for name in GOLDENS.files if name.startswith(f"{row}/state/"))
    added = [x for name, x in recipe.parameters.items() if name.endswith("output_bias") and not x.any()]
    assert sum(x.size for x in recipe.parameters.values()) == size + sum(x.size for x in added)
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
        ("deepseek-v3.2", "attention.index_norm.bias"),
        ("deepseek-v4 hca", "pool.norm.scale"),
        ("deepseek-v4 csa", "index_head_weight"),
        ("minimax-m3", "index_query_weight"),
    ],
)
def test_what_is_special_matters(row, name):
    """Without it the output is another: the comparison above would see it."""
    layer = pytorch.from_huggingface(module(row))
    parameters = get_parameters(layer)
    set_parameters(layer, {**parameters, name: parameters[name] + 0.5})
    assert apart(row, layer) > 1e-3


WITHOUT = {
    "mistral": "rotary window",
    "gemma2 sliding_attention": "rotary window softmax",
    "gemma2 full_attention": "rotary scale softmax",
    "gemma3 sliding_attention": "rotary window",
    "gpt-oss sliding_attention": "rotary window softmax",
    "llama4 chunks": "rotary query_key_norm",
    "llama4 nope": "rotary",  # its log scale
    "diffllama": "rotary",
    "olmo3 sliding_attention": "rotary window",
    "qwen2 sliding_attention": "rotary window",
    "mixtral": "rotary window",
    "phi3": "rotary window",
    "gemma3n sliding_attention": "rotary window query_key_norm value_norm",
    "gemma3n full_attention": "rotary scale query_key_norm value_norm",
}


@pytest.mark.parametrize("row", WITHOUT)
def test_without_a_part_the_output_is_another(row):
    """A window: with one that is wider by one."""
    for name in WITHOUT[row].split():

        def change(recipe, name=name):
            options = without(recipe.options, name) | ({"window": 4} if name == "window" else {})
            parts, parameters = without(recipe.parts, name), without(recipe.parameters, name)
            return replace(recipe, options=options, parts=parts, parameters=parameters)

        assert apart(row, rebuilt(pytorch, module(row), change)) > 1e-3, name


def test_the_chunks_of_llama_4_are_a_mask():
    x, expected = torch.from_numpy(GOLDENS["llama4 chunks/x"]), GOLDENS["llama4 chunks/output"]
    whole = numbers(pytorch.from_huggingface(module("llama4 chunks"))(x, causal=True)[0])
    np.testing.assert_allclose(whole[:, :3], expected[:, :3], 1e-5, 1e-5)
    assert np.abs(whole - expected)[:, 3:].max() / np.abs(expected).max() > 1e-3


@FACE
def test_a_layer_decodes_with_a_cache(face):
    """Token by token behind ``new_cache``, as at once."""
    for row in ("llama3", "deepseek-v3 yarn", "gemma2 sliding_attention", "diffllama", "llama4 nope", *GEMMA_3N):
        layer, x = face.from_huggingface(module(row)), GOLDENS[f"{row}/x"]
        cache = layer.new_cache(len(x), x.shape[1])
        found = in_chunks(face, layer, x, (1,) * x.shape[1], causal=True, need_weights=False, cache=cache)
        np.testing.assert_allclose(found, GOLDENS[f"{row}/output"], 1e-4, 1e-4)


def test_what_is_not_ours_is_refused():
    with pytest.raises(ValueError, match="module must be one of BertLayer, GPT2Block"):
        read_huggingface(stub("GptOssDecoderLayer", {}))
    with pytest.raises(ValueError, match="hidden_act must be one of relu, gelu"):
        read_huggingface(module("bert", hidden_act="mish"))
    rope = {"rope_theta": 1e4, "mscale": 0.5}
    refused = {"mrope": "must be one of default, linear, llama3, yarn, dynamic, longrope"}
    refused["linear"] = "must have mscale=None, got 0.5"
    for kind, error in refused.items():
        with pytest.raises(ValueError, match=f"rope_type.* {error}"):
            read_huggingface(module("llama", rope_parameters=rope | {"rope_type": kind}))
    other = module("qwen3")
    state = other.state_dict() | {"mlp.experts.weight": torch.zeros(2, 2)}
    other.state_dict = lambda: state
    with pytest.raises(ValueError, match=r"module must have what ours has, got mlp\.experts\.weight"):
        read_huggingface(other)


MSCALE = {"mscale": 5, "mscale_all_dim": 1}


@pytest.mark.parametrize(
    ("more", "scale"),
    [
        ({}, 2.0),
        ({"factor": None}, 2.0),
        ({"mscale": 5}, 2.0),
        (MSCALE, 3.0),
        (MSCALE | {"attention_factor": 0.6}, 0.6),
    ],
)
def test_what_multiplies_query_and_key(more, scale):
    """Of a factor e^10, also where the two lengths say it."""
    rope = {"rope_type": "yarn", "rope_theta": 1e4, "factor": np.exp(10), "original_max_position_embeddings": 8}
    other = module("llama", rope_parameters=rope | more, max_position_embeddings=8 * np.exp(10))
    assert np.isclose(read_huggingface(other).parts["rotary"][1]["scale"], scale)


@FACE
@pytest.mark.parametrize("change", ["rope_type", "attention_bias=False", "rope_interleave=True"])
def test_what_a_latent_refuses(face, change):
    other = {"rope_parameters": {"rope_type": "mrope", "rope_theta": 1e4}}
    attention = module("deepseek-v3", **(other if change == "rope_type" else {})).self_attn
    if "bias" in change:
        attention.state_dict = lambda: {"o_proj.bias": torch.zeros(2)}
    elif "interleave" in change:
        attention.config.rope_interleave = False
    with pytest.raises(ValueError, match=f"{change}( must be one of|, got)"):
        face.LatentAttention.from_huggingface(attention)
