"""The layers for positions: gradients, options that are kept, far positions, and all inside attention over heads."""

import numpy as np
import pytest
from positional_cases import LONGEST, B, D, H, K, S, T
from support import FACE, build, close, draw, gradients, kind, numbers, slope, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow
from attn_course.frameworks import torch
from attn_course.parity import get_parameters, set_parameters

# --- gradients ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["LearnedEncoding", "RelativeBias"])
def test_gradients_of_what_is_learned(name):
    x = draw(B, T, D)
    sizes, shape = ((LONGEST, D), (LONGEST, D)) if name == "LearnedEncoding" else ((H,), (32, H))
    weight = draw(*shape, seed=1)

    def run(face, layer):
        return layer(tensor(face, x), first_position=2) if name == "LearnedEncoding" else layer(T, S)

    def specified(weight):
        if name == "LearnedEncoding":
            return reference.learned_encoding(x, {"weight": weight}, first_position=2)
        return reference.relative_bias(T, S, {"weight": weight})

    probe = draw(*specified(weight).shape, seed=2)
    layers = {face: build(face, name, *sizes) for face in (pytorch, tf)}
    for layer in layers.values():
        set_parameters(layer, {"weight": weight})
    of_torch, of_tf = (
        gradients(face, lambda face=face, layer=layer: run(face, layer) * tensor(face, probe), {}, layer)["weight"]
        for face, layer in layers.items()
    )
    close(of_tf, of_torch)
    direction, expected = slope(lambda moved: (specified(moved) * probe).sum(), weight)
    assert (of_torch * direction).sum() == pytest.approx(expected, rel=1e-6)
    assert np.abs(of_torch).max() > 0.1


# --- what the frameworks do with a layer ----------------------------------------------


LAYERS = {
    "SinusoidalEncoding": ((D,), (draw(B, T, D),)),
    "LearnedEncoding": ((LONGEST, D), (draw(B, T, D),)),
    "RotaryEncoding": ((K,), (draw(B, H, T, K), draw(B, H, S, K, seed=1))),
    "AlibiBias": ((H,), (T, S)),
    "RelativeBias": ((H,), (T, S)),
}


def run(face, layer, inputs, dtype="float64"):
    values = inputs if isinstance(inputs[0], int) else [tensor(face, x, dtype=dtype) for x in inputs]
    found = layer(*values)
    return found if isinstance(found, (tuple, list)) else (found,)


def test_functions_make_their_result_on_the_device_asked_for():
    """On PyTorch's device without memory, which mixes with no other."""
    options = {"dtype": torch.float64, "device": "meta"}
    made = [pytorch.sinusoidal_encoding(T, D, **options), pytorch.alibi_bias(H, T, S, **options)]
    made += [pytorch.alibi_slopes(H, **options), pytorch.relative_buckets(T, S, device="meta")]
    assert {x.device.type for x in made} == {"meta"}


@pytest.mark.parametrize(
    ("name", "sizes", "options"),
    [
        ("SinusoidalEncoding", (D,), {"base": 7.0}),
        ("RotaryEncoding", (K,), {"base": 7.0, "layout": "interleaved"}),
        ("AlibiBias", (12,), {}),
        ("RelativeBias", (H,), {"num_buckets": 6, "max_distance": 9, "bidirectional": False}),
        ("LearnedEncoding", (LONGEST, D), {}),
    ],
)
def test_keras_config_keeps_every_option(name, sizes, options):
    layer = build(tf, name, *sizes, **options)
    copy = type(layer).from_config(layer.get_config())
    set_parameters(copy, get_parameters(layer))
    inputs = LAYERS[name][1]
    for one, other in zip(run(tf, layer, inputs), run(tf, copy, inputs), strict=True):
        np.testing.assert_array_equal(one, other)
    assert all(layer.get_config()[key] == value for key, value in options.items())


@FACE
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_keeps_its_place_in_a_long_sentence(face, dtype):
    """bfloat16 rounds 4001 to 4000, float16 rounds 4001 to 4000 too: positions need float32."""
    exact = reference.sinusoidal_encoding(1, D, first_position=4001)
    close(face.sinusoidal_encoding(1, D, first_position=4001, **kind(face, dtype)), exact, 2.0**-8)
    x = tensor(face, np.ones((1, K)), dtype=dtype)
    close(face.rotate(x, tensor(face, np.array([4001]))), reference.rotate(np.ones((1, K)), np.array([4001])), 2.0**-7)
    found = numbers(face.alibi_bias(12, 1, 4002, **kind(face, dtype)))
    np.testing.assert_allclose(found, reference.alibi_bias(12, 1, 4002), rtol=2.0**-8)


def test_a_compiled_graph_reads_no_row_beyond_the_table():
    """XLA raises nothing, and would take the last row for every later position."""
    layer, x = tf.LearnedEncoding(4, D), tensorflow.zeros((B, 7, D))
    signature = [tensorflow.TensorSpec((None, None, D))]
    graph = tensorflow.function(lambda x: layer(x), input_signature=signature, jit_compile=True)
    found = numbers(graph(x))
    close(found[:, :4], np.broadcast_to(get_parameters(layer)["weight"], (B, 4, D)))
    assert np.isnan(found[:, 4:]).all()


# --- inside multi-head attention -------------------------------------------------------


def by_reference(kind, layout="half"):
    """What positions of a kind are to ``reference.multi_head_attention_at_once``."""

    def turned(query, key):
        places = np.arange(S - T, S), np.arange(S)
        return [reference.rotate(x, t, layout=layout) for x, t in zip((query, key), places, strict=True)]

    weight = {"weight": draw(32, H, seed=5)}
    biases = {"alibi": reference.alibi_bias(H, T, S), "t5": reference.relative_bias(T, S, weight)}
    return {"rotary": turned} if kind == "rotary" else {"bias": biases[kind]}


@FACE
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("kind", "layout"), [("rotary", "half"), ("rotary", "interleaved"), ("alibi", "half"), ("t5", "half")]
)
def test_positions_inside_multi_head_attention(face, kind, layout, causal):
    """The layer with the real encodings, and the specification; the queries stand at the end of the keys."""
    rotary = build(face, "RotaryEncoding", K, layout=layout) if kind == "rotary" else None
    layer = build(face, "MultiHeadAttention", D, H, key_dim=K, rotary=rotary)
    parameters = {name: draw(*x.shape, seed=7) for name, x in get_parameters(layer).items()}
    set_parameters(layer, parameters)
    bias = None
    if kind == "alibi":
        bias = build(face, "AlibiBias", H)(T, S)
    if kind == "t5":
        learned = build(face, "RelativeBias", H)
        set_parameters(learned, {"weight": draw(32, H, seed=5)})
        bias = learned(T, S)
    query, memory = draw(B, T, D), draw(B, S, D, seed=1)
    options = {"num_heads": H, "causal": causal, **by_reference(kind, layout)}
    expected = reference.multi_head_attention_at_once(query, memory, memory, parameters, **options)
    found = layer(*to(face, query, memory), bias=bias, causal=causal)
    for one, other in zip(found, expected, strict=True):
        close(one, other)
    alone, _ = layer(*to(face, query, memory), bias=bias, causal=causal, need_weights=False)
    close(alone, expected[0])
