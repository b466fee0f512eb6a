"""Files and seeds of an older state of this package give what they gave.

``older.npz`` and ``older.keras`` are of commit be22793. To make them again, check it out elsewhere and run this file
with its ``src`` on the path: ``PYTHONPATH=that/src:tests python tests/models/test_older.py``.
"""

from pathlib import Path

import numpy as np
import pytest
from support import numbers

from attn_course import pytorch, tf
from attn_course.frameworks import keras, torch
from attn_course.parity import get_parameters, set_parameters

HERE = Path(__file__).parent
OLDER = np.load(HERE / "older.npz")
D, H, B, T = 12, 4, 2, 7
LATENT = {"latent_dim": 5, "rope_dim": 2, "key_dim": 3, "value_dim": 3}
FEATURES = {"num_features": 6, "seed": 2}
SPARSE = {"stride": 3}
LAYERS = {
    "MultiHeadAttention": ((D, H), {"key_dim": 5, "value_dim": 2, "dropout": 0.1}),
    "GroupedQueryAttention": ((D, H), {"num_kv_heads": 2, "use_bias": False}),
    "RelativeAttention": ((D, H), {"max_distance": 2}),
    "SlidingWindowAttention": ((D, H), {"window": 3}),
    "DilatedWindowAttention": ((D, H), {"window": 3, "dilation": 2}),
    "LongformerAttention": ((D, H), {"window": 3, "positions": (1,)}),
    "BigBirdAttention": ((D, H), {"block_size": 2, "num_random": 1, "seed": 4}),
    "StridedAttention": ((D, H), SPARSE),
    "FixedAttention": ((D, H), {**SPARSE, "summary": 1}),
    "LinearAttention": ((D, H), {}),
    "DeltaRuleAttention": ((D, H), {}),
    "PerformerAttention": ((D, H), FEATURES),
    "RandomFeatureAttention": ((D, H), FEATURES),
    "LinformerAttention": ((D, H), {"length": T, "rank": 3}),
    "LSHAttention": ((D, H), {"num_buckets": 2, "num_rounds": 2, "seed": 1}),
    "FlashAttention": ((D, H), {}),
    "LatentAttention": ((D, H), LATENT),
    "SelfAttention": ((D,), {"key_dim": 5, "value_dim": 3}),
    "AdditiveAttention": ((D, D, 5), {}),
    "LuongAttention": ((D, D), {"score": "general"}),
    "EncoderLayer": ((D, H, 11), {"norm": "pre"}),
    "Encoder": ((2, D, H, 11), {"norm": "pre"}),
    "DecoderLayer": ((D, H, 11), {}),
    "Transformer": ((13, 1, D, H, 11), {}),
}
CAUSAL = {"StridedAttention", "FixedAttention"}  # it was not their default
TWO = {"AdditiveAttention", "LuongAttention", "DecoderLayer", "Transformer"}  # a memory too, or a source and a target
LAYER = pytest.mark.parametrize("name", LAYERS)


def build(face, name):
    """A layer from a seed, with the dtype that it has by itself."""
    sizes, options = LAYERS[name]
    torch.manual_seed(3)
    keras.utils.set_random_seed(3)
    return getattr(face, name)(*sizes, **options)


def inputs(name):
    """What a layer is called with, in NumPy."""
    rng = np.random.default_rng(5)
    x = rng.integers(1, 13, (B, T)) if name == "Transformer" else rng.normal(size=(B, T, D)).astype("float32")
    return (x, x[:, ::-1].copy()) if name in TWO else (x,)


def called(layer, name, *given):
    """What the layer gives first."""
    return layer(*given, **({"causal": True} if name in CAUSAL else {}))[0]


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


def store():
    """Make the two files."""
    found = {}
    for name in LAYERS:
        for face in (pytorch, tf):
            layer = build(face, name)
            if face is pytorch:
                layer.eval()
                output = called(layer, name, *map(torch.from_numpy, inputs(name))).detach().numpy()
                found |= {f"{name}/state/{key}": x.numpy() for key, x in layer.state_dict().items()}
            else:
                output = called(layer, name, *inputs(name)).numpy()
            short = face.__name__.split(".")[-1]
            found[f"{name}/{short}/output"] = output
            found |= {f"{name}/{short}/parity/{key}": x for key, x in get_parameters(layer).items()}
    np.savez_compressed(HERE / "older.npz", **found)
    entries = {name: [keras.Input(x.shape[1:], dtype=str(x.dtype)) for x in inputs(name)] for name in LAYERS}
    outputs = [called(build(tf, name), name, *entries[name]) for name in LAYERS]
    model = keras.Model(list(entries.values()), outputs)
    model.save(HERE / "older.keras")
    for path in (HERE / "older.npz", HERE / "older.keras"):
        print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    store()
