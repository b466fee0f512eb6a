"""The libraries' own attention: an independent witness for all three of ours."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from support import numbers, tensor, to
from torch.nn.attention.bias import causal_lower_right

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch

B, H, T, S, K, V = 2, 3, 5, 7, 11, 13
CLOSE = {"rtol": 1e-10, "atol": 1e-13}


def draw(T, S):
    rng = np.random.default_rng(T)
    shapes = ((B, H, T, K), (B, H, S, K), (B, H, S, V))
    return [rng.normal(size=shape) for shape in shapes]


def draw_mask(T, S, shape=(B, 1)):
    mask = np.random.default_rng(S).random((*shape, T, S)) < 0.6
    mask[..., 0] = True  # the libraries differ on rows that may see nothing
    return mask


def ours(arrays, mask=None, bias=None, **options):
    """The outputs of all three, with and without weights."""
    for face in (reference, pytorch, tf):
        named = {"mask": tensor(face, mask), "bias": tensor(face, bias)} | options
        for need_weights in (True, False):
            found = face.scaled_dot_product_attention(*to(face, *arrays), **named, need_weights=need_weights)
            yield numbers(found[0])


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("scale", [None, 0.3])
def test_pytorch(masked, biased, scale):
    arrays = draw(T, S)
    mask = draw_mask(T, S) if masked else None
    bias = np.random.default_rng(1).normal(size=(T, S)) if biased else None
    addend = np.zeros((T, S)) if bias is None else bias
    addend = addend if mask is None else np.where(mask, addend, -np.inf)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, arrays), torch.from_numpy(addend), scale=scale
    )
    for found in ours(arrays, mask, bias, scale=scale):
        assert_allclose(found, theirs, **CLOSE)


@pytest.mark.parametrize(("T", "S"), [(T, S), (S, S), (1, S)])
def test_pytorch_causal_aligned_at_the_end(T, S):
    lower_right = causal_lower_right(T, S)
    arrays = draw(T, S)
    theirs = torch.nn.functional.scaled_dot_product_attention(*map(torch.from_numpy, arrays), lower_right)
    for found in ours(arrays, causal=True):
        assert_allclose(found, theirs, **CLOSE)


def test_pytorch_own_causal_flag_is_another_mask():
    """What the docstring of ``causal_mask`` warns about is still so."""
    arrays = draw(T, S)
    theirs = torch.nn.functional.scaled_dot_product_attention(*map(torch.from_numpy, arrays), is_causal=True)
    for found in ours(arrays, causal=True):
        assert abs(found - theirs.numpy()).max() > 0.1
    for found in ours(arrays, np.tri(T, S, dtype=bool)):
        assert_allclose(found, theirs, **CLOSE)


# Keras softmaxes in float32, whatever the inputs: scores are at most 16, so eps32 * 16
# bounds its error.
KERAS = {"rtol": 0, "atol": 16 * 2.0**-23}


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("biased", [False, True])
def test_keras(masked, biased):
    arrays = draw(T, S)
    mask = draw_mask(T, S) if masked else None
    bias = np.random.default_rng(1).normal(size=(1, 1, T, S)) if biased else None
    swapped = [array.swapaxes(1, 2) for array in arrays]  # Keras has the heads after the positions
    full = None if mask is None else np.broadcast_to(mask, (B, H, T, S))
    theirs = keras.ops.nn.dot_product_attention(*swapped, mask=full, bias=bias)
    for found in ours(arrays, mask, bias):
        assert_allclose(found, np.swapaxes(theirs.numpy(), 1, 2), **KERAS)


def test_keras_causal_where_both_agree():
    arrays = draw(S, S)
    theirs = keras.ops.nn.dot_product_attention(*(array.swapaxes(1, 2) for array in arrays), is_causal=True)
    for found in ours(arrays, causal=True):
        assert_allclose(found, np.swapaxes(theirs.numpy(), 1, 2), **KERAS)
