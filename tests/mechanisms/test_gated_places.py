"""Where a norm, a cap and a gain stand in a layer: each in another place would keep the shapes."""

import numpy as np
import pytest
import torch
from support import close, draw, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.models.huggingface.shared import whole_scales
from attn_course.parity import get_parameters, set_parameters

B, T, D, H, K = 2, 5, 24, 3, 8
EACH = pytest.mark.parametrize(
    ("face", "place"), [(pytorch, {"dtype": torch.float64}), (tf, {"dtype": "float64"})], ids=["pytorch", "tf"]
)


def drawn(layer):
    """The layer with other gains and a gate that is not half open."""
    parameters = get_parameters(layer)
    parameters = {name: x + draw(*x.shape, seed=n) for n, (name, x) in enumerate(sorted(parameters.items()))}
    set_parameters(layer, parameters)
    return layer, parameters


@EACH
def test_the_norm_stands_before_the_rotation(face, place):
    unweighted = place if face is tf else {}
    parts = {"query_key_norm": face.QueryKeyNorm(K, **place), "rotary": face.RotaryEncoding(K, **unweighted)}
    layer, parameters = drawn(face.MultiHeadAttention(D, H, **parts, **place))
    own = {name.removeprefix("query_key_norm."): x for name, x in parameters.items() if "norm" in name}
    pair = draw(B, H, T, K), draw(B, H, T, K, seed=1)
    for found, normed in zip(
        layer.prepare(*(tensor(face, x) for x in pair)), reference.query_key_norm(*pair, own), strict=True
    ):
        close(found, reference.rotate(normed, np.arange(T)))


@EACH
def test_a_cap_hides_nothing_and_shows_nothing(face, place):
    score, mask = 3 * draw(B, H, T, T), np.tri(T, dtype=bool)
    part = face.CappedSoftmax(0.7, **(place if face is tf else {}))
    found = numbers(part(tensor(face, score), tensor(face, mask)))
    exponents = np.exp(0.7 * np.tanh(score / 0.7)) * mask
    close(found, exponents / exponents.sum(-1, keepdims=True))
    assert (found[..., ~mask] == 0).all()


@EACH
@pytest.mark.parametrize("shape", [(T, T), (H, T, T), (B, H, T, T)], ids=["rows", "heads", "all"])
def test_a_bias_is_added_behind_the_cap(face, place, shape):
    """As ONNX's Attention and FlashAttention have it: a distance beyond the cap still counts."""
    query, key, value = draw(B, H, T, K), draw(B, H, T, K, seed=1), draw(B, H, T, K, seed=2)
    bias, mask = -9 * np.abs(draw(*shape, seed=3)), np.tri(T, dtype=bool)
    part = face.CappedSoftmax(0.7, **(place if face is tf else {}))
    options = {"mask": tensor(face, mask), "bias": tensor(face, bias), "softmax": part}
    for G, attend in (
        (H, face.scaled_dot_product_attention),
        (H, face.grouped_query_attention),
        (1, face.grouped_query_attention),
    ):
        keys, values = np.repeat(key[:, :G], H // G, 1), np.repeat(value[:, :G], H // G, 1)
        weights = reference.capped_softmax(query @ keys.swapaxes(-1, -2) / K**0.5, 0.7, mask, bias)
        found = attend(*(tensor(face, x) for x in (query, key[:, :G], value[:, :G])), **options)
        close(found, (weights @ values, weights))


@EACH
def test_layers_add_a_bias_behind_the_cap(face, place):
    """A distance that counts for nothing leaves multi-head attention, whose map of one head is the identity."""
    x, bias = draw(B, T, K), tensor(face, -9 * np.abs(draw(T, T, seed=3)))
    weights = reference.capped_softmax(x @ x.swapaxes(-1, -2) / K**0.5, 0.7, bias=numbers(bias))
    for kind, more in (
        ("MultiHeadAttention", {}),
        ("GroupedQueryAttention", {"num_kv_heads": 1}),
        ("RelativeAttention", {"max_distance": 2}),
    ):
        part = face.CappedSoftmax(0.7, **(place if face is tf else {}))
        layer = getattr(face, kind)(K, 1, softmax=part, use_bias=False, **more, **place)
        zero = {name: np.zeros(parameter.shape) for name, parameter in get_parameters(layer).items()}
        set_parameters(layer, {name: np.eye(K) if "relative" not in name else old for name, old in zero.items()})
        close(layer(tensor(face, x), bias=bias), (weights @ x, weights[:, None]))


def test_a_gemma_keeps_what_is_added_to_one():
    class GemmaAttention:
        def state_dict(self):
            return {"q_norm.weight": torch.tensor([0.0, 0.5]), "q_proj.weight": torch.zeros(2, 2)}

    found = whole_scales(GemmaAttention())
    np.testing.assert_array_equal(found["q_norm.weight"], [1, 1.5])
    assert not found["q_proj.weight"].any()
