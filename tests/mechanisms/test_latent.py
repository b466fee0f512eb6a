"""Latent attention: slow loops, its small cache; step by step: test_grouped_query_decoding.py."""

import math

import numpy as np
import pytest
from support import FACE, build, tensor

from attn_course import reference
from attn_course.parity import set_parameters

B, T, D, H, R, P, K, V, Q = 2, 7, 13, 3, 11, 4, 5, 2, 17
SIZES = {"latent_dim": R, "rope_dim": P, "key_dim": K, "value_dim": V}
QUERY = pytest.mark.parametrize("query_latent_dim", [None, Q])
X = np.random.default_rng(0).normal(size=(B, T, D))


def draw(query_latent_dim=None):
    shapes = {
        "latent_weight": (D, R + P),
        "latent_norm.scale": (R,),
        "key_value_weight": (R, H * (K + V)),
        "output_weight": (H * V, D),
    }
    if query_latent_dim is None:
        shapes["query_weight"] = (D, H * (K + P))
    else:
        shapes |= {"query_down_weight": (D, Q), "query_norm.scale": (Q,), "query_up_weight": (Q, H * (K + P))}
    rng = np.random.default_rng(1)
    return {name: rng.normal(size=shape) / math.sqrt(shape[0]) + (len(shape) == 1) for name, shape in shapes.items()}


def make(face, query_latent_dim=None, dtype="float64"):
    layer = build(face, "LatentAttention", D, H, **SIZES, query_latent_dim=query_latent_dim, dtype=dtype)
    set_parameters(layer, draw(query_latent_dim))
    return layer


def specified(query_latent_dim=None, causal=True):
    sizes = {"num_heads": H, "key_dim": K, "value_dim": V, "rope_dim": P}
    return reference.latent_attention(X, draw(query_latent_dim), **sizes, causal=causal)


def slow(x, parameters, causal, *, shrink=K + P, first=0):
    """One number after the other, for one example; the query straight or by its own latent."""

    def norm(vector, scale):
        return vector / math.sqrt(sum(v * v for v in vector) / len(vector) + 1e-6) * scale

    def turn(vector, position):
        out = vector.copy()
        for pair in range(P // 2):
            angle = position * 10000.0 ** (-2 * pair / P)
            a, b = vector[2 * pair], vector[2 * pair + 1]
            out[2 * pair] = a * math.cos(angle) - b * math.sin(angle)
            out[2 * pair + 1] = a * math.sin(angle) + b * math.cos(angle)
        return out

    queries, latents, turned = [], [], []
    for t, row in enumerate(x):
        small = row @ parameters["latent_weight"]
        latents.append(norm(small[:R], parameters["latent_norm.scale"]))
        turned.append(turn(small[R:], t + first))
        if "query_weight" in parameters:
            query = row @ parameters["query_weight"]
        else:
            down = norm(row @ parameters["query_down_weight"], parameters["query_norm.scale"])
            query = down @ parameters["query_up_weight"]
        queries.append(query.reshape(H, K + P))
    output = np.zeros((len(x), H * V))
    weights = np.zeros((H, len(x), len(x)))
    for h in range(H):
        up = parameters["key_value_weight"][:, h * (K + V) : (h + 1) * (K + V)]
        for t in range(len(x)):
            seen = range(t + 1 if causal else len(x))
            score = []
            for s in seen:
                plain = queries[t][h, :K] @ (latents[s] @ up[:, :K])
                score.append((plain + turn(queries[t][h, K:], t + first) @ turned[s]) / math.sqrt(shrink))
            exponential = [math.exp(one) for one in score]
            for s in seen:
                weights[h, t, s] = exponential[s] / sum(exponential)
                output[t, h * V : (h + 1) * V] += weights[h, t, s] * (latents[s] @ up[:, K:])
    return output @ parameters["output_weight"], weights


@QUERY
@pytest.mark.parametrize("causal", [False, True])
def test_the_reference_is_the_slow_loop(query_latent_dim, causal):
    output, weights = specified(query_latent_dim, causal)
    for b in range(B):
        found = slow(X[b], draw(query_latent_dim), causal)
        np.testing.assert_allclose(output[b], found[0], rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(weights[b], found[1], rtol=1e-11, atol=1e-13)


def test_wrong_loops_are_other_numbers():
    """A scale of 1 / sqrt(key_dim) forgets the rotated part; only distances count, so a later start changes nothing."""
    output, _ = specified()
    assert np.abs(slow(X[0], draw(), True, shrink=K)[0] - output[0]).max() > 0.01
    np.testing.assert_allclose(slow(X[0], draw(), True, first=5)[0], output[0], rtol=1e-9, atol=1e-12)


@FACE
def test_the_cache_keeps_one_latent_for_all_heads(face):
    """(R + P) numbers per position, not 2 * H * width."""
    for dtype, size in (("float32", 4), ("float64", 8), ("bfloat16", 2)):
        assert make(face, dtype=dtype).new_cache(3, 19).nbytes == 3 * 19 * (R + P) * size
    layer = make(face)
    cache = layer.new_cache(B, T)
    layer(tensor(face, X), cache=cache)
    with pytest.raises(ValueError, match="key must have at most 0 positions, as 7 of 7 are taken, got 1"):
        layer(tensor(face, X[:, :1]), cache=cache)
