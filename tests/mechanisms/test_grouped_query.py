"""Grouped-query attention: by hand, against its two ends, and made from a multi-head layer."""

import functools
import math

import numpy as np
import pytest
from both_frameworks import first_weights  # noqa: F401
from support import FACE, Largest, build, close, drawn, gradients, numbers, sizes_in_a_graph, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.parity import get_parameters, set_parameters

B, H, G, T, S, K, V, D, E = 2, 6, 3, 5, 7, 11, 13, 17, 19


def draw(T=T, S=S, G=G, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(B, H, T, K)), rng.normal(size=(B, G, S, K)), rng.normal(size=(B, G, S, V))


def attend(face, *arrays, **options):
    options = {name: tensor(face, x) for name, x in options.items()}
    output, weights = face.grouped_query_attention(*(tensor(face, x) for x in arrays), **options)
    return numbers(output), None if weights is None else numbers(weights)


def masks():
    rng = np.random.default_rng(1)
    padding = np.arange(S) < np.array([[4], [0]])
    return {
        "none": None,
        "rows": rng.random((T, S)) < 0.6,
        "padding": padding[:, None, None],  # the second example may see nothing
        "rows per example": rng.random((B, 1, T, S)) < 0.6,
        "rows per head": rng.random((B, H, T, S)) < 0.6,
        "one row per head": rng.random((1, H, 1, S)) < 0.6,
    }


def test_by_hand():
    """Scores ln 3 and 0 give 3/4 and 1/4; four heads, of which two share each value."""
    query = np.full((1, 4, 1, 1), math.log(3.0))
    key = np.array([[[[1.0], [0.0]], [[0.0], [1.0]]]])
    value = np.array([[[[8.0], [4.0]], [[80.0], [40.0]]]])
    output, weights = reference.grouped_query_attention(query, key, value)
    np.testing.assert_allclose(output.ravel(), [7.0, 7.0, 50.0, 50.0])
    np.testing.assert_allclose(weights[0, :, 0], [[0.75, 0.25]] * 2 + [[0.25, 0.75]] * 2)


@pytest.mark.parametrize("mask", masks().values(), ids=masks())
@pytest.mark.parametrize("causal", [False, True])
def test_the_reference_repeats_its_keys(mask, causal):
    """Head h looks at key head h // (H / G)."""
    query, *others = draw()
    others = (x[:, [math.floor(h * G / H) for h in range(H)]] for x in others)
    expected = reference.scaled_dot_product_attention(query, *others, mask, causal=causal)
    close(reference.grouped_query_attention(*draw(), mask, causal=causal), expected, 1e-12)


