"""One head of the libraries' layers with our weights gives our output; and what Keras does with four axes."""

import numpy as np
import pytest
from support import numbers, pair, tensor

from attn_course import reference
from attn_course.frameworks import keras, torch

B, T, D, K, V, HEIGHT, WIDTH = 2, 7, 5, 3, 11, 3, 4
MASK = np.random.default_rng(1).random((B, T, T)) < 0.6
MASK[..., 0] = True  # the libraries differ on rows that may see nothing
MASKS = pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])
KERAS = {"rtol": 0, "atol": 16 * 2.0**-23}  # its softmax is float32


def ours(x, mask, *, key_dim, value_dim):
    """Parameters, and the output and weights of all three."""
    options = {"key_dim": key_dim, "value_dim": value_dim, "project": True}
    layers, parameters = pair("SelfAttention", D, **options)
    found = [reference.self_attention(x, parameters, mask)]
    found += [layer(tensor(face, x), tensor(face, mask)) for face, layer in layers.items()]
    return parameters, [[numbers(y) for y in both] for both in found]


@MASKS
def test_pytorch(mask):
    x = np.random.default_rng(2).normal(size=(B, T, D))
    parameters, found = ours(x, mask, key_dim=D, value_dim=D)
    layer = torch.nn.MultiheadAttention(D, 1, bias=False, batch_first=True).double()
    stacked = [parameters[f"{name}_weight"].T for name in ("query", "key", "value")]
    layer.in_proj_weight.data = torch.from_numpy(np.concatenate(stacked))
    layer.out_proj.weight.data = torch.from_numpy(parameters["output_weight"].T.copy())
    given = torch.from_numpy(x)
    blocked = None if mask is None else torch.from_numpy(~mask)  # True = may not
    output, weights = layer(given, given, given, attn_mask=blocked)
    for one in found:
        np.testing.assert_allclose(one[0], output.detach(), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(one[1], weights.detach(), rtol=1e-10, atol=1e-12)


def one_head_of_keras(parameters, **options):
    layer = keras.layers.MultiHeadAttention(1, K, V, use_bias=False, dtype="float64", **options)
    shape = (B, *[T] * (2 if "attention_axes" in options else 1), D)
    layer.build(shape, shape)
    kernels = [parameters[f"{name}_weight"][:, None] for name in ("query", "key", "value")]
    layer.set_weights([*kernels, parameters["output_weight"][None]])
    return layer


@MASKS
def test_keras(mask):
    x = np.random.default_rng(2).normal(size=(B, T, D))
    parameters, found = ours(x, mask, key_dim=K, value_dim=V)
    layer = one_head_of_keras(parameters)
    output, weights = layer(x, x, attention_mask=mask, return_attention_scores=True)
    for one in found:
        np.testing.assert_allclose(one[0], output, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(one[1], weights[:, 0], **KERAS)


def test_keras_on_a_map_of_pixels():
    """By itself it attends over all pixels, as ours; asked for one axis, within a row only."""
    picture = np.random.default_rng(2).normal(size=(B, HEIGHT, WIDTH, D))
    parameters, _ = ours(reference.image_to_tokens(picture), None, key_dim=K, value_dim=V)
    over_all = reference.feature_map_attention(picture, parameters)[0]
    rows = picture.reshape(B * HEIGHT, WIDTH, D)
    within_rows = reference.self_attention(rows, parameters)[0].reshape(picture.shape)
    for axes, expected in ((None, over_all), ((1, 2), over_all), ((2,), within_rows)):
        layer = one_head_of_keras(parameters, attention_axes=axes)
        np.testing.assert_allclose(layer(picture, picture), expected, rtol=1e-5, atol=1e-5)
    assert not np.allclose(over_all, within_rows, atol=0.01)
