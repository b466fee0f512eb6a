"""Independent witnesses: PyTorch's and Keras's grouped attention here, Hugging Face's cached modules from a file.

``cache.npz`` was made by ``make_cache_goldens.py``. Hugging Face computes its norms in float32.
"""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from support import FACE, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.parity import set_parameters

GOLDENS = np.load(Path(__file__).with_name("cache.npz"))
B, S, D, H, G, K = 2, 7, 18, 6, 2, 4
ALLOWED = np.arange(S) >= GOLDENS["padded"][:, None]
CHUNKS = ((0, 4), (4, 5), (5, 7))


def golden(name):
    return {key.split("/")[1]: GOLDENS[key] for key in GOLDENS if key.startswith(f"{name}/")}


def compare(face, layer, cache, arrays, **options):
    """The whole sequence, and in chunks through a cache; rows of padding are each library's own affair."""
    x, mask = arrays["x"], ALLOWED[:, None, None]
    options = {"causal": True} | options
    whole = numbers(layer(tensor(face, x), mask=tensor(face, mask), **options)[0])
    options["cache"] = cache
    steps = [numbers(layer(tensor(face, x[:, a:b]), mask=tensor(face, mask[..., :b]), **options)[0]) for a, b in CHUNKS]
    for found in (whole, np.concatenate(steps, axis=1)):
        np.testing.assert_allclose(found[ALLOWED], arrays["output"][ALLOWED], rtol=2e-6, atol=2e-6)


class NormThenRotate(torch.nn.Module):
    """Qwen3 brings query and key to unit size before it turns them: what stands in the place of ``rotary``."""

    def __init__(self, scales):
        super().__init__()
        self.scales, self.rotary = scales, pytorch.RotaryEncoding(K, base=10000.0)

    def forward(self, query, key, **place):
        query, key = (
            x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt() * torch.from_numpy(scale)
            for x, scale in zip((query, key), self.scales, strict=True)
        )
        return self.rotary(query, key, **place)


class NormThenRotateKeras(keras.layers.Layer):
    def __init__(self, scales):
        super().__init__(dtype="float64")
        self.scales, self.rotary = scales, tf.RotaryEncoding(K, base=10000.0, dtype="float64")

    def call(self, query, key, first_position=0):
        query, key = (
            x / keras.ops.sqrt(keras.ops.mean(x**2, axis=-1, keepdims=True) + 1e-6) * scale
            for x, scale in zip((query, key), self.scales, strict=True)
        )
        return self.rotary(query, key, first_position=first_position)


@FACE
@pytest.mark.parametrize("name", ["llama", "qwen3"])
@pytest.mark.parametrize("paged", [False, True])
def test_hugging_face_s_grouped_modules(face, name, paged):
    arrays = golden(name)
    dtype = {"dtype": "float64"} if face is tf else {}
    if name == "llama":
        rotary = face.RotaryEncoding(K, base=10000.0, **dtype)
    else:
        kind = NormThenRotate if face is pytorch else NormThenRotateKeras
        rotary = kind([arrays["q_norm.weight"], arrays["k_norm.weight"]])
    options = {"num_kv_heads": G, "key_dim": K, "use_bias": False, "rotary": rotary}
    layer = face.GroupedQueryAttention(D, H, **options, **dtype)
    layer = layer.double() if face is pytorch else layer
    letters = {"query": "q", "key": "k", "value": "v", "output": "o"}
    set_parameters(layer, {f"{long}_weight": arrays[f"{short}_proj.weight"].T for long, short in letters.items()})
    dtype = torch.float64 if face is pytorch else "float64"
    kind, options = (face.PagedKVCache, {"block_size": 3}) if paged else (face.KVCache, {})
    cache = kind(B, G, S, K, **options, dtype=dtype)
    compare(face, layer, cache, arrays)


