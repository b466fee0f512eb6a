"""The encoder: by hand, alike in three implementations, equal to PyTorch's own, and every planted fault caught."""

import itertools
import math

import numpy as np
import pytest
from support import FACE, build, close, drawn, numbers, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import torch
from attn_course.masks import padding_mask
from attn_course.parity import get_parameters, nested, set_parameters

B, T, D, H, F, L = 3, 5, 14, 2, 19, 3
PADDING = padding_mask([5, 3, 1], T)[:, None, None]
NORMS = "post", "pre", "both"
OPTIONS = pytest.mark.parametrize("options", [{}, {"mask": PADDING}, {"mask": PADDING, "causal": True}])


def words(seed=0):
    return np.random.default_rng(seed).normal(size=(B, T, D))


# --- by hand --------------------------------------------------------------------------


def test_norms_by_hand():
    x = np.array([[1.0, 2.0, 6.0]])
    parameters = {"scale": np.array([1.0, 10.0, 100.0]), "bias": np.array([0.0, 1.0, 2.0])}
    deviation = math.sqrt((4 + 1 + 9) / 3 + 1e-5)  # divided by 3, not by 2
    expected = [[-2 / deviation, -10 / deviation + 1, 300 / deviation + 2]]
    close(reference.layer_norm(x, parameters), expected)
    root = math.sqrt(41 / 3 + 1e-6)
    close(reference.rms_norm(x, parameters), [[1 / root, 20 / root, 600 / root]])


@pytest.mark.parametrize(
    ("activation", "expected"),
    [
        ("relu", 2 * 3.0 + 0.5),
        ("gelu", 3 * 0.9986501019683699 * 2 + -1 * 0.15865525393145707 + 0.5),
        ("swiglu", 2 / (1 + math.exp(-1)) * 2 + 1 / (1 + math.exp(1)) * 2),
        ("geglu", 2 * 0.8413447460685429 * 2 + 0.15865525393145707 * 2),
    ],
)
def test_feed_forward_by_hand(activation, expected):
    """One number in, hidden 3 and -1, weights 2 and 1 out."""
    parameters = {
        "0.weight": np.array([[2.0, -2.0]]),
        "0.bias": np.array([1.0, 1.0]),
        "1.weight": np.array([[2.0], [1.0]]),
        "1.bias": np.array([0.5]),
    }
    if "glu" in activation:  # hidden 2 and -2, times what the gate makes of 1 and -1
        parameters = {name: x for name, x in parameters.items() if "weight" in name}
        parameters["gate.weight"] = np.array([[1.0, -1.0]])
    found = reference.feed_forward(np.ones((1, 1, 1)), parameters, activation=activation)
    close(found, [[[expected]]])


def slow_layer(x, p, *, norm, mask=None, causal=False, fault=None):
    """A second program in plain loops over words, with places for mistakes."""

    def normalize(v, name):
        mean = sum(v) / len(v)
        freedom = len(v) - 1 if fault == "variance divided by D - 1" else len(v)
        return (v - mean) / math.sqrt(sum((v - mean) ** 2) / freedom + 1e-5) * p[f"{name}.scale"] + p[f"{name}.bias"]

    def network(v):
        hidden = np.array([max(h, 0.0) for h in v @ p["feed_forward.0.weight"] + p["feed_forward.0.bias"]])
        return hidden @ p["feed_forward.1.weight"] + p["feed_forward.1.bias"]

    def each(v, f):
        return np.array([[f(word) for word in sentence] for sentence in v])

    pre = (norm != "post") != (fault == "norm in the wrong place")
    before = each(x, lambda v: normalize(v, "norm1")) if pre else x
    options = {"num_heads": H, "mask": None if fault == "mask dropped" else mask, "causal": causal}
    if fault == "future leaked":
        options["causal"] = False
    attended, weights = reference.multi_head_attention(before, before, before, nested(p, "attention"), **options)
    if norm == "both":
        attended = each(attended, lambda v: normalize(v, "norm1_behind"))
    y = attended + (0 if fault == "no way around attention" else x)
    y = y if pre else each(y, lambda v: normalize(v, "norm1"))
    before = each(y, lambda v: normalize(v, "norm2")) if pre else y
    found = each(before, network)
    if norm == "both":
        found = each(found, lambda v: normalize(v, "norm2_behind"))
    output = found + (0 if fault == "no way around the network" else y)
    return output if pre else each(output, lambda v: normalize(v, "norm2")), weights


def parameters_of(norm):
    return get_parameters(drawn(build(pytorch, "EncoderLayer", D, H, F, norm=norm), 1 / 3))


@pytest.mark.parametrize("norm", NORMS)
@OPTIONS
def test_the_specification_equals_slow_loops(norm, options):
    """Other norms and activations: by hand, PyTorch's, and those of the models in tests/oracles."""
    parameters = parameters_of(norm)
    found = reference.encoder_layer(words(), parameters, num_heads=H, norm=norm, **options)
    for one, other in zip(found, slow_layer(words(), parameters, norm=norm, **options), strict=True):
        close(one, other)


