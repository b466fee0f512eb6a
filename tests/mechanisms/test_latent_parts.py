"""What takes the place of a latent layer's linear maps, and its parts: the naive and the absorbed form alike."""

import numpy as np
import pytest
from support import FACE, close, draw, numbers, tensor

from attn_course import pytorch, tf
from attn_course.frameworks import keras, torch
from attn_course.parity import get_parameters, set_parameters

B, T, D, H = 2, 7, 13, 3
SIZES = {"latent_dim": 11, "rope_dim": 4, "key_dim": 5, "value_dim": 2}


def made(face, **options):
    dtype = torch.float64 if face is pytorch else "float64"
    layer = face.LatentAttention(D, H, **SIZES, dtype=dtype, **options)
    shapes = {key: x.shape for key, x in get_parameters(layer).items()}
    set_parameters(layer, {key: draw(*shape, seed=i) / 2 for i, (key, shape) in enumerate(shapes.items())})
    return layer


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


def hooked(layer):
    layer.key_value.register_forward_hook(lambda module, inputs, output: 2 * output)


def hooked_before(layer):
    layer.key_value.register_forward_pre_hook(lambda module, inputs: (3 * inputs[0],))


def normed(layer):
    torch.nn.utils.parametrizations.weight_norm(layer.key_value)
    with torch.no_grad():
        layer.key_value.parametrizations.weight.original0 *= 2


def patched(layer):
    forward = layer.key_value.forward
    layer.key_value.forward = lambda x: 2 * forward(x)


@pytest.mark.parametrize("change", [adapted, hooked, hooked_before, normed, patched])
def test_what_stands_in_for_a_map_changes_both_forms(change):
    layer, x = made(pytorch), torch.from_numpy(draw(B, T, D))
    before = both(layer, x)
    change(layer)
    assert np.abs(both(layer, x) - before).max() > 0.01


def test_an_adapter_learns_from_the_absorbed_form():
    layer, x = made(pytorch), torch.from_numpy(draw(B, T, D))
    adapted(layer)
    gradients = []
    for absorbed in (False, True):
        layer.zero_grad()
        layer(x, absorbed=absorbed)[0].sin().sum().backward()
        gradients.append(layer.key_value.change.grad.clone())
    close(gradients[0], numbers(gradients[1]), 1e-8)


@pytest.mark.filterwarnings("ignore")  # the library's own: its quantization has moved to another package
def test_int8_of_pytorch():
    """Coarse, and alike; a cache has the dtype of what comes."""
    layer, x = made(pytorch).float(), torch.from_numpy(draw(B, T, D)).float()
    exact = numbers(layer(x)[0])
    small = torch.ao.quantization.quantize_dynamic(layer, {torch.nn.Linear}, dtype=torch.qint8)
    naive, absorbed = (numbers(small(x, absorbed=form)[0]) for form in (False, True))
    assert 0 < np.abs(naive - exact).max() < 0.1 * np.abs(exact).max()
    assert np.abs(naive - absorbed).max() < 0.1 * np.abs(exact).max()
    cache = small.new_cache(B, T)
    assert cache.key.dtype == torch.float32
    close(small(x, cache=cache, absorbed=True)[0], absorbed, 1e-4)


@pytest.mark.parametrize("kind", ["lora", "int8"])
def test_lora_and_int8_of_keras(kind):
    layer = tf.LatentAttention(D, H, **SIZES)
    set_parameters(layer, {key: draw(*x.shape) / 2 for key, x in get_parameters(layer).items()})
    x = tensor(tf, draw(B, T, D), "float32")
    before = numbers(layer(x)[0])
    if kind == "lora":
        layer.key_value.enable_lora(2)
        layer.key_value.lora_kernel_b.assign(draw(*layer.key_value.lora_kernel_b.shape))
    else:
        for part in (layer.query_dense, layer.latent, layer.key_value, layer.output_dense):
            part.quantize("int8")
    naive, absorbed = (numbers(layer(x, absorbed=form)[0]) for form in (False, True))
    assert np.abs(naive - before).max() > (0.05 if kind == "lora" else 0)
    tolerance = 1e-4 if kind == "lora" else 0.1 * np.abs(before).max()
    assert np.abs(naive - absorbed).max() < tolerance


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
    dtype = {"dtype": torch.float64 if face is pytorch else "float64"}
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
    steps = [numbers(layer(x[:, t : t + 1], cache=cache, absorbed=True)[0]) for t in range(T)]
    close(np.concatenate(steps, 1), expected)
    with pytest.raises(ValueError, match="base must be left out beside rotary"):
        made(face, rotary=slow, base=5.0)
    with pytest.raises(ValueError, match="query_key_norm is not supported by LatentAttention"):
        made(face, query_key_norm=face.QueryKeyNorm(5))


@FACE
def test_inside_an_encoder_layer(face):
    """It takes what a stack hands to its attention."""
    dtype = {"dtype": torch.float64 if face is pytorch else "float64"}
    layer = face.EncoderLayer(D, H, 17, attention=made(face), norm="pre", **dtype)
    x = tensor(face, draw(B, T, D))
    expected = layer(x, causal=True)
    assert numbers(expected[1]).shape == (B, H, T, T)
    cache = layer.attention.new_cache(B, T)
    steps = [numbers(layer(x[:, t : t + 1], causal=True, cache=cache)[0]) for t in range(T)]
    close(np.concatenate(steps, 1), numbers(expected[0]))
    assert np.abs(numbers(layer(x)[0]) - numbers(expected[0])).max() > 0.01  # not causal without being asked


def test_a_saved_keras_layer_keeps_its_parts(tmp_path):
    turn = tf.RotaryEncoding(4, layout="interleaved", frequencies=[0.5, 0.01], dtype="float64")
    layer = made(tf, rotary=turn, softmax=tf.SinkSoftmax(H, dtype="float64"), scale=0.3)
    entry = keras.Input((None, D), dtype="float64")
    model = keras.Model(entry, layer(entry)[0])
    model.save(tmp_path / "model.keras")
    x = draw(B, T, D)
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "model.keras")(x), model(x))
