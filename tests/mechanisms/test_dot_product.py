"""Scaled dot-product attention: dropout, narrow numbers, biases; another program: tests/contract/test_wrong.py."""

import itertools

import numpy as np
import pytest
from support import FACE, build, draw, gradients, numbers, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.parity import get_parameters, set_parameters

B, H, T, S, K, V = 2, 3, 5, 7, 11, 13


def inputs(seed=0, T=T, S=S):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(B, H, T, K)), rng.normal(size=(B, H, S, K)), rng.normal(size=(B, H, S, V))


def some_mask(seed=0, T=T, S=S):
    mask = np.random.default_rng(seed).random((B, 1, T, S)) < 0.6
    mask[0, :, 1] = False  # a query that may see nothing
    return mask


def of(face):
    """Attention by a face, from NumPy to NumPy."""

    def attend(*arrays, **options):
        given = {name: tensor(face, x) for name, x in options.items()}
        found = face.scaled_dot_product_attention(*to(face, *arrays), **given)
        return [None if x is None else numbers(x) for x in found]

    return attend


EVERY = pytest.mark.parametrize("attend", [of(reference), of(pytorch), of(tf)], ids=["reference", "pytorch", "tf"])


@FACE
def test_dropout_reaches_the_output_and_not_the_weights_shown(face):
    query, key, value = inputs()
    dropped = 2.0 * (np.random.default_rng(1).random((B, H, T, S)) < 0.5)  # at rate 1/2, what is kept counts twice
    _, expected = reference.scaled_dot_product_attention(query, key, value, some_mask())
    drop = {"dropout": lambda weights: weights * tensor(face, dropped)}
    output, weights = of(face)(query, key, value, some_mask(), **drop)
    np.testing.assert_allclose(weights, expected, 1e-10, 1e-10)
    np.testing.assert_allclose(output, dropped * expected @ value, 1e-10, 1e-10)


def test_masked_softmax_alone():
    """Rows sum to 1 over what is allowed; an empty row is zeros; float16 is computed wider."""
    score = np.random.default_rng(0).normal(size=(3, 5)) * 4
    mask = np.array([[True] * 5, [True, False, True, False, False], [False] * 5])
    expected = np.zeros((3, 5))
    for row, allowed in enumerate(mask):
        terms = np.exp(score[row]) * allowed
        expected[row] = terms / (terms.sum() or 1.0)
    for face in (reference, pytorch, tf):
        found = numbers(face.masked_softmax(*to(face, score, mask)))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    for face in (pytorch, tf):
        narrow = face.masked_softmax(tensor(face, np.array([60000.0, -60000.0]), "float16"))
        assert "float16" in str(narrow.dtype) and numbers(narrow).tolist() == [1.0, 0.0]


# --- numbers of less precision, biases ------------------------------------------------


@pytest.mark.parametrize("face", [pytorch, tf])
def test_half_precision_is_rounded_once(face):
    """Products beyond float16's 65,504, and sums that bfloat16 alone would stop at 256."""
    query, key, value = np.full((1, 1, 1, 64), 60.0), np.full((1, 1, 3, 64), 60.0), np.eye(3)[None, None]
    for arrays in ((query, key, value), (query, key, value * 100)):
        output, weights = face.scaled_dot_product_attention(*to(face, *arrays, dtype="float16"))
        assert np.isfinite(numbers(output)).all()
        np.testing.assert_allclose(numbers(weights), 1 / 3, rtol=1e-3)
    ones = [np.zeros((1, 1, 1, 8)), np.zeros((1, 1, 512, 8)), np.ones((1, 1, 512, 8))]
    output, _ = face.scaled_dot_product_attention(*to(face, *ones, dtype="bfloat16"))
    np.testing.assert_array_equal(numbers(output), 1.0)
    rng = np.random.default_rng(0)
    drawn = [3 * rng.normal(size=shape) for shape in ((1, 1, 31, 64), (1, 1, 37, 64), (1, 1, 37, 64))]
    given = to(face, *drawn, dtype="bfloat16")
    exact = reference.scaled_dot_product_attention(*(numbers(x) for x in given))[0]
    found = numbers(face.scaled_dot_product_attention(*given)[0])
    # Rounded once: no number is off by more than half a unit in the last of 8 bits.
    assert (np.abs(found - exact) <= 2.0**-8 * np.abs(exact) + 1e-5).all()


@EVERY
@pytest.mark.parametrize("need_weights", [True, False])
def test_a_bias_of_minus_infinity_blocks(attend, need_weights):
    query, key, value = inputs()
    bias = np.random.default_rng(1).normal(size=(T, S))
    bias[0], bias[1, 2] = -np.inf, -np.inf
    output, weights = attend(query, key, value, bias=bias, need_weights=need_weights)
    expected = attend(query, key, value, np.isfinite(bias), bias=np.where(np.isfinite(bias), bias, 0.0))
    np.testing.assert_allclose(output, expected[0], rtol=1e-9, atol=1e-12)
    assert not output[:, :, 0].any()
    if need_weights:
        np.testing.assert_allclose(weights, expected[1], rtol=1e-9, atol=1e-12)


FAR = np.zeros((4, 4))
FAR[0], FAR[1, 1:], FAR[2], FAR[3, 0] = np.finfo("float32").min, -1e9, -np.inf, -np.inf
NARROW = pytest.mark.parametrize(("narrow", "tolerance"), [("float16", 2e-3), ("bfloat16", 2e-2)])
BIASED = {
    "MultiHeadAttention": {},
    "GroupedQueryAttention": {"num_kv_heads": 1},
    "RelativeAttention": {"max_distance": 3},
    "EncoderLayer": {"ff_dim": 24},
}