@FACE
@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("shape", [(T, S), (H, T, S), (B, H, T, S), (1, 1, 1, S), (1, H, T, 1), (B, 1, T, S)])
def test_a_bias_is_for_every_head(face, shape, need_weights):
    """As if the keys had been repeated and multi-head attention called; with a scale, and a blocked row."""
    query, key, value = draw()
    bias = np.random.default_rng(3).normal(size=shape)
    bias[..., 0, 0] = -np.inf
    options = {"bias": bias, "scale": 0.7, "causal": True}
    repeated = [np.repeat(x, H // G, axis=1) for x in (key, value)]
    expected, weights = reference.scaled_dot_product_attention(query, *repeated, **options)
    found = attend(face, query, key, value, need_weights=need_weights, **options)
    np.testing.assert_allclose(found[0], expected, rtol=1e-10, atol=1e-13)
    if need_weights:
        np.testing.assert_allclose(found[1], weights, rtol=1e-10, atol=1e-13)


def sines(face, *heads, **options):
    """Of what comes out: a loss that asks for every output."""
    return (torch if face is pytorch else tensorflow).sin(face.grouped_query_attention(*heads, **options)[0])


@FACE
@pytest.mark.parametrize("sink", [False, True])
def test_a_score_of_minus_infinity_is_blocked(face, sink):
    """As by a mask, a whole row too, and under another softmax; nothing becomes NaN, the gradients neither."""
    allowed = np.tile([[True, False, True]], (T, S))[:, :S]
    allowed[2] = False
    bias = np.where(allowed, 0.0, -np.inf)
    softmax = face.SinkSoftmax(H, dtype=torch.float64 if face is pytorch else "float64") if sink else None
    options = {"softmax": softmax} if sink else {}
    expected = attend(face, *draw(), allowed, **options)
    found = attend(face, *draw(), bias=bias, **options)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-13)
    assert not found[0][:, :, 2].any() and not found[1][:, :, 2].any()
    slopes, others = (
        gradients(face, functools.partial(sines, face, **given, **options), dict(zip("qkv", draw(), strict=True)))
        for given in ({"bias": tensor(face, bias)}, {"mask": tensor(face, allowed)})
    )
    for name, one in slopes.items():
        np.testing.assert_allclose(one, others[name], rtol=1e-9, atol=1e-12)


def test_the_bank_of_wrong_heads():
    """Heads interleaved over the groups, or the group of the other side, are other numbers."""
    query, key, value = draw()
    output, _ = reference.grouped_query_attention(query, key, value)
    for wrong in ([h % G for h in range(H)], [G - 1 - h // (H // G) for h in range(H)]):
        other = reference.scaled_dot_product_attention(query, key[:, wrong], value[:, wrong])[0]
        assert np.abs(other - output).max() > 0.1


@pytest.mark.parametrize("need_weights", [False, True])
def test_keys_and_values_are_never_repeated(need_weights):
    """In a step behind a long cache no tensor is larger than the keys, in either framework; repeated, one would be."""
    long, mask = 211, np.random.default_rng(0).random((B, 1, 1, 211)) < 0.9
    arrays, options = draw(1, long), {"causal": True, "need_weights": need_weights}
    query, key, value, allowed = (torch.from_numpy(x) for x in (*arrays, mask))
    repeated = key.numel() * H // G
    with Largest() as watch:
        pytorch.grouped_query_attention(query, key, value, allowed, **options)
    assert 0 < watch.found <= value.numel() < repeated
    with Largest() as watch:
        key.repeat_interleave(H // G, dim=1)
    assert watch.found == repeated
    sizes = sizes_in_a_graph(lambda *x: tf.grouped_query_attention(*x, **options)[0], *to(tf, *arrays, mask))
    assert 0 < max(sizes) <= arrays[2].size


# --- the layer ------------------------------------------------------------------------


@FACE
def test_what_is_refused(face):
    query, key, value = draw()
    for arrays, words in (
        ((query[:, :5], key, value), "key must have a number of heads that divides the query's 5, got 3"),
        ((query, key[:, :2], value), "value must have shape .* with G = 2"),
        ((query, key.astype("float32"), value), "key must be float64 like query, got float32"),
        ((query[0], key, value), "query must have shape"),
        ((query, key, value, np.ones((B, T, S), bool)), "mask must have shape"),
        ((query, key, value, np.ones((B, G, T, S), bool)), r"mask must have shape .* \(2, 6, 5, 7\)"),
    ):
        with pytest.raises(ValueError, match=words):
            attend(face, *arrays)
    with pytest.raises(ValueError, match=r"bias must have shape .* \(2, 6, 5, 7\)"):
        attend(face, query, key, value, bias=np.zeros((G, T, S)))


# --- from many heads to few -----------------------------------------------------------


def many_heads(face, **options):
    return drawn(build(face, "MultiHeadAttention", D, H, **{"key_dim": 5, "value_dim": 3} | options))


@FACE
@pytest.mark.parametrize("groups", [1, 2, 3, 6])
@pytest.mark.parametrize("method", ["mean", "first"])
def test_to_grouped_pools_the_heads_of_a_group(face, groups, method):
    layer = many_heads(face)
    before, grouped = get_parameters(layer), face.to_grouped(layer, groups, method)
    found, size = get_parameters(grouped), H // groups
    assert grouped.num_kv_heads == groups and grouped.num_heads == H
    for name, width in (("key", 5), ("value", 3)):
        for group in range(groups):
            heads = [slice(h * width, (h + 1) * width) for h in range(group * size, (group + 1) * size)]
            heads = heads if method == "mean" else heads[:1]
            own = slice(group * width, (group + 1) * width)
            for part in ("weight", "bias"):
                expected = np.mean([before[f"{name}_{part}"][..., head] for head in heads], axis=0)
                np.testing.assert_allclose(found[f"{name}_{part}"][..., own], expected, rtol=1e-12, atol=1e-14)
    for name in ("query_weight", "query_bias", "output_weight", "output_bias"):
        np.testing.assert_array_equal(found[name], before[name])
    assert all(np.array_equal(x, before[name]) for name, x in get_parameters(layer).items())
    if groups == H:
        x = tensor(face, np.random.default_rng(1).normal(size=(B, T, D)))
        np.testing.assert_allclose(numbers(grouped(x)[0]), numbers(layer(x)[0]), rtol=1e-10, atol=1e-12)


@FACE
def test_heads_that_are_alike_may_be_shared_without_loss(face):
    """Where the heads of each group agree, grouping changes nothing; and again, from 3 groups to 1."""
    layer = many_heads(face)
    parameters = get_parameters(layer)
    for name, width in (("key_weight", 5), ("key_bias", 5), ("value_weight", 3), ("value_bias", 3)):
        first = parameters[name][..., :width]
        parameters[name] = np.concatenate([first] * H, axis=-1)
    set_parameters(layer, parameters)
    x = tensor(face, np.random.default_rng(1).normal(size=(B, T, D)))
    expected = numbers(layer(x, causal=True)[0])
    for method in ("mean", "first"):
        grouped = face.to_grouped(layer, G, method)
        for one in (grouped, face.to_grouped(grouped, 1, method)):
            np.testing.assert_allclose(numbers(one(x, causal=True)[0]), expected, rtol=1e-10, atol=1e-12)


@FACE
def test_random_heads_are_drawn(face):
    layer = many_heads(face)
    before = get_parameters(layer)
    found = [get_parameters(face.to_grouped(layer, 2, "random")) for _ in range(2)]
    assert not np.array_equal(found[0]["key_weight"], found[1]["key_weight"])
    assert not found[0]["value_bias"].any()
    np.testing.assert_array_equal(found[0]["query_weight"], before["query_weight"])
    limit = math.sqrt(6 / (D + 2 * 5))  # Glorot's rule for the new shape
    assert 0.5 * limit < np.abs(found[0]["key_weight"]).max() <= limit


@FACE
def test_to_grouped_keeps_what_the_layer_has(face):
    dtype = {"dtype": "float64"} if face is tf else {}
    rotary = face.RotaryEncoding(4, **dtype)
    layer = many_heads(face, key_dim=4, memory_dim=(E, D), use_bias=False, rotary=rotary)
    grouped = face.to_grouped(layer, 2)
    assert grouped.rotary is rotary and grouped.config == layer.config | {"num_kv_heads": 2}
    assert grouped.config["memory_dim"] == (E, D) and "key_bias" not in get_parameters(grouped)
    assert {str(x.dtype).removeprefix("torch.") for x in get_parameters(grouped).values()} == {"float64"}
    with pytest.raises(ValueError, match="num_kv_heads must be a divisor of num_heads = 6, got 4"):
        face.to_grouped(layer, 4)
    with pytest.raises(ValueError, match="num_kv_heads must be a divisor of num_heads = 2, got 3"):
        face.to_grouped(grouped, 3)
    with pytest.raises(ValueError, match="method must be one of mean, first, random, got 'median'"):
        face.to_grouped(layer, 2, "median")
    with pytest.raises(ValueError, match="layer must be MultiHeadAttention or GroupedQueryAttention, got"):
        face.to_grouped(rotary, 2)


def test_to_grouped_keeps_dtype_and_mode():
    layer = pytorch.MultiHeadAttention(D, H, key_dim=5).to(torch.bfloat16).eval()
    grouped = pytorch.to_grouped(layer, 2)
    assert not grouped.training and {x.dtype for x in grouped.parameters()} == {torch.bfloat16}
    halves = layer.key.weight.detach().reshape(2, 3, 5, D).float().mean(dim=1).reshape(10, D)
    assert torch.equal(grouped.key.weight, halves.to(torch.bfloat16))
