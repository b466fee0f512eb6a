"""What Hugging Face, x-transformers and keras-hub say about positions, stored by ``make_positional_goldens.py``."""

import json
from pathlib import Path

import numpy as np
import pytest
from support import FACES, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.masks import causal_mask
from attn_course.parity import set_parameters

GOLDENS = json.loads(Path(__file__).with_name("positional.json").read_text(encoding="utf-8"))
# The libraries take powers and angles in float32: positions to 40 times an ulp of the frequency.
FLOAT32 = {"rtol": 0, "atol": 1e-5}


def to(face, x):
    return tensor(face, np.asarray(x, np.float64))


def first_position(golden):
    return str(golden["first_position"])


def bucket_sizes(golden):
    return str([x for name, x in golden.items() if name != "buckets"])


@FACES
def test_sinusoids_of_wav2vec2_bert(face):
    theirs = np.array(GOLDENS["sinusoids"]["encoding"])
    np.testing.assert_allclose(numbers(face.sinusoidal_encoding(*theirs.shape)), theirs, **FLOAT32)


@FACES
@pytest.mark.parametrize("golden", GOLDENS["keras_sinusoids"]["found"], ids=first_position)
def test_sinusoids_of_keras_hub(face, golden):
    """An even width from the first position on, an odd one from a later position on."""
    theirs, first = np.array(golden["encoding"]), golden["first_position"]
    found = face.sinusoidal_encoding(*theirs.shape, first_position=first)
    np.testing.assert_allclose(numbers(found), theirs, **FLOAT32)


@FACES
@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_rotations_of_llama_and_gpt_j(face, layout):
    """Llama takes halves, GPT-J pairs of neighbours."""
    golden = GOLDENS["rotations"]
    for x, theirs in zip((golden["query"], golden["key"]), golden[layout], strict=True):
        found = face.rotate(to(face, x), np.arange(7), layout=layout)
        np.testing.assert_allclose(numbers(found), theirs, **FLOAT32)


def test_llama_and_gpt_j_differ_by_the_layout_alone():
    golden = GOLDENS["rotations"]
    moved = reference.rotate(reference.change_layout(np.array(golden["query"]), to="half"), np.arange(7))
    theirs = reference.change_layout(np.array(golden["interleaved"][0]), to="half")
    np.testing.assert_allclose(moved, theirs, **FLOAT32)
    assert np.abs(np.subtract(golden["half"][0], golden["interleaved"][0])).max() > 0.5


@FACES
@pytest.mark.parametrize("golden", GOLDENS["keras_rotations"]["found"], ids=first_position)
def test_rotations_of_keras_hub(face, golden):
    """It takes halves, and counts from any position; so do our layers."""
    query, first = to(face, GOLDENS["rotations"]["query"]), golden["first_position"]
    found = [face.rotate(query, np.arange(first, first + 7))]
    if face is not reference:
        found += face.RotaryEncoding(6)(query, query, first_position=first)
    for one in found:
        np.testing.assert_allclose(numbers(one), golden["turned"], **FLOAT32)


@FACES
@pytest.mark.parametrize("num_heads", [int(heads) for heads in GOLDENS["alibi"]["bias"]])
def test_alibi_of_x_transformers(face, num_heads):
    """Two queries on the last of four keys."""
    theirs = np.array(GOLDENS["alibi"]["bias"][str(num_heads)])
    np.testing.assert_allclose(numbers(face.alibi_bias(num_heads, 2, 4)), theirs, rtol=1e-6, atol=2e-9)


@FACES
@pytest.mark.parametrize("num_heads", [int(heads) for heads in GOLDENS["keras_alibi"]["bias"]])
def test_alibi_of_keras_hub_after_a_causal_softmax(face, num_heads):
    """Its bias is one and the same for every query, so without the mask it is another."""
    biases = numbers(face.alibi_bias(num_heads, 2, 4)), np.array(GOLDENS["keras_alibi"]["bias"][str(num_heads)])
    found, theirs = (reference.masked_softmax(bias, causal_mask(2, 4)) for bias in biases)
    np.testing.assert_allclose(found, theirs, rtol=1e-6)
    found, theirs = map(reference.masked_softmax, biases)
    assert np.abs(found - theirs).max() > 1e-3


def check_buckets(face, golden, far):
    sizes = {name: x for name, x in golden.items() if name != "buckets"}
    found = numbers(face.relative_buckets(far + 1, far + 1, **sizes))
    np.testing.assert_array_equal(found[0], golden["buckets"][far:])
    np.testing.assert_array_equal(found[:, 0], golden["buckets"][far::-1])


@FACES
@pytest.mark.parametrize("golden", GOLDENS["buckets"]["found"], ids=bucket_sizes)
def test_buckets_of_t5(face, golden):
    check_buckets(face, golden, GOLDENS["buckets"]["far"])


@FACES
@pytest.mark.parametrize("golden", GOLDENS["keras_buckets"]["found"], ids=bucket_sizes)
def test_buckets_of_t5_in_keras_hub(face, golden):
    check_buckets(face, golden, GOLDENS["keras_buckets"]["far"])


@pytest.mark.parametrize("face", [pytorch, tf])
def test_relative_bias_of_x_transformers(face):
    golden = GOLDENS["relative_bias"]
    parameters = {"weight": np.array(golden["weight"])}
    layer = face.RelativeBias(3, num_buckets=8, max_distance=20)
    set_parameters(layer, parameters)
    np.testing.assert_allclose(numbers(layer(5, 7))[0], golden["bias"], rtol=1e-6)
    np.testing.assert_allclose(reference.relative_bias(5, 7, parameters, max_distance=20)[0], golden["bias"], atol=1e-8)


@pytest.mark.parametrize("face", [reference, pytorch, tf])
def test_shaw_of_wav2vec2_bert(face):
    """Its relative keys; the vectors for the values are zero, as the library has none."""
    golden = GOLDENS["shaw"]
    x, parameters = np.array(golden["x"]), {name: np.array(y) for name, y in golden["parameters"].items()}
    parameters["relative_value"] = np.zeros_like(parameters["relative_key"])
    if face is reference:
        found = reference.relative_attention(x, x, x, parameters, num_heads=2)
    else:
        sizes = {"max_distance": 2, "use_bias": True}
        layer = tf.RelativeAttention(12, 2, **sizes, dtype="float64") if face is tf else None
        layer = layer or pytorch.RelativeAttention(12, 2, **sizes).double()
        set_parameters(layer, parameters)
        found = layer(to(face, x))
    for one, name in zip(found, ("output", "weights"), strict=True):
        np.testing.assert_allclose(numbers(one), golden[name], rtol=1e-7, atol=1e-7)
