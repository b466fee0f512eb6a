"""Grouped-query attention: by hand, in slow loops, against its two ends, and made from a multi-head layer."""

import math

import numpy as np
import pytest
from support import FACE, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.frameworks import tf as tensorflow
from attn_course.masks import causal_mask
from attn_course.parity import get_parameters, set_parameters

B, H, G, T, S, K, V, D, E = 2, 6, 3, 5, 7, 11, 13, 17, 19


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)
    keras.utils.set_random_seed(0)


def draw(T=T, S=S, G=G, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(B, H, T, K)), rng.normal(size=(B, G, S, K)), rng.normal(size=(B, G, S, V))


def attend(face, *arrays, **options):
    options = {name: tensor(face, x) for name, x in options.items()}
    output, weights = face.grouped_query_attention(*(tensor(face, x) for x in arrays), **options)
    return numbers(output), None if weights is None else numbers(weights)


def make(face, num_kv_heads=G, dtype="float64", **options):
    options = {"key_dim": 5, "value_dim": 3, "num_kv_heads": num_kv_heads} | options
    if face is tf:
        return tf.GroupedQueryAttention(D, H, dtype=dtype, **options)
    return pytorch.GroupedQueryAttention(D, H, **options).to(getattr(torch, dtype))


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


EACH_MASK = pytest.mark.parametrize("mask", masks())


def slow(query, key, value, mask, causal):
    """One number after the other: head h looks at key head h // (H / G)."""
    B, H, T, K = query.shape
    G, S = key.shape[1:3]
    weights, output = np.zeros((B, H, T, S)), np.zeros((B, H, T, value.shape[-1]))
    allowed = np.ones((B, H, T, S), bool) if mask is None else np.broadcast_to(mask, (B, H, T, S))
    for b, h, t in np.ndindex(B, H, T):
        g = math.floor(h * G / H)
        seen = [s for s in range(S) if allowed[b, h, t, s] and (not causal or s <= t + S - T)]
        exponential = [math.exp(query[b, h, t] @ key[b, g, s] / math.sqrt(K)) for s in seen]
        for s, e in zip(seen, exponential, strict=True):
            weights[b, h, t, s] = e / sum(exponential)
            output[b, h, t] += weights[b, h, t, s] * value[b, g, s]
    return output, weights


def test_by_hand():
    """Scores ln 3 and 0 give 3/4 and 1/4; four heads, of which two share each value."""
    query = np.full((1, 4, 1, 1), math.log(3.0))
    key = np.array([[[[1.0], [0.0]], [[0.0], [1.0]]]])
    value = np.array([[[[8.0], [4.0]], [[80.0], [40.0]]]])
    output, weights = reference.grouped_query_attention(query, key, value)
    np.testing.assert_allclose(output.ravel(), [7.0, 7.0, 50.0, 50.0])
    np.testing.assert_allclose(weights[0, :, 0], [[0.75, 0.25]] * 2 + [[0.25, 0.75]] * 2)


