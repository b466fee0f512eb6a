"""What x-transformers and keras-hub say about positions, stored by ``make_goldens.py``; transformers: tests/clients."""

from pathlib import Path

import numpy as np
import pytest
from support import FACES, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.masks import causal_mask
from attn_course.parity import set_parameters

GOLDENS = np.load(Path(__file__).with_name("positional.npz"))
# The libraries take powers and angles in float32: positions to 40 times an ulp of the frequency.
FLOAT32 = {"rtol": 0, "atol": 1e-5}
FIRST = pytest.mark.parametrize("first", [0, 33])


def each(folder):
    """The stored rows of a folder, by the name of the last part."""
    start = f"{folder}/"
    return pytest.mark.parametrize("row", [x.removeprefix(start) for x in GOLDENS.files if x.startswith(start)])


@FACES
@FIRST
def test_sinusoids_of_keras_hub(face, first):
    """An even width from the first position on, an odd one from a later position on."""
    theirs = GOLDENS[f"sinusoids/{first}"]
    found = face.sinusoidal_encoding(*theirs.shape, first_position=first)
    np.testing.assert_allclose(numbers(found), theirs, **FLOAT32)


@FACES
@FIRST
def test_rotations_of_keras_hub(face, first):
    """It takes halves, and counts from any position; so do our layers."""
    query = tensor(face, GOLDENS["query"].astype(np.float64))
    found = [face.rotate(query, np.arange(first, first + 7))]
    if face is not reference:
        found += face.RotaryEncoding(6)(query, query, first_position=first)
    for one in found:
        np.testing.assert_allclose(numbers(one), GOLDENS[f"rotations/{first}"], **FLOAT32)


@FACES
@each("alibi/x_transformers")
def test_alibi_of_x_transformers(face, row):
    """Two queries on the last of four keys."""
    found = numbers(face.alibi_bias(int(row), 2, 4))
    np.testing.assert_allclose(found, GOLDENS[f"alibi/x_transformers/{row}"], rtol=1e-6, atol=2e-9)


@FACES
@each("alibi/keras_hub")
def test_alibi_of_keras_hub_after_a_causal_softmax(face, row):
    """Its bias is one and the same for every query, so without the mask it is another."""
    biases = numbers(face.alibi_bias(int(row), 2, 4)), GOLDENS[f"alibi/keras_hub/{row}"].astype(np.float64)
    found, theirs = (reference.masked_softmax(bias, causal_mask(2, 4)) for bias in biases)
    np.testing.assert_allclose(found, theirs, rtol=1e-6)
    found, theirs = map(reference.masked_softmax, biases)
    assert np.abs(found - theirs).max() > 1e-3


@FACES
@each("buckets")
def test_buckets_of_t5(face, row):
    """By distance, key minus query, in both libraries."""
    buckets, most, both = row.partition("/")[2].split()
    theirs = GOLDENS[f"buckets/{row}"]
    far, sizes = len(theirs) // 2, {"num_buckets": int(buckets), "max_distance": int(most)}
    found = numbers(face.relative_buckets(far + 1, far + 1, **sizes, bidirectional=both == "True"))
    np.testing.assert_array_equal(found[0], theirs[far:])
    np.testing.assert_array_equal(found[:, 0], theirs[far::-1])


@pytest.mark.parametrize("face", [pytorch, tf])
def test_relative_bias_of_x_transformers(face):
    parameters, theirs = {"weight": GOLDENS["relative/weight"].astype(np.float64)}, GOLDENS["relative/bias"]
    layer = face.RelativeBias(3, num_buckets=8, max_distance=20)
    set_parameters(layer, parameters)
    np.testing.assert_allclose(numbers(layer(5, 7))[0], theirs, rtol=1e-6)
    np.testing.assert_allclose(reference.relative_bias(5, 7, parameters, max_distance=20)[0], theirs, atol=1e-8)
