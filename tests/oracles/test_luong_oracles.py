"""Keras's dot-product and additive attention: independent witnesses for Luong's scores and for additive attention."""

import numpy as np
import pytest
from support import build, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras
from attn_course.parity import set_parameters

B, T, S, D, E, A = 2, 3, 5, 7, 11, 13
MASK = np.arange(S) < np.array([[3], [5]])
MASKS = pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])


def ours(query, memory, parameters, mask, score):
    sizes = {"query_dim": D, "memory_dim": memory.shape[-1], "score": score, "hidden_dim": A}
    yield reference.luong_attention(query, memory, parameters, mask, score=score)
    for face in (pytorch, tf):
        layer = build(face, "LuongAttention", **sizes)
        set_parameters(layer, parameters)
        yield layer(*(tensor(face, x) for x in (query, memory, mask)))


def same(found, oracle, inputs, mask):
    masks = {} if mask is None else {"mask": [None, mask]}
    expected = oracle(inputs, return_attention_scores=True, **masks)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(numbers(one), other.numpy(), rtol=1e-10, atol=1e-12)


@MASKS
def test_dot_is_keras_attention(mask):
    rng = np.random.default_rng(0)
    query, memory = rng.normal(size=(B, T, D)), rng.normal(size=(B, S, D))
    oracle = keras.layers.Attention(dtype="float64")  # use_scale=False: the plain dot product
    for found in ours(query, memory, {}, mask, "dot"):
        same(found, oracle, [query, memory], mask)


@MASKS
def test_general_is_keras_attention_after_projection(mask):
    rng = np.random.default_rng(1)
    query, memory, weight = rng.normal(size=(B, T, D)), rng.normal(size=(B, S, E)), rng.normal(size=(D, E))
    oracle = keras.layers.Attention(dtype="float64")
    for found in ours(query, memory, {"weight": weight}, mask, "general"):
        same(found, oracle, [query @ weight, memory], mask)


@MASKS
def test_concat_and_additive_are_keras_additive_attention_after_projection(mask):
    rng = np.random.default_rng(2)
    query, memory = rng.normal(size=(B, T, D)), rng.normal(size=(B, S, E))
    shapes = {"query_weight": (D, A), "memory_weight": (E, A), "score_weight": (A,)}
    parameters = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    inputs = [query @ parameters["query_weight"], memory, memory @ parameters["memory_weight"]]
    oracle = keras.layers.AdditiveAttention(dtype="float64")
    oracle.build([x.shape for x in inputs])
    oracle.set_weights([parameters["score_weight"]])  # Keras calls it scale
    for found in ours(query, memory, parameters, mask, "concat"):
        same(found, oracle, inputs, mask)
    for face in (reference, pytorch, tf):
        given = [tensor(face, x) for x in (query, memory)], {key: tensor(face, x) for key, x in parameters.items()}
        same(face.additive_attention(*given[0], given[1], tensor(face, mask)), oracle, inputs, mask)
