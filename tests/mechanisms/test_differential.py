"""Differential attention: worked by hand; frameworks, masks, dtypes and files are tests/contract's, DiffLlama's numbers
tests/oracles/test_huggingface_oracles.py's."""

import numpy as np
import pytest
from support import FACE, FACES, build, close, draw, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.parity import get_parameters, set_parameters

B, T, D, H, G, K = 2, 5, 24, 4, 2, 6
VECTORS = {"lambda_query": np.array([[0.0], [0.0]]), "lambda_key": np.array([[1.0], [1.0]])}


@FACES
def test_two_keys_by_hand(face):
    """Scores ln 3 and 0 in the first half, even ones in the second; the factor is 0.5: 3/4 - 1/4 and 1/4 - 1/4."""
    query, key = np.array([[1.0, 1.0]]), np.array([[np.log(3), 0.0], [0.0, 0.0]])
    options = {name: tensor(face, x) for name, x in VECTORS.items()}
    found = face.differential_attention(*to(face, query, key, np.array([[4.0], [2.0]])), **options, lambda_init=0.5)
    close(found[1], [[0.5, 0.0]])
    close(found[0], [[0.5 * 2 / np.sqrt(4 + 1e-5)]])  # half of a context of 2 through its own length


@FACE
def test_by_a_loop_over_heads(face):
    """A head's two softmaxes, one row after the other; groups, a turn of each half, and the maps around them."""
    turn = build(face, "RotaryEncoding", K // 2 + 1) if face is tf else face.RotaryEncoding(K // 2 + 1)
    layer = build(face, "DifferentialAttention", D, H, num_kv_heads=G, key_dim=K + 2, lambda_init=0.3, rotary=turn)
    p, x, half = get_parameters(layer), draw(B, T, D), K // 2 + 1
    q, k, v = (x @ p[f"{name}_weight"] + p[f"{name}_bias"] for name in ("query", "key", "value"))
    first, second = np.exp((p["lambda_query"] * p["lambda_key"]).sum(1))
    expected = np.zeros((B, T, H, K + 2))
    for b in range(B):
        for h in range(H):
            shared = h // (H // G) * 2 * half
            for t in range(T):
                parts = []
                for part in range(2):
                    start = h * 2 * half + part * half, shared + part * half
                    one = reference.rotate(q[b, :, start[0] : start[0] + half], np.arange(T))[t]
                    other = reference.rotate(k[b, :, start[1] : start[1] + half], np.arange(T))[: t + 1]
                    weights = np.exp(other @ one / np.sqrt(half))
                    parts.append(weights / weights.sum())
                weights = parts[0] - (first - second + 0.3) * parts[1]
                context = weights @ v[b, : t + 1, shared : shared + 2 * half]
                expected[b, t, h] = 0.7 * context / np.sqrt((context**2).mean() + 1e-5)
    found, weights = layer(tensor(face, x), causal=True)
    close(found, expected.reshape(B, T, -1) @ p["output_weight"] + p["output_bias"])
    close(weights.sum(-1) if face is pytorch else np.sum(weights, -1), np.full((B, H, T), 0.7 - first + second))
    close(layer(tensor(face, x), causal=True, need_weights=False)[0], found)


@FACE
def test_the_two_halves_alike_leave_a_share_of_one_softmax(face):
    """Where both halves ask the same, a row is (1 - factor) times the softmax: its context differs in length alone."""
    query, key, value = draw(B, 1, T, 3), draw(B, 1, T, 3, seed=1), draw(B, 1, T, 5, seed=2)
    twice = [np.concatenate([x, x], -1) for x in (query, key)]
    zeros = {name: tensor(face, np.zeros((2, 3))) for name in VECTORS}
    _, weights = face.differential_attention(*to(face, *twice, value), **zeros, lambda_init=0.8)
    _, plain = reference.scaled_dot_product_attention(query, key, value)
    close(weights, 0.2 * plain)


@FACE
def test_what_is_wrong_is_named(face):
    wide = {name: tensor(face, np.zeros((2, 4))) for name in VECTORS}
    heads = to(face, draw(T, 6), draw(T, 6), draw(T, 6))
    with pytest.raises(ValueError, match=r"lambda_query must have shape .* with K = 3"):
        face.differential_attention(*heads, **wide)
    odd = to(face, draw(T, 5), draw(T, 5), draw(T, 5))
    with pytest.raises(ValueError, match="query must be even"):
        face.differential_attention(*odd, **wide)


def test_the_first_factor_is_lambda_init_and_little_more():
    for face in (pytorch, tf):
        layer = face.DifferentialAttention(64, 2, lambda_init=0.2)
        found = get_parameters(layer)
        products = np.exp((found["lambda_query"] * found["lambda_key"]).sum(1))
        assert abs(products[0] - products[1]) < 0.6 and found["lambda_query"].std() < 0.2
        set_parameters(layer, found)
