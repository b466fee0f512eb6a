"""Differential attention: worked by hand; frameworks, masks, dtypes and files are tests/contract's, DiffLlama's numbers
tests/oracles/test_huggingface_oracles.py's."""

import numpy as np
import pytest
from support import FACE, FACES, close, draw, tensor, to

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
