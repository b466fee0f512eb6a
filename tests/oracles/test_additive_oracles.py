"""Keras's own additive attention after our projections: an independent witness."""

import numpy as np
import pytest

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch

B, T, S, D, E, A = 2, 3, 5, 7, 11, 13


@pytest.mark.parametrize("masked", [False, True])
def test_additive_attention_is_keras_after_projection(masked):
    rng = np.random.default_rng(0)
    query, memory = rng.normal(size=(B, T, D)), rng.normal(size=(B, S, E))
    shapes = {"query_weight": (D, A), "memory_weight": (E, A), "score_weight": (A,)}
    parameters = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    mask = np.arange(S) < np.array([[3], [5]]) if masked else None
    oracle = keras.layers.AdditiveAttention(dtype="float64")
    inputs = [
        query @ parameters["query_weight"],
        memory,
        memory @ parameters["memory_weight"],
    ]
    oracle.build([x.shape for x in inputs])
    oracle.set_weights([parameters["score_weight"]])  # Keras calls it scale
    masks = {"mask": [None, mask]} if masked else {}
    expected = [x.numpy() for x in oracle(inputs, return_attention_scores=True, **masks)]
    to = torch.from_numpy
    for found in (
        reference.additive_attention(query, memory, parameters, mask),
        pytorch.additive_attention(
            to(query),
            to(memory),
            {k: to(x) for k, x in parameters.items()},
            to(mask) if masked else None,
        ),
        tf.additive_attention(query, memory, parameters, mask),
    ):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(one), other, rtol=1e-10, atol=1e-12)