def biased(face, name, dtype):
    """A layer that takes a bias, of width 16 with two heads."""
    return build(face, name, 16, 2, dtype=dtype, **BIASED[name])


@FACE
@NARROW
@pytest.mark.parametrize("name", BIASED)
def test_a_layer_takes_a_finite_bias_beyond_16_bits(face, narrow, tolerance, name):
    x = np.random.default_rng(0).normal(size=(1, 4, 16))
    layer, exact = (biased(face, name, dtype) for dtype in (narrow, "float64"))
    set_parameters(layer, get_parameters(exact))
    set_parameters(exact, {key: numbers(x) for key, x in get_parameters(layer).items()})
    expected = exact(tensor(face, x), bias=tensor(face, FAR))[0]
    for need_weights in (True, False):
        bias = tensor(face, FAR, "float32")
        found = layer(tensor(face, x, narrow), bias=bias, need_weights=need_weights)[0]
        np.testing.assert_allclose(numbers(found), numbers(expected), 4 * tolerance, 4 * tolerance)


@FACE
def test_a_bias_of_float64_stays_finite_in_float32(face):
    far = np.where(np.isfinite(FAR), FAR, 0.0)
    far[0] = np.finfo("float64").min
    layer, x = build(face, "MultiHeadAttention", 16, 2, dtype="float32"), np.ones((1, 4, 16))
    found = layer(tensor(face, x, "float32"), bias=tensor(face, far), need_weights=False)[0]
    np.testing.assert_allclose(numbers(found)[:, 0], numbers(layer(tensor(face, x, "float32"))[0])[:, 0], 1e-5, 1e-5)


@FACE
@pytest.mark.parametrize("name", BIASED)
def test_a_mask_beside_the_lowest_bias(face, name):
    """Every score rounds to the lowest number of float32: keys that the mask allows share, the others get nothing."""
    layer, mask = biased(face, name, "float32"), np.tril(np.ones((4, 4), bool), -1)
    x, low = tensor(face, draw(1, 4, 16), "float32"), np.full((4, 4), np.finfo("float32").min)
    found, weights = layer(x, bias=tensor(face, low, "float32"), mask=tensor(face, mask))
    expected = mask / np.maximum(mask.sum(-1, keepdims=True), 1)
    np.testing.assert_allclose(numbers(weights), np.broadcast_to(expected, weights.shape), 1e-6)
    alone, _ = layer(x, bias=tensor(face, low, "float32"), mask=tensor(face, mask), need_weights=False)
    np.testing.assert_allclose(numbers(found), numbers(alone), 1e-5, 1e-5)


@FACE
@NARROW
@pytest.mark.parametrize("name", BIASED)
def test_mixed_precision_leaves_a_finite_bias_as_it_is(face, narrow, tolerance, name):
    """Autocast, and a policy of Keras; with the weights and without, eager and as one graph: as in float32."""
    layer = biased(face, name, "float32")
    x, bias = to(face, draw(1, 4, 16), FAR, dtype="float32")
    expected = numbers(layer(x, bias=bias)[0])
    if face is tf:
        mixed = biased(tf, name, f"mixed_{narrow}")
        set_parameters(mixed, get_parameters(layer))
        graph = tensorflow.function(lambda *given, **options: mixed(*given, **options))
    else:

        def mixed(*given, **options):
            with torch.autocast("cpu", getattr(torch, narrow)):
                return layer(*given, **options)

        graph = torch.compile(mixed, backend="eager", fullgraph=True)
    runs = (mixed, graph) if narrow == "float16" else (mixed,)  # a graph takes half a second
    for run, need_weights in itertools.product(runs, (True, False)):
        found = numbers(run(x, bias=bias, need_weights=need_weights)[0])
        np.testing.assert_allclose(found, expected, 4 * tolerance, 4 * tolerance)


@pytest.mark.parametrize("face", [reference, pytorch, tf])
def test_masked_softmax_of_what_is_blocked_whole_or_no_score(face):
    score = np.array([[-np.inf, -np.inf], [0.0, -np.inf]])
    np.testing.assert_array_equal(face.masked_softmax(tensor(face, score)), [[0.0, 0.0], [1.0, 0.0]])
    found = np.asarray(face.masked_softmax(tensor(face, np.array([[1, 1]]))))
    np.testing.assert_array_equal(found, [[0.5, 0.5]])


@pytest.mark.parametrize(("mask", "causal"), [(None, False), (None, True), (some_mask(), False), (some_mask(), True)])
@pytest.mark.parametrize("blocked", [False, True])
def test_gradients_of_a_bias(mask, causal, blocked):
    """Alike in both frameworks and on both paths, which PyTorch's kernel and the formula are; a row may see nothing."""
    given = dict(zip(("query", "key", "value"), inputs(), strict=True)) | {"bias": draw(T, S)}
    given["bias"][0] = -np.inf if blocked else given["bias"][0]
    probe, found = draw(B, H, T, V, seed=1), []
    for face, need_weights in itertools.product((pytorch, tf), (True, False)):

        def loss(query, key, value, bias, face=face, need_weights=need_weights):
            options = {"bias": bias, "causal": causal, "need_weights": need_weights}
            attend = face.scaled_dot_product_attention
            return attend(query, key, value, tensor(face, mask), **options)[0] * tensor(face, probe)

        found.append(gradients(face, loss, given))
    for name, x in found[0].items():
        assert np.isfinite(x).all()
        for other in found[1:]:
            np.testing.assert_allclose(other[name], x, rtol=1e-10, atol=1e-12, err_msg=name)
