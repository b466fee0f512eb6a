"""Multi-head attention: by hand, by loops, alike in three; masks, and words that nobody sees."""

import copy
import functools
import json
import math

import numpy as np
import pytest
from multi_head_cases import (
    EACH_OPTION,
    OPTIONS,
    PADDING,
    PARAMETERS,
    RNG,
    ROWS,
    SIZES,
    B,
    D,
    E,
    H,
    K,
    S,
    T,
    V,
    inputs,
    layer,
    program,
    run,
    specification,
)
from support import FACE, FACES, close, numbers, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow
from attn_course.frameworks import torch
from attn_course.masks import padding_mask
from attn_course.parity import get_parameters

# --- the right ones pass, the wrong ones are caught -----------------------------------


EYE = np.eye(4)
HAND = {
    # The last number of the input feeds the first head: heads slice projections, not inputs.
    "query_weight": EYE[:, [3, 1, 0, 2]].copy(),
    "key_weight": EYE,
    "value_weight": EYE,
    "output_weight": np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 2]]),
}
HAND_SIZES = {"model_dim": 4, "key_dim": 2, "value_dim": 2, "memory_dim": 4, "use_bias": False}


def hand_worked(build):
    """Scores ln 3 and 0 in the first head, 0 and ln 4 in the second: K is 2 in both."""
    attend = build(HAND, 2, **HAND_SIZES)
    query = math.sqrt(2) * np.array([[[math.log(4), 0, 0, math.log(3)]]])
    key = np.array([[[1.0, 0, 0, 0], [0, 0, 1, 0]]])
    value = np.array([[[4.0, 0, 10, 0], [0, 8, 0, 5]]])
    output, weights = attend(query, key, value)
    close(weights, [[[[0.75, 0.25]], [[0.2, 0.8]]]])
    # contexts (3, 2) and (2, 4), side by side, times the output's weight
    close(output, [[[5.0, 2.0, 2.0, 8.0]]])


def slow_loops(build):
    attend = build(PARAMETERS, H)
    query, key, value = inputs()
    p, mask = PARAMETERS, ROWS
    output, weights = attend(query, key, value, mask=mask)
    for b, t in np.ndindex(B, T):
        joined = []
        for h in range(H):
            k, v = range(h * K, (h + 1) * K), range(h * V, (h + 1) * V)
            own = [query[b, t] @ p["query_weight"][:, c] + p["query_bias"][c] for c in k]
            found = {}
            for s in range(S):
                if mask[b, h, t, s]:
                    keys = [key[b, s] @ p["key_weight"][:, c] + p["key_bias"][c] for c in k]
                    found[s] = math.exp(sum(x * y for x, y in zip(own, keys, strict=True)) / math.sqrt(K))
            weight = [found.get(s, 0.0) / (sum(found.values()) or 1.0) for s in range(S)]
            close(weights[b, h, t], weight)
            columns = [value[b] @ p["value_weight"][:, c] + p["value_bias"][c] for c in v]
            joined += [sum(w * x for w, x in zip(weight, column, strict=True)) for column in columns]
        close(output[b, t], joined @ p["output_weight"] + p["output_bias"])


def blocked_keys_weigh_nothing(build):
    weights = build(PARAMETERS, H)(*inputs(), mask=PADDING)[1]
    seen = np.broadcast_to(PADDING, weights.shape)
    assert not weights[~seen].any() and (weights[seen] > 0).all()


CHECKS = (hand_worked, slow_loops, blocked_keys_weigh_nothing)


