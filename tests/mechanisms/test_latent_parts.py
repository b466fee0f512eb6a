"""What takes the place of a latent layer's linear maps, and its parts: the naive and the absorbed form alike."""

import numpy as np
import pytest
from support import FACE, close, draw, drawn, in_chunks, kind, numbers, tensor

from attn_course import pytorch, tf
from attn_course.frameworks import keras, torch
from attn_course.parity import get_parameters

B, T, D, H = 2, 7, 13, 3
SIZES = {"latent_dim": 11, "rope_dim": 4, "key_dim": 5, "value_dim": 2}


def made(face, **options):
    return drawn(face.LatentAttention(D, H, **SIZES, **options, **kind(face)), 0.5)


def both(layer, x, **options):
    """The output of both forms, which agree."""
    naive, absorbed = (numbers(layer(x, absorbed=form, **options)[0]) for form in (False, True))
    np.testing.assert_allclose(naive, absorbed, 1e-9, 1e-9)
    return naive


class LowRank(torch.nn.Module):
    """An adapter, as peft puts it in the place of a linear map."""

    def __init__(self, base):
        super().__init__()
        self.base = base
        self.change = torch.nn.Parameter(torch.from_numpy(draw(base.out_features, base.in_features, seed=9)))

    def forward(self, x):
        return self.base(x) + x @ self.change.mT


def adapted(layer):
    layer.key_value = LowRank(layer.key_value)


def test_an_adapter_learns_from_the_absorbed_form():
    layer, x = made(pytorch), torch.from_numpy(draw(B, T, D))
    adapted(layer)
    gradients = []
    for absorbed in (False, True):
        layer.zero_grad()
        layer(x, absorbed=absorbed)[0].sin().sum().backward()
        gradients.append(layer.key_value.change.grad.clone())
    close(gradients[0], numbers(gradients[1]), 1e-8)


@FACE
def test_options_of_heads(face):
    """bias, head_mask, scale, softmax and gate mean what they mean in multi-head attention, in both forms."""
    x, layer = tensor(face, draw(B, T, D)), made(face)
    plain = both(layer, x)
    bias = draw(H, T, T)
    assert np.abs(both(layer, x, bias=tensor(face, bias)) - plain).max() > 0.01
    everything = np.where(np.arange(T) < 3, 0.0, -np.inf)[None] + np.zeros((T, 1))
    first = both(layer, x, bias=tensor(face, everything), causal=False)
    mask = tensor(face, (np.arange(T) < 3)[None] & np.ones((T, 1), bool))
    close(both(layer, x, mask=mask, causal=False), first)
    heads = tensor(face, np.array([1.0, 0, 1]))
    assert np.abs(both(layer, x, head_mask=heads) - plain).max() > 0.01
    scaled = made(face, scale=0.9)
    assert np.abs(both(scaled, x) - plain).max() > 0.01
    dtype = kind(face)
    parts = {"softmax": face.SinkSoftmax(H, **dtype), "output_gate": face.OutputGate(D, H, 2, **dtype)}
    gated = made(face, **parts)
    assert {"softmax.sink", "output_gate.weight"} < get_parameters(gated).keys()
    assert np.abs(both(gated, x) - plain).max() > 0.01
    weights = numbers(gated(x)[1])
    assert (weights.sum(-1) < 1).all()


@FACE
def test_another_rotation(face):
    """Frequencies of one's own; those of the usual rotation give its numbers."""
    dtype = {"dtype": "float64"} if face is tf else {}
    x = tensor(face, draw(B, T, D))
    usual = face.RotaryEncoding(4, layout="interleaved", **dtype)
    plain = both(made(face), x)
    close(both(made(face, rotary=usual), x), plain)
    slow = face.RotaryEncoding(4, layout="interleaved", frequencies=[0.5, 0.01], **dtype)
    layer = made(face, rotary=slow)
    expected = both(layer, x)
    assert np.abs(expected - plain).max() > 0.01
    cache = layer.new_cache(B, T)
    close(in_chunks(face, layer, numbers(x), (1,) * T, cache=cache, absorbed=True), expected)
    with pytest.raises(ValueError, match="base must be left out beside rotary"):
        made(face, rotary=slow, base=5.0)
    with pytest.raises(ValueError, match="query_key_norm is not supported by LatentAttention"):
        made(face, query_key_norm=face.QueryKeyNorm(5))


@FACE
def test_inside_an_encoder_layer(face):
    """It takes what a stack hands to its attention."""
    layer = face.EncoderLayer(D, H, 17, attention=made(face), norm="pre", **kind(face))
    x = tensor(face, draw(B, T, D))
    expected = layer(x, causal=True)
    assert numbers(expected[1]).shape == (B, H, T, T)
    cache = layer.attention.new_cache(B, T)
    close(in_chunks(face, layer, numbers(x), (1,) * T, causal=True, cache=cache), expected[0])
    assert np.abs(numbers(layer(x)[0]) - numbers(expected[0])).max() > 0.01  # not causal without being asked


def test_a_saved_keras_layer_keeps_its_parts(tmp_path):
    turn = tf.RotaryEncoding(4, layout="interleaved", frequencies=[0.5, 0.01], dtype="float64")
    layer = made(tf, rotary=turn, softmax=tf.SinkSoftmax(H, dtype="float64"), scale=0.3)
    entry = keras.Input((None, D), dtype="float64")
    model = keras.Model(entry, layer(entry)[0])
    model.save(tmp_path / "model.keras")
    x = draw(B, T, D)
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "model.keras")(x), model(x))