def deepseek(name):
    """A module of Hugging Face's as far as it is read: its sizes and its weights."""
    weights = {key: torch.from_numpy(x) for key, x in golden(name).items() if "weight" in key}
    query = len(weights["q_a_layernorm.weight"]) if "q_a_layernorm.weight" in weights else None
    rope = {"rope_type": "default", "rope_theta": 10000.0}
    if "yarn" in name:
        rope |= {"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096}
        rope |= {"beta_fast": 32.0, "beta_slow": 1.0, "mscale_all_dim": 1.0}
        rope["mscale"] = 0.707 if "two" in name else 1.0
    return SimpleNamespace(
        config=SimpleNamespace(hidden_size=D, rope_parameters=rope, rope_interleave=True),
        state_dict=lambda: weights,
        kv_a_proj_with_mqa=None,
        o_proj=SimpleNamespace(weight=weights["o_proj.weight"]),
        num_heads=H,
        kv_lora_rank=11,
        qk_rope_head_dim=4,
        qk_nope_head_dim=5,
        v_head_dim=3,
        q_lora_rank=query,
        training=False,
    )


@FACE
@pytest.mark.parametrize(
    "name", ["deepseek", "deepseek without a query latent", "deepseek yarn", "deepseek yarn of two shares"]
)
@pytest.mark.parametrize("absorbed", [False, True])
def test_hugging_face_s_latent_module(face, name, absorbed):
    layer = face.LatentAttention.from_huggingface(deepseek(name))
    compare(face, layer, layer.new_cache(B, S), golden(name), absorbed=absorbed)


@FACE
def test_what_from_huggingface_refuses(face):
    for change in ({"rope_type": "linear", "rope_theta": 1e4}, "bias", "interleave"):
        module = deepseek("deepseek")
        if change == "bias":
            module.state_dict = lambda: {"o_proj.bias": None}
        elif change == "interleave":
            module.config.rope_interleave = False
        else:
            module.config.rope_parameters = change
        with pytest.raises(ValueError, match=r"rope_type 'default' or 'yarn', .* and no biases, got"):
            face.LatentAttention.from_huggingface(module)


@pytest.mark.parametrize("groups", [1, 3, 6])
@pytest.mark.parametrize("masked", [False, True])
def test_pytorch_s_enable_gqa(groups, masked):
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(B, H, 5, K)), *rng.normal(size=(2, B, groups, S, K))
    mask = rng.random((B, H, 5, S)) < 0.7 if masked else None
    inputs = [torch.from_numpy(x) for x in (query, key, value)]
    torch_mask = None if mask is None else torch.from_numpy(mask)
    expected = torch.nn.functional.scaled_dot_product_attention(*inputs, torch_mask, enable_gqa=True).numpy()
    for found in (
        reference.grouped_query_attention(query, key, value, mask),
        pytorch.grouped_query_attention(*inputs, torch_mask),
        pytorch.grouped_query_attention(*inputs, torch_mask, need_weights=False),
        tf.grouped_query_attention(query, key, value, mask),
    ):
        np.testing.assert_allclose(numbers(found[0]), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("groups", [1, 3, 6])
def test_keras_s_grouped_layer(groups):
    theirs = keras.layers.GroupQueryAttention(K, H, groups, dtype="float64")
    rng = np.random.default_rng(0)
    x, memory = rng.normal(size=(B, 5, D)), rng.normal(size=(B, S, D))
    theirs(x, memory)
    for variable in theirs.trainable_variables:
        variable.assign(rng.normal(size=variable.shape) / 3)
    parameters = {}
    for name in ("query", "key", "value", "output"):
        part = getattr(theirs, f"_{name}_dense")
        inputs = D if name != "output" else H * K
        parameters[f"{name}_weight"] = part.kernel.numpy().reshape(inputs, -1)
        parameters[f"{name}_bias"] = part.bias.numpy().ravel()
    mask = rng.random((B, 5, S)) < 0.8
    expected = numbers(theirs(x, memory, attention_mask=mask))
    sizes = {"num_heads": H, "num_kv_heads": groups}
    found = [reference.grouped_query_layer(x, memory, memory, parameters, **sizes, mask=mask[:, None])[0]]
    for face in (pytorch, tf):
        dtype = {"dtype": "float64"} if face is tf else {}
        layer = face.GroupedQueryAttention(D, H, num_kv_heads=groups, key_dim=K, **dtype)
        layer = layer.double() if face is pytorch else layer
        set_parameters(layer, parameters)
        found.append(numbers(layer(*(tensor(face, y) for y in (x, memory, memory, mask[:, None])))[0]))
    for one in found:
        np.testing.assert_allclose(one, expected, rtol=1e-6, atol=1e-6)
