"""The same parameters into both frameworks; wrong ones are refused, and nothing is written then."""

import numpy as np
import pytest

from attn_course import pytorch, tf
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
