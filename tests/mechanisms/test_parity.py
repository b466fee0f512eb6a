"""The same parameters into both frameworks; wrong ones are refused, and nothing is written then."""

import numpy as np
import pytest

from attn_course import pytorch, tf
from attn_course.frameworks import keras, torch
from attn_course.parity import get_parameters, set_parameters

SIZES = {"vocab_size": 11, "embedding_dim": 3, "hidden_dim": 5}


def model(framework):
    decoder = framework.BahdanauDecoder(**SIZES, memory_dim=10, attention_dim=7)
    return framework.EncoderDecoder(framework.RecurrentEncoder(**SIZES), decoder)


@pytest.mark.parametrize(("first", "second"), [(pytorch, tf), (tf, pytorch), (tf, tf), (pytorch, pytorch)])
def test_round_trip(first, second):
    parameters, other = get_parameters(model(first)), model(second)
    assert "decoder.attention.query_weight" in parameters
    set_parameters(other, parameters)
    found = get_parameters(other)
    assert found.keys() == parameters.keys()
    assert all(np.array_equal(found[name], parameters[name]) for name in parameters)


def test_every_number_has_a_name():
    for framework, count in (
        (pytorch, lambda m: sum(p.numel() for p in m.parameters())),
        (tf, lambda m: m.count_params()),
    ):
        built = model(framework)
        assert sum(array.size for array in get_parameters(built).values()) == count(built)


@pytest.mark.parametrize("framework", [pytorch, tf])
def test_refusals_and_copies(framework):
    layer = framework.AdditiveAttention(query_dim=3, memory_dim=5, hidden_dim=7)
    parameters = get_parameters(layer)
    before = {name: array.copy() for name, array in parameters.items()}
    for change, words in (
        ({"extra": np.zeros(1)}, "unknown parameters: extra"),
        ({"query_weight": np.zeros((5, 3)), "score_weight": np.ones(7)}, r"query_weight must have shape \(3, 7\)"),
    ):
        with pytest.raises(ValueError, match=words):
            set_parameters(layer, {**parameters, **change})
    with pytest.raises(ValueError, match="missing parameters: score_weight"):
        set_parameters(layer, {name: array for name, array in parameters.items() if name != "score_weight"})
    parameters["query_weight"][:] = 99.0  # a copy: the layer does not move
    assert all(np.array_equal(array, before[name]) for name, array in get_parameters(layer).items())


def test_torch_state_dict():
    layer, twin = (pytorch.AdditiveAttention(query_dim=3, memory_dim=5, hidden_dim=7) for _ in range(2))
    twin.load_state_dict(layer.state_dict())
    query, memory = torch.randn(2, 3, 3), torch.randn(2, 11, 5)
    expected = layer(query, memory)[0]
    assert torch.equal(twin(query, memory)[0], expected)


def test_keras_saves_and_loads(tmp_path):
    query, memory = keras.Input((3, 3)), keras.Input((11, 5))
    context, weights = tf.AdditiveAttention(query_dim=3, memory_dim=5, hidden_dim=7)(query, memory)
    saved = keras.Model([query, memory], [context, weights])
    saved.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    inputs = [np.random.default_rng(0).normal(size=s).astype("float32") for s in ((2, 3, 3), (2, 11, 5))]
    assert np.array_equal(loaded(inputs)[0].numpy(), saved(inputs)[0].numpy())


def test_a_mask_that_keras_carries_is_padding():
    embedding = keras.layers.Embedding(7, 5, mask_zero=True)
    tokens = np.array([[1, 2, 0, 0], [3, 0, 0, 0]])
    layer = tf.AdditiveAttention(query_dim=3, memory_dim=5, hidden_dim=7)
    _, weights = layer(np.ones((2, 2, 3), "float32"), embedding(tokens))
    assert not weights.numpy()[0, :, 2:].any() and not weights.numpy()[1, :, 1:].any()
    assert np.allclose(weights.numpy().sum(-1), 1)


def test_mixed_precision_and_dtypes():
    rng = np.random.default_rng(0)
    query, memory = rng.normal(size=(2, 3, 3)), rng.normal(size=(2, 11, 5))
    exact = pytorch.AdditiveAttention(query_dim=3, memory_dim=5, hidden_dim=7).double()
    expected = exact(torch.from_numpy(query), torch.from_numpy(memory))[0].detach().numpy()
    for policy, bound in (("float32", 1e-5), ("mixed_float16", 1e-2), ("mixed_bfloat16", 1e-1), ("float16", 1e-2)):
        layer = tf.AdditiveAttention(query_dim=3, memory_dim=5, hidden_dim=7, dtype=policy)
        set_parameters(layer, get_parameters(exact))
        assert np.abs(np.asarray(layer(query, memory)[0], float) - expected).max() < bound
    for dtype, bound in ((torch.float32, 1e-5), (torch.float16, 1e-2), (torch.bfloat16, 1e-1)):
        layer = pytorch.AdditiveAttention(query_dim=3, memory_dim=5, hidden_dim=7).to(dtype)
        set_parameters(layer, get_parameters(exact))
        found = layer(torch.from_numpy(query).to(dtype), torch.from_numpy(memory).to(dtype))[0]
        assert found.dtype == dtype
        assert np.abs(found.detach().double().numpy() - expected).max() < bound
