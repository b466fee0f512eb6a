"""The layers for positions: where they are made, options that are kept, far positions."""

import numpy as np
import pytest
from support import FACE, build, close, kind, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.parity import get_parameters

B, H, T, S, D, K = 2, 3, 5, 7, 11, 6


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
