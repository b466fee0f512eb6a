"""Shaw's relative attention: by hand and by loops; clipping."""

import math

import numpy as np
import pytest
import support
from support import FACE, close, numbers, to

from attn_course import pytorch, reference
from attn_course.masks import causal_mask, padding_mask
from attn_course.parity import get_parameters

B, T, S, H, K, V, D, MOST = 2, 5, 7, 3, 11, 13, 17, 2
PADDING = padding_mask([7, 4], S)[:, None, None]
ROWS = np.random.default_rng(8).random((B, H, T, S)) < 0.6
ROWS[..., 0] = True
SIZES = {"max_distance": MOST, "key_dim": K, "value_dim": V, "use_bias": True}
MASKS = pytest.mark.parametrize("mask", [None, PADDING, ROWS, ROWS[0, 0]], ids=["all", "padding", "heads", "rows"])
CAUSAL = pytest.mark.parametrize("causal", [False, True])


def inputs(T=T, S=S, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(B, T, D)), rng.normal(size=(B, S, D)), rng.normal(size=(B, S, D))


def build(face, dtype="float64", **changed):
    return support.build(face, "RelativeAttention", D, H, **{**SIZES, **changed}, dtype=dtype)


def pair(**changed):
    """Both layers with the same parameters, biases too, and the parameters."""
    return support.pair("RelativeAttention", D, H, **{**SIZES, **changed}, scale=0.5)


def by_loops(query, key, value, parameters, mask=None, causal=False):
    """Equations 3 and 4 of the paper, one pair of positions at a time."""
    (T, S), most = (query.shape[1], key.shape[1]), len(parameters["relative_key"]) // 2
    projected = {}
    for name, x in (("query", query), ("key", key), ("value", value)):
        y = x @ parameters[f"{name}_weight"] + parameters.get(f"{name}_bias", 0)
        projected[name] = y.reshape(*y.shape[:2], H, -1)
    q, k, v = projected.values()
    mask = np.ones((T, S), bool) if mask is None else mask
    allowed = np.broadcast_to(mask & causal_mask(T, S) if causal else mask, (B, H, T, S))
    context, weights = np.zeros((B, T, H, v.shape[-1])), np.zeros((B, H, T, S))
    for b, h, t in np.ndindex(B, H, T):
        rows = {s: min(max(s - (t + S - T), -most), most) + most for s in range(S) if allowed[b, h, t, s]}
        up = {
            s: math.exp(q[b, t, h] @ (k[b, s, h] + parameters["relative_key"][row]) / math.sqrt(q.shape[-1]))
            for s, row in rows.items()
        }
        for s, row in rows.items():
            weights[b, h, t, s] = up[s] / sum(up.values())
            context[b, t, h] += weights[b, h, t, s] * (v[b, s, h] + parameters["relative_value"][row])
    output = context.reshape(B, T, -1) @ parameters["output_weight"] + parameters.get("output_bias", 0)
    return output, weights


def test_by_hand():
    """Equal keys, no query . key: the scores are the table's, ln 2 one to the left, 0 here, ln 3 one to the right."""
    eye, x = np.eye(1), np.ones((1, 3, 1))
    parameters = {"query_weight": eye, "key_weight": 0 * eye, "value_weight": eye, "output_weight": eye}
    parameters |= {"relative_key": np.log([[2.0], [1.0], [3.0]]), "relative_value": np.array([[10.0], [20.0], [40.0]])}
    output, weights = reference.relative_attention(x, x, x, parameters, num_heads=1)
    # the last of row 0 is two to the right: clipped to one; row 2 the same to the left
    expected = [[1 / 7, 3 / 7, 3 / 7], [2 / 6, 1 / 6, 3 / 6], [2 / 5, 2 / 5, 1 / 5]]
    close([weights], [[[expected]]], 1e-13)
    # one of each value, and the table's: (20 + 3 * 40 + 3 * 40) / 7 ...
    close([output], [[[[1 + 260 / 7], [1 + (20 + 20 + 120) / 6], [1 + (20 + 20 + 20) / 5]]]], 1e-13)
    last = reference.relative_attention(x[:, 2:], x, x, parameters, num_heads=1)
    close(last, [output[:, 2:], weights[:, :, 2:]])


@MASKS
@CAUSAL
@pytest.mark.parametrize("use_bias", [True, False])
def test_the_reference_agrees_with_loops(mask, causal, use_bias):
    parameters, arrays = get_parameters(build(pytorch, use_bias=use_bias)), inputs()
    found = reference.relative_attention(*arrays, parameters, num_heads=H, mask=mask, causal=causal)
    close(found, by_loops(*arrays, parameters, mask, causal))


@FACE
@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_beyond_the_window_all_distances_are_one(face, most):
    """Two keys that hold the same are told apart exactly when a clipped distance tells them."""
    layers, _ = pair(max_distance=most)
    x = np.repeat(inputs(1, 1)[0], S, axis=1)  # the same word seven times
    weights = numbers(layers[face](*to(face, x))[1])
    for t in range(S):
        clipped = np.clip(np.arange(S) - t, -most, most)
        row = weights[0, 0, t]
        for s, other in np.ndindex(S, S):
            same = clipped[s] == clipped[other]
            assert (abs(row[s] - row[other]) < 1e-12) == same, (t, s, other)


@FACE
def test_sizes_that_are_not_given(face):
    """An equal share for every head; any width for any number of heads when both are given."""
    found = get_parameters(face.RelativeAttention(12, 3, max_distance=4))
    shapes = {"query_weight": (12, 12), "key_weight": (12, 12), "value_weight": (12, 12), "output_weight": (12, 12)}
    shapes |= {"relative_key": (9, 4), "relative_value": (9, 4)}
    assert {name: x.shape for name, x in found.items()} == shapes
    found = get_parameters(face.RelativeAttention(8, 3, max_distance=0, key_dim=5, value_dim=7, use_bias=True))
    biases = {"query_bias": (15,), "key_bias": (15,), "value_bias": (21,), "output_bias": (8,)}
    assert biases.items() <= {name: x.shape for name, x in found.items()}.items()
    assert found["relative_value"].shape == (1, 7)