def blocks(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def joined(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def softmax(score, axis=-1):
    top = score.max(axis, keepdims=True)
    exponential = np.exp(score - np.where(np.isneginf(top), 0.0, top))
    return exponential / np.maximum(exponential.sum(axis, keepdims=True), 1e-300)


def with_fault(
    scale=lambda K, D: K, split=blocks, merge=joined, softmax=softmax, block=lambda m: ~m, project=True, sliced=False
):
    """A fifth program, right as it stands; an argument plants one mistake."""

    def build(p, num_heads, **_):
        def attend(query, key, value, mask=None):
            parts = []
            for name, x in (("query", query), ("key", key), ("value", value)):
                weight = p[f"{name}_weight"]
                if sliced:  # a head gets a slice of the input, with the weight's own block for it
                    width, columns = x.shape[2] // num_heads, weight.shape[1] // num_heads
                    cut = np.zeros_like(weight)
                    for h in range(num_heads):
                        own = slice(h * width, (h + 1) * width), slice(h * columns, (h + 1) * columns)
                        cut[own] = weight[own]
                    weight = cut
                parts.append(split(x @ weight + p.get(f"{name}_bias", 0.0), num_heads))
            queries, keys, values = parts
            score = queries @ keys.swapaxes(2, 3) / math.sqrt(scale(queries.shape[3], query.shape[2]))
            score = score if mask is None else np.where(block(mask), -np.inf, score)
            weights = softmax(score)
            context = merge(weights @ values)
            output = context @ p["output_weight"] + p.get("output_bias", 0.0)
            return output if project else context[..., : output.shape[-1]], weights

        return attend

    return build


FAULTS = {
    "scaled by the model's width": ({"scale": lambda K, D: D}, {"hand_worked", "slow_loops"}),
    "not scaled": ({"scale": lambda K, D: 1}, {"hand_worked", "slow_loops"}),
    "heads interleaved": (
        {"split": lambda x, heads: np.moveaxis(x.reshape(*x.shape[:2], -1, heads), 3, 1)},
        {"hand_worked", "slow_loops"},
    ),
    "heads cut across the positions": (
        {"split": lambda x, heads: x.reshape(len(x), heads, x.shape[1], -1)},
        {"slow_loops"},
    ),
    "merged without moving the heads back": (
        {"merge": lambda x: x.reshape(x.shape[0], x.shape[2], -1)},
        {"slow_loops"},
    ),
    "softmax over the queries": ({"softmax": lambda score: softmax(score, -2)}, {"hand_worked", "slow_loops"}),
    "softmax over the heads": ({"softmax": lambda score: softmax(score, 1)}, {"hand_worked", "slow_loops"}),
    "no output projection": ({"project": False}, {"hand_worked", "slow_loops"}),
    "mask turned round": ({"block": lambda mask: mask}, {"slow_loops", "blocked_keys_weigh_nothing"}),
    "heads slice the input": ({"sliced": True}, {"hand_worked", "slow_loops"}),
}


PROGRAMS = ("reference", "at once", "pytorch", "tf")
RIGHT = {name: functools.partial(program, name) for name in PROGRAMS} | {"no fault": with_fault()}


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("build", RIGHT.values(), ids=RIGHT)
def test_right_passes(build, check):
    check(build)


@pytest.mark.parametrize(("fault", "catchers"), FAULTS.values(), ids=FAULTS)
def test_a_planted_fault_is_caught(fault, catchers):
    caught = set()
    for check in CHECKS:
        try:
            check(with_fault(**fault))
        except AssertionError:
            caught.add(check.__name__)
    assert catchers <= caught


# --- three implementations ------------------------------------------------------------


@EACH_OPTION
def test_all_alike(options):
    expected = specification()(*inputs(), **options)
    # The loop of the paper knows a mask and the past, no more.
    known = PROGRAMS if options.keys() <= {"mask", "causal"} else PROGRAMS[1:]
    for name in known:
        for one, other in zip(program(name)(*inputs(), **options), expected, strict=True):
            close(one, other)


@FACE
@EACH_OPTION
def test_without_weights(face, options):
    """The fused path gives the same output, and None."""
    output, weights = run(face, layer(face), inputs(), need_weights=False, **options)
    assert weights is None
    close(output, specification()(*inputs(), **options)[0])


@FACES
def test_split_and_merge(face):
    x = np.arange(2.0 * 3 * 10).reshape(2, 3, 10)
    (heads,) = (numbers(face.split_heads(*to(face, x), 5)),)
    assert heads.shape == (2, 5, 3, 2)
    for b, h, t, k in np.ndindex(heads.shape):
        assert heads[b, h, t, k] == x[b, t, 2 * h + k]
    np.testing.assert_array_equal(numbers(face.merge_heads(*to(face, heads.copy()))), x)
    with pytest.raises(ValueError, match="x must have a width divisible by num_heads = 3, got 10"):
        face.split_heads(*to(face, x), 3)
    with pytest.raises(ValueError, match=r"x must have shape \(B, H, T, K\), got \(2, 3, 10\)"):
        face.merge_heads(*to(face, x))


def test_split_and_merge_sizes_that_tensorflow_does_not_know_yet():
    x = np.arange(2.0 * 3 * 10).reshape(2, 3, 10)
    unknown = [tensorflow.TensorSpec((None,) * 3, "float64")]
    split = tensorflow.function(lambda x: tf.split_heads(x, 5), input_signature=unknown)
    close(split(x), reference.split_heads(x, 5), 0)
    merge = tensorflow.function(tf.merge_heads, input_signature=[tensorflow.TensorSpec((None,) * 4, "float64")])
    close(merge(split(x)), x, 0)


@FACE
@pytest.mark.parametrize("per_query", [False, True])
def test_the_textbook_example(face, per_query):
    """100 units, 5 heads, batch 2, 4 queries, 6 pairs of key and value, lengths 3 and 2; or a length a query."""
    rng = np.random.default_rng(0)
    query, memory = rng.normal(size=(2, 4, 100)), rng.normal(size=(2, 6, 100))
    mask = padding_mask([3, 2], 6)[:, None, None]
    if per_query:
        lengths = np.array([[1, 2, 3, 4], [6, 5, 4, 0]])
        mask = (np.arange(6) < lengths[..., None])[:, None]
    item = layer(face, model_dim=100, num_heads=5, key_dim=None, value_dim=None, memory_dim=None)
    output, weights = (numbers(x) for x in run(face, item, (query, memory), mask=mask))
    assert output.shape == (2, 4, 100) and weights.shape == (2, 5, 4, 6)
    seen = np.broadcast_to(mask, weights.shape)
    assert not weights[~seen].any() and (weights[seen] > 0).all()
    np.testing.assert_allclose(weights.sum(-1), seen.any(-1))


@FACE
def test_what_is_left_out(face):
    """key None is the query, value None is the key; also where widths differ from the input's."""
    query, key, _ = inputs()
    own = layer(face, memory_dim=None)
    one, two, three = (run(face, own, arrays) for arrays in ([query], [query, query], [query, query, query]))
    for x, y, z in zip(one, two, three, strict=True):
        close(x, y, 0)
        close(x, z, 0)
    cross = layer(face, memory_dim=E)
    close(run(face, cross, [query, key])[0], run(face, cross, [query, key, key])[0], 0)
    with pytest.raises(ValueError, match=r"value must have shape \(B, S, F\) with F = 23"):
        run(face, layer(face), [query, key])


@FACE
def test_defaults_and_parameters(face):
    item = face.MultiHeadAttention(12, 3)
    found = {name: x.shape for name, x in get_parameters(item).items()}
    assert found == {
        **{f"{name}_weight": (12, 12) for name in ("query", "key", "value", "output")},
        **{f"{name}_bias": (12,) for name in ("query", "key", "value", "output")},
    }
    assert not any(x.any() for name, x in get_parameters(item).items() if name.endswith("bias"))
    plain = get_parameters(face.MultiHeadAttention(12, 3, key_dim=5, use_bias=False, memory_dim=7))
    assert {name: x.shape for name, x in plain.items()} == {
        "query_weight": (12, 15),
        "key_weight": (7, 15),
        "value_weight": (7, 15),  # value_dim None is key_dim
        "output_weight": (15, 12),
    }


@FACE
def test_properties(face):
    """Keys in any order, queries, examples and the order of the heads: what may be exchanged, and what is apart."""
    item, (query, key, value) = layer(face), inputs()
    output, weights = (numbers(x) for x in run(face, item, (query, key, value), mask=ROWS))
    keys, queries = RNG.permutation(S), RNG.permutation(T)
    found = run(face, item, (query, key[:, keys], value[:, keys]), mask=ROWS[..., keys].copy())
    close(found[0], output)
    close(found[1], weights[..., keys])
    found = run(face, item, (query[:, queries], key, value), mask=ROWS[:, :, queries].copy())
    close(found[0], output[:, queries])
    for b in range(B):
        one = slice(b, b + 1)
        close(run(face, item, (query[one], key[one], value[one]), mask=ROWS[one])[0], output[one])
    swapped = {"output_bias": PARAMETERS["output_bias"]}
    for name, x in PARAMETERS.items():
        if name == "output_weight":
            swapped[name] = np.concatenate([x[V:], x[:V]])
        elif name != "output_bias":
            half = x.shape[-1] // 2
            swapped[name] = np.concatenate([x[..., half:], x[..., :half]], axis=-1)
    found = run(face, layer(face, swapped), (query, key, value), mask=ROWS[:, ::-1].copy())
    close(found[0], output)
    close(found[1], weights[:, ::-1])


@FACE
def test_one_head_with_nothing_to_project_is_scaled_dot_product_attention(face):
    eye = {f"{name}_weight": np.eye(D) for name in ("query", "key", "value", "output")}
    sizes = {"num_heads": 1, "key_dim": D, "value_dim": D, "memory_dim": D, "use_bias": False}
    query, memory = inputs()[0], inputs(1)[0][:, :3]
    for options in ({}, {"mask": ROWS[:, :1, :, :3]}, {"causal": True}):
        expected = reference.scaled_dot_product_attention(query[:, None], memory[:, None], memory[:, None], **options)
        found = run(face, layer(face, eye, **sizes), (query, memory), **options)
        close(found[0], expected[0][:, 0])
        close(found[1], expected[1])


@FACE
def test_no_look_into_the_future(face):
    item, (query, key, value) = layer(face), inputs()
    expected = numbers(run(face, item, (query, key, value), causal=True, need_weights=False)[0])
    for step in range(1, T):
        other = key.copy(), value.copy()
        for x in other:
            x[:, S - step :] += 5.0
        found = numbers(run(face, item, (query, *other), causal=True, need_weights=False)[0])
        close(found[:, : T - step], expected[:, : T - step], 1e-13)
        assert np.abs(found[:, T - step :] - expected[:, T - step :]).max() > 1e-3


# --- rows that see nothing, keys that nobody sees -------------------------------------


@FACE
@pytest.mark.parametrize("need_weights", [True, False])
def test_a_row_that_sees_nothing_gives_the_outputs_bias(face, need_weights):
    output, weights = run(face, layer(face), inputs(), mask=PADDING, need_weights=need_weights)
    close(output[2], np.broadcast_to(PARAMETERS["output_bias"], (T, D)))
    assert weights is None or not numbers(weights[2]).any()
    # With more queries than keys, the first stand before every key.
    query, key, value = inputs()
    output, _ = run(face, layer(face), (query, key[:, :3], value[:, :3]), causal=True, need_weights=need_weights)
    close(output[:, :2], np.broadcast_to(PARAMETERS["output_bias"], (B, 2, D)))
    assert np.abs(numbers(output[:, 2:]) - PARAMETERS["output_bias"]).min(axis=-1).max() > 1e-3


def gradients(arrays, need_weights=True, **options):
    """Of a loss that asks for every output, by name: PyTorch's and TensorFlow's."""
    names = ("query", "key", "value")
    probe = np.random.default_rng(9).normal(size=(B, T, D))
    in_torch, in_tf = layer(pytorch), layer(tf)
    leaves = dict(zip(names, (x.requires_grad_() for x in to(pytorch, *arrays)), strict=True))
    converted = dict(zip(options, to(pytorch, *options.values()), strict=True))
    output, _ = in_torch(**leaves, **converted, need_weights=need_weights)
    (output * torch.from_numpy(probe)).sum().backward()
    slopes = copy.deepcopy(in_torch)
    for slope, parameter in zip(slopes.parameters(), in_torch.parameters(), strict=True):
        slope.data = parameter.grad
    yield {name: numbers(leaf.grad) for name, leaf in leaves.items()} | get_parameters(slopes)
    variables = dict(zip(names, map(tensorflow.Variable, arrays), strict=True))
    with tensorflow.GradientTape() as tape:
        values = {name: tensorflow.convert_to_tensor(x) for name, x in variables.items()}
        output, _ = in_tf(**values, **options, need_weights=need_weights)
        loss = tensorflow.reduce_sum(output * probe)
    weights = [variable.value for variable in in_tf.trainable_variables]
    found, slopes = tape.gradient(loss, (variables, weights))
    for variable, slope in zip(in_tf.trainable_variables, slopes, strict=True):
        variable.assign(slope)
    found = {name: tensorflow.convert_to_tensor(x).numpy() for name, x in found.items()}
    yield found | get_parameters(in_tf)


GRADIENT_OPTIONS = pytest.mark.parametrize(
    "options", [OPTIONS[name] for name in ("plain", "padding and causal", "everything")]
)


@GRADIENT_OPTIONS
def test_gradients(options):
    """Alike in both frameworks and on both paths, and the slopes of the specification."""
    arrays = inputs()
    expected, in_tf = gradients(arrays, **options)
    fused, _ = gradients(arrays, need_weights=False, **options)
    probe = np.random.default_rng(9).normal(size=(B, T, D))
    start = {**dict(zip(("query", "key", "value"), arrays, strict=True)), **PARAMETERS}

    def loss(changed):
        x = {**start, **changed}
        own = {name: x[name] for name in PARAMETERS}
        attend = specification(own)
        return (attend(x["query"], x["key"], x["value"], **options)[0] * probe).sum()

    for name, gradient in expected.items():
        close(in_tf[name], gradient)
        close(fused[name], gradient)
        direction = np.random.default_rng(5).normal(size=start[name].shape)
        direction /= np.linalg.norm(direction)
        slope = (loss({name: start[name] + 1e-5 * direction}) - loss({name: start[name] - 1e-5 * direction})) / 2e-5
        assert (gradient * direction).sum() == pytest.approx(slope, rel=1e-6, abs=1e-7), name


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("causal", [False, True])
def test_padding_may_hold_any_finite_number(need_weights, causal):
    """Neither output nor any gradient changes, of the weights neither; not even in self-attention."""
    options = {"mask": PADDING, "need_weights": need_weights, "causal": causal}
    clean, arrays, hidden = inputs(), inputs(), ~PADDING[:, 0, 0]
    for x in arrays[1:]:
        x[hidden] = 1e12
    for found, expected in zip(gradients(arrays, **options), gradients(clean, **options), strict=True):
        for name in expected:
            close(found[name], expected[name], 1e-12)
        assert not found["key"][hidden].any() and not found["value"][hidden].any()
    hidden, words = ~padding_mask([5, 3, 0], T), inputs()[0]
    options["mask"] = ~hidden[:, None, None]
    for face in (pytorch, tf):
        item = layer(face, memory_dim=None, value_dim=None)
        expected = numbers(run(face, item, [words], **options)[0])
        changed = np.where(hidden[..., None], 1e12, words)
        close(numbers(run(face, item, [changed], **options)[0])[~hidden], expected[~hidden], 1e-13)


# --- errors ---------------------------------------------------------------------------


CALLS = [
    (
        {"mask": np.ones((B, T, S), bool)},
        r"got \(3, 5, 7\). A mask \(B, T, S\) for all heads is passed as mask\[:, None\]",
    ),
    ({"mask": np.ones((B, S), bool)}, r"Padding of shape \(B, S\) is passed as mask\[:, None, None\]"),
    ({"mask": np.ones((B, H + 1, T, S), bool)}, "mask must have shape"),
    ({"mask": np.ones((T, S))}, "mask must be bool"),
    ({"bias": np.ones((B, T, S))}, r"bias must have shape .* the scores \(3, 2, 5, 7\), got \(3, 5, 7\)"),
    ({"bias": np.ones((1, B, H, T, S))}, "bias must have shape"),
    ({"bias": np.ones((B + 1, H, T, S))}, "bias must have shape"),
    ({"bias": np.ones(S)}, r"bias must have shape .* got \(7,\)"),
    ({"bias": np.ones((T, S), bool)}, "bias must be floating, got bool. What is allowed or blocked is a mask"),
    ({"head_mask": np.ones(H + 1)}, r"head_mask must have shape \(H\) with H = 2"),
    ({"head_mask": np.ones((B + 1, H))}, r"head_mask must have shape \(B, H\) with B = 3"),
    ({"head_mask": np.ones(H, "int64")}, "head_mask must be bool or floating, got int64"),
]


@FACES
@pytest.mark.parametrize(("options", "words"), CALLS)
def test_wrong_options(face, options, words):
    at_once = reference.multi_head_attention_at_once
    item = specification(attend=at_once) if face is reference else layer(face)
    if face is tf:
        item.autocast = False  # Keras itself would bring a bias to the layer's dtype
    with pytest.raises(ValueError, match=words):
        run(face, item, inputs(), **options)


def test_the_specification_names_wrong_parameters():
    with pytest.raises(ValueError, match="key_weight must have a width divisible by num_heads = 3, got 22"):
        specification(num_heads=3, attend=reference.multi_head_attention)(*inputs())
    short = {**PARAMETERS, "output_weight": PARAMETERS["output_weight"][1:]}
    with pytest.raises(ValueError, match="output_weight must have shape"):
        specification(short, attend=reference.multi_head_attention)(*inputs())
    few = {name: x for name, x in PARAMETERS.items() if name != "key_weight"}
    with pytest.raises(ValueError, match="parameters must have key_weight"):
        specification(few, attend=reference.multi_head_attention)(*inputs())


@FACE
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"num_heads": 3, "key_dim": None},
            "model_dim must be divisible by num_heads = 3 where key_dim is None, got 17",
        ),
        ({"num_heads": 0}, "num_heads must be at least 1, got 0"),
        ({"num_heads": 2.0}, "num_heads must be a whole number, got 2.0"),
        ({"key_dim": 0}, "key_dim must be at least 1, got 0"),
        ({"memory_dim": (19, 0)}, "memory_dim must be at least 1, got 0"),
        ({"dropout": 1.0}, "dropout must be a number of at least 0 and below 1, got 1.0"),
    ],
)
def test_wrong_sizes(face, changes, words):
    with pytest.raises(ValueError, match=words):
        layer(face, **changes)


@FACE
def test_sizes_may_be_numbers_of_numpy(face):
    sizes = {name: np.int64(size) for name, size in SIZES.items() if name != "memory_dim"}
    item = layer(face, **sizes, memory_dim=np.int64(E))
    assert {name: x.shape for name, x in get_parameters(item).items()} == {
        name: x.shape for name, x in get_parameters(layer(face, memory_dim=E)).items()
    }
    if face is tf:
        json.dumps(item.get_config())