FAULTS = (
    "norm in the wrong place",
    "no way around attention",
    "no way around the network",
    "variance divided by D - 1",
    "mask dropped",
    "future leaked",
)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault):
    for norm in NORMS[:2]:
        parameters, options = parameters_of(norm), {"mask": PADDING, "causal": True, "norm": norm}
        expected = reference.encoder_layer(words(), parameters, num_heads=H, **options)[0]
        found = slow_layer(words(), parameters, **options, fault=fault)[0]
        assert np.abs(found - expected).max() > 1e-3


# --- three implementations ------------------------------------------------------------


@FACE
def test_norms_on_both_sides_are_of_what_has_one_attention(face):
    for name in ("DecoderLayer", "Transformer"):
        sizes = (D, H, F) if name == "DecoderLayer" else (5, L, D, H, F)
        with pytest.raises(ValueError, match="norm must be one of post, pre, got 'both'"):
            getattr(face, name)(*sizes, norm="both")


@FACE
def test_names_of_parameters(face):
    for norm, (normalization, activation) in itertools.product(
        NORMS, (("layer", "relu"), ("layer_no_bias", "gelu"), ("rms", "geglu"))
    ):
        found = get_parameters(face.Encoder(L, D, H, F, norm=norm, normalization=normalization, activation=activation))
        assert any("bias" in name for name in found) == (normalization == "layer")
        assert ("final_norm.scale" in found) == (norm != "post")
    found = {name: x.shape for name, x in get_parameters(face.EncoderLayer(D, H, F)).items()}
    attention = {f"attention.{name}_weight": (D, D) for name in ("query", "key", "value", "output")}
    attention |= {f"attention.{name}_bias": (D,) for name in ("query", "key", "value", "output")}
    network = {"0.weight": (D, F), "0.bias": (F,), "1.weight": (F, D), "1.bias": (D,)}
    norms = {f"{norm}.{name}": (D,) for norm in ("norm1", "norm2") for name in ("scale", "bias")}
    assert found == attention | norms | {f"feed_forward.{name}": shape for name, shape in network.items()}


@FACE
def test_any_attention_of_the_course_goes_in(face):
    makes = {
        "rotary": lambda: face.MultiHeadAttention(D, H, key_dim=6, rotary=face.RotaryEncoding(6)),
        "relative": lambda: face.RelativeAttention(D, H, max_distance=3),
    }
    for make in makes.values():
        item = face.Encoder(2, D, H, F, attention=lambda _, make=make: make())
        output, weights = item(*to(face, words().astype("float32")))
        assert tuple(output.shape) == (B, T, D) and len(weights) == 2
        names = get_parameters(item)
        assert type(item.layers[1].attention) is type(make()) and "layers.1.attention.key_weight" in names
    with pytest.raises(ValueError, match="attention must be a layer over heads with model_dim = 14"):
        face.EncoderLayer(D, H, F, attention=face.MultiHeadAttention(12, 2))


# --- libraries ------------------------------------------------------------------------


LIBRARY = {
    "relu": "relu",
    "gelu": torch.nn.GELU(),
    "gelu_tanh": torch.nn.GELU(approximate="tanh"),
    "silu": torch.nn.functional.silu,
}


def test_what_cannot_be_carried_over_is_refused():
    plain = torch.nn.TransformerEncoderLayer
    for module, named in (
        (torch.nn.Linear(2, 2), "module must be a TransformerEncoderLayer"),
        (plain(D, H, F, activation=torch.nn.functional.tanh), "activation must be one of"),
    ):
        with pytest.raises(ValueError, match=named):
            pytorch.EncoderLayer.from_torch(module)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("activation", LIBRARY)
def test_equal_to_pytorchs_own(norm_first, ends, biased, activation):
    """A stack and a layer of it; in TensorFlow with the weights of the one that was converted, loaded by its config."""
    make, eps = torch.nn.TransformerEncoderLayer, 1e-2 if ends else 1e-5
    options = {"batch_first": True, "norm_first": norm_first, "bias": biased}
    layer = make(D, H, F, 0.1, LIBRARY[activation], eps, **options)
    last = torch.nn.LayerNorm(D, eps, bias=biased) if ends else None
    theirs = torch.nn.TransformerEncoder(layer, L, last, enable_nested_tensor=False).double().eval()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    ours, x, real = pytorch.Encoder.from_torch(theirs), torch.from_numpy(words()), torch.from_numpy(PADDING[:, 0, 0])
    expected = theirs(x, src_key_padding_mask=~real)[real]
    close(ours(x, PADDING)[0][real], expected)
    assert not ours.training and len(ours.layers) == L and (ours.final_norm is not None) == ends
    in_tf = tf.Encoder.from_config(tf.Encoder(**ours.config, dtype="float64").get_config())
    parameters = get_parameters(ours)
    set_parameters(in_tf, parameters)
    close(numbers(in_tf(words(), PADDING)[0])[real], expected)
    options = {"num_layers": L, "num_heads": H, "activation": activation, "mask": PADDING}
    options |= {name: ours.config[name] for name in ("norm", "normalization", "final_norm", "eps")}
    close(reference.encoder(words(), parameters, **options)[0][real], expected)
    one = pytorch.EncoderLayer.from_torch(theirs.layers[0])
    close(one(x)[0], theirs.layers[0](x))
    assert not one.training and one.dropout.p == 0.1
    theirs.layers[1].norm1.eps = theirs.layers[1].norm2.eps = 1e-3
    with pytest.raises(ValueError, match="all of the same sizes and choices"):
        pytorch.Encoder.from_torch(theirs)
    with pytest.raises(ValueError, match="module must be a TransformerEncoder of the library"):
        pytorch.Encoder.from_torch(layer)


