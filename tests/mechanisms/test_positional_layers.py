"""The layers for positions: options that are kept, far positions, and all inside attention over heads."""

import numpy as np
import pytest
from positional_cases import B, D, H, K, S, T
from support import FACE, build, close, draw, kind, numbers, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow
from attn_course.frameworks import torch
from attn_course.parity import get_parameters, set_parameters

# --- what the frameworks do with a layer ----------------------------------------------


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
        ("RelativeBias", (H,), {"num_buckets": 6, "max_distance": 9, "bidirectional": False}),
    ],
)
def test_keras_config_keeps_every_option(name, sizes, options):
    config = build(tf, name, *sizes, **options).get_config()
    assert getattr(tf, name).from_config(config).get_config() == config
    assert options.items() <= config.items()


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