@EACH_MASK
@pytest.mark.parametrize("causal", [False, True])
def test_the_reference_is_the_slow_loop(mask, causal):
    mask = masks()[mask]
    found = reference.grouped_query_attention(*draw(), mask, causal=causal)
    for one, other in zip(found, slow(*draw(), mask, causal), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


@FACE
@EACH_MASK
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("need_weights", [False, True])
def test_agrees_with_the_reference(face, mask, causal, need_weights):
    mask = masks()[mask]
    output, weights = attend(face, *draw(), mask, causal=causal, need_weights=need_weights)
    expected = reference.grouped_query_attention(*draw(), mask, causal=causal)
    np.testing.assert_allclose(output, expected[0], rtol=1e-10, atol=1e-13)
    assert (weights is None) == (not need_weights)
    if need_weights:
        np.testing.assert_allclose(weights, expected[1], rtol=1e-10, atol=1e-13)


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
        gradients(face, face.grouped_query_attention, draw(), **given, **options)
        for given in ({"bias": bias}, {"mask": allowed})
    )
    for one, other in zip(slopes, others, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@FACE
@pytest.mark.parametrize("lengths", [(1, 7), (1, 1), (7, 7), (5, 7), (7, 5)])
@pytest.mark.parametrize("value_dim", [K, V])
def test_causal_without_weights_takes_other_ways(face, lengths, value_dim):
    """A single query, a whole sequence, a chunk behind a cache; values as wide as keys, and not."""
    query, key, value = draw(*lengths)
    value = value[..., :value_dim]
    expected = reference.grouped_query_attention(query, key, value, causal=True)[0]
    for need_weights in (False, True):
        found = attend(face, query, key, value, causal=True, need_weights=need_weights)[0]
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("groups", [1, 2, 6])
def test_the_two_ends(groups):
    """G = H is multi-head attention; G = 1 is one key head for all; between, keys repeated per group."""
    query, key, value = draw(G=groups)
    repeated = [np.repeat(x, H // groups, axis=1) for x in (key, value)]
    expected = reference.scaled_dot_product_attention(query, *repeated, causal=True)
    for found in (
        reference.grouped_query_attention(query, key, value, causal=True),
        *(attend(face, query, key, value, causal=True) for face in (pytorch, tf)),
    ):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def test_the_bank_of_wrong_heads():
    """Heads interleaved over the groups, or the group of the other side, are other numbers."""
    query, key, value = draw()
    output, _ = reference.grouped_query_attention(query, key, value)
    for wrong in ([h % G for h in range(H)], [G - 1 - h // (H // G) for h in range(H)]):
        other = reference.scaled_dot_product_attention(query, key[:, wrong], value[:, wrong])[0]
        assert np.abs(other - output).max() > 0.1


def gradients(face, function, arrays, **options):
    """Of the sum of the sines of what comes out."""
    values = [tensor(face, x) for x in arrays]
    options = {name: tensor(face, x) for name, x in options.items()}
    if face is pytorch:
        values = [x.requires_grad_() for x in values]
        function(*values, **options)[0].sin().sum().backward()
        return [x.grad.numpy() for x in values]
    with tensorflow.GradientTape() as tape:
        tape.watch(values)
        total = tensorflow.reduce_sum(tensorflow.sin(function(*values, **options)[0]))
    return [x.numpy() for x in tape.gradient(total, values)]


@FACE
def test_gradients_flow_to_the_shared_heads(face):
    """The gradient of a shared key is the sum over the heads of its group."""
    arrays, mask = draw(), masks()["rows per head"]
    repeated = [arrays[0], *(np.repeat(x, H // G, axis=1) for x in arrays[1:])]
    found = gradients(face, face.grouped_query_attention, arrays, mask=mask)
    expected = gradients(face, face.scaled_dot_product_attention, repeated, mask=mask)
    for one, other in zip(found, expected, strict=True):
        summed = other.reshape(*one.shape[:2], -1, *one.shape[2:]).sum(axis=2)
        np.testing.assert_allclose(one, summed, rtol=1e-10, atol=1e-12)


class Largest(torch.utils._python_dispatch.TorchDispatchMode):
    """How many numbers the largest tensor of a run holds."""

    found = 0

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        made = function(*arguments, **(options or {}))
        for x in made if isinstance(made, (tuple, list)) else [made]:
            if torch.is_tensor(x):
                self.found = max(self.found, x.untyped_storage().nbytes() // x.element_size())
        return made


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
    graph = tensorflow.function(lambda *x: tf.grouped_query_attention(*x, **options)[0])
    made = graph.get_concrete_function(*(tensorflow.constant(x) for x in (*arrays, mask))).graph.get_operations()
    sizes = [x.shape.num_elements() for operation in made for x in operation.outputs]
    assert None not in sizes and 0 < max(sizes) <= arrays[2].size


# --- the layer ------------------------------------------------------------------------


@FACE
@pytest.mark.parametrize("groups", [1, 3, 6])
@pytest.mark.parametrize("use_bias", [False, True])
def test_the_layer_agrees_with_the_reference(face, groups, use_bias):
    layer = make(face, groups, memory_dim=(E, D), use_bias=use_bias)
    parameters = get_parameters(layer)
    assert parameters["key_weight"].shape == (E, groups * 5) and parameters["value_weight"].shape == (D, groups * 3)
    rng = np.random.default_rng(2)
    inputs = rng.normal(size=(B, T, D)), rng.normal(size=(B, S, E)), rng.normal(size=(B, S, D))
    mask = masks()["rows per example"]
    sizes = {"num_heads": H, "num_kv_heads": groups}
    expected = reference.grouped_query_layer(*inputs, parameters, **sizes, mask=mask, causal=True)
    found = layer(*(tensor(face, x) for x in (*inputs, mask)), causal=True)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(numbers(one), other, rtol=1e-10, atol=1e-12)


@FACE
def test_as_many_groups_as_heads_is_the_multi_head_layer(face):
    options = {"key_dim": 5, "value_dim": 3} | ({"dtype": "float64"} if face is tf else {})
    many = face.MultiHeadAttention(D, H, **options)
    many = many.double() if face is pytorch else many
    layer = make(face, H)
    set_parameters(layer, get_parameters(many))
    x = tensor(face, np.random.default_rng(0).normal(size=(B, T, D)))
    for one, other in zip(layer(x, causal=True), many(x, causal=True), strict=True):
        np.testing.assert_allclose(numbers(one), numbers(other), rtol=1e-12, atol=1e-13)


@FACE
def test_what_is_refused(face):
    query, key, value = draw()
    layers = face
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
    with pytest.raises(ValueError, match="num_kv_heads must be a divisor of num_heads = 6, got 4"):
        layers.GroupedQueryAttention(D, H, key_dim=5, num_kv_heads=4)
    for wrong in (0, -2, 1.5, True):
        with pytest.raises(ValueError, match="num_kv_heads must be"):
            layers.GroupedQueryAttention(D, H, key_dim=5, num_kv_heads=wrong)


@pytest.mark.parametrize("heads", [1, None])
def test_tensorflow_takes_what_it_does_not_know(heads):
    """Batch, length and the mask's axes are unknown while the graph is made, for XLA too."""
    layer = make(tf)
    kinds = [((None, None, D), "float64"), ((None, heads, None, None), "bool")]
    signature = [tensorflow.TensorSpec(shape, dtype) for shape, dtype in kinds]

    @tensorflow.function(input_signature=signature, jit_compile=True)
    def graph(x, mask):
        return layer(x, mask=mask, causal=True)

    rng = np.random.default_rng(0)
    for length in (T, S):
        x = rng.normal(size=(B, length, D))
        for shape in ((B, 1, 1, length), (B, 1, length, length), (B, H, length, length)):
            if heads and shape[1] > 1:
                continue
            mask = rng.random(shape) < 0.6
            for one, other in zip(graph(x, mask), layer(tensor(tf, x), mask=mask, causal=True), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


# --- from many heads to few -----------------------------------------------------------


def many_heads(face, seed=0, **options):
    options = {"key_dim": 5, "value_dim": 3} | options | ({"dtype": "float64"} if face is tf else {})
    layer = face.MultiHeadAttention(D, H, **options)
    layer = layer.double() if face is pytorch else layer
    rng = np.random.default_rng(seed)
    set_parameters(layer, {name: rng.normal(size=x.shape) for name, x in get_parameters(layer).items()})
    return layer


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


def test_keras_saves_and_loads(tmp_path):
    rotary = tf.RotaryEncoding(4, dtype="float64")
    layer = make(tf, 2, key_dim=4, rotary=rotary)
    entry = keras.Input((None, D), dtype="float64")
    model = keras.Model(entry, layer(entry, causal=True)[0])
    model.save(tmp_path / "model.keras")
    x = np.random.default_rng(0).normal(size=(B, T, D))
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "model.keras")(x), model(x))


def test_the_two_frameworks_agree():
    layer, other = make(pytorch), make(tf)
    set_parameters(other, get_parameters(layer))
    x = np.random.default_rng(0).normal(size=(B, T, D))
    mask = causal_mask(T, T)
    found = numbers(layer(torch.from_numpy(x), mask=torch.from_numpy(mask))[0])
    np.testing.assert_allclose(found, numbers(other(x, causal=True)[0]), rtol=1e-10, atol=1e-12)