@pytest.mark.parametrize(
    ("name", "part", "words"),
    [
        ("norm1", torch.nn.RMSNorm(D), "module.norm1 must be a LayerNorm of the library, got RMSNorm"),
        ("norm2", torch.nn.LayerNorm(D, eps=1e-3), "module must have norm2.eps=1e-05, got 0.001"),
        ("linear1", torch.nn.Sequential(torch.nn.Linear(D, F)), "module.linear1 must be a Linear of the library"),
        ("linear2", torch.nn.Linear(F, D, bias=False), "module must have a bias of linear2=True, got False"),
        ("dropout2", torch.nn.Dropout(0.3), "module must have dropout2.p=0.1, got 0.3"),
    ],
)
def test_a_part_put_in_place_of_another_is_named(name, part, words):
    layer = torch.nn.TransformerEncoderLayer(D, H, F)
    setattr(layer, name, part)
    with pytest.raises(ValueError, match=words):
        pytorch.EncoderLayer.from_torch(layer)


@FACE
def test_one_layer_for_a_whole_stack_is_named(face):
    with pytest.raises(ValueError, match="attention must be a function of a layer's number that makes one, lambda"):
        face.Encoder(2, D, H, F, attention=face.MultiHeadAttention(D, H))
    with pytest.raises(ValueError, match="got str"):
        face.Decoder(2, D, H, F, cross_attention="self")


@pytest.mark.parametrize("make", ["Encoder", "EncoderLayer", "DecoderLayer", "Decoder"])
def test_keras_is_told_the_shapes_of_all_inputs(make):
    sizes = (2, D, H, F) if make in ("Encoder", "Decoder") else (D, H, F)
    in_tf, shape = getattr(tf, make)(*sizes), (B, T, D)
    memory = [(B, 3, D)] if "Decoder" in make else []
    output, weights = in_tf.compute_output_shape(shape, *memory, (B, 1, 1, T), bias_shape=(T, T))
    assert output == shape and weights


@pytest.mark.parametrize("face", [pytorch, tf], ids=["pytorch", "tf"])
def test_a_last_epsilon_is_everywhere(face):
    """In every norm of a stack, the last one too; the default is what its kind has."""
    for kind, expected in (("layer", 1e-5), ("rms", 1e-6)):
        for eps in (None, 3e-3):
            item = face.Encoder(2, D, H, F, norm="pre", normalization=kind, eps=eps)
            norms = [item.final_norm, *(getattr(x, n) for x in item.layers for n in ("norm1", "norm2"))]
            assert {getattr(x, "eps", None) or x.epsilon for x in norms} == {eps or expected}
    with pytest.raises(ValueError, match="eps must be a positive, finite number, got 0"):
        face.EncoderLayer(D, H, F, eps=0)
    with pytest.raises(ValueError, match="eps must be a positive"):
        reference.encoder(words(), get_parameters(item), num_layers=2, num_heads=H, eps=0.0)


class MaskInLayer1Only(pytorch.Encoder):
    """A planted fault: the layers after the first don't get the mask."""

    def forward(self, x, mask=None, **options):
        for number, layer in enumerate(self.layers):
            x, _ = layer(x, None if number else mask, **options)
        return x, ()


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_mask_dropped_after_layer_1_is_caught(norm):
    right = drawn(build(pytorch, "Encoder", L, D, H, F, norm=norm), 1 / 3)
    wrong = MaskInLayer1Only(L, D, H, F, norm=norm, dtype=torch.float64)
    wrong.load_state_dict(right.state_dict())
    wrong.final_norm = right.final_norm
    x = torch.from_numpy(words())
    expected = numbers(
        reference.encoder(words(), get_parameters(right), num_layers=L, num_heads=H, norm=norm, mask=PADDING)[0]
    )
    real, found = PADDING[:, 0, 0], numbers(right(x, PADDING)[0])
    np.testing.assert_allclose(found[real], expected[real], 1e-10, 1e-10)
    assert np.abs(numbers(wrong(x, PADDING)[0]) - expected)[real].max() > 1e-3
