"""Multi-head attention: by hand, by loops, alike in three; masks, heads cut away, and what Keras carries along."""

import functools
import math

import numpy as np
import pytest

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.frameworks import tf as tensorflow
from attn_course.masks import causal_mask, padding_mask
from attn_course.parity import get_parameters, set_parameters

B, T, S, H, K, V, D, E, F = 3, 5, 7, 2, 11, 13, 17, 19, 23
SIZES = {"model_dim": D, "num_heads": H, "key_dim": K, "value_dim": V, "memory_dim": (E, F)}
PADDING = padding_mask([7, 4, 0], S)[:, None, None]  # the last row may see nothing
FACE = pytest.mark.parametrize("face", [pytorch, tf])
EACH = pytest.mark.parametrize("attend", [reference, pytorch, tf], ids=["reference", "pytorch", "tf"])
RNG = np.random.default_rng(7)
ROWS = RNG.random((B, H, T, S)) < 0.6  # each head and query its own share
BIAS = RNG.normal(size=(H, T, S))
SHARE = np.array([0.5, -2.0])
OPTIONS = {
    "plain": {},
    "padding": {"mask": PADDING},
    "rows": {"mask": ROWS},
    "rows of one head": {"mask": ROWS[:, :1]},
    "(T, S)": {"mask": ROWS[0, 0]},
    "causal": {"causal": True},
    "padding and causal": {"mask": PADDING, "causal": True},
    "bias": {"bias": BIAS},
    "head mask": {"head_mask": SHARE},
    "head mask a row an example": {"head_mask": np.arange(B * H).reshape(B, H) / 5},
    "head mask of bools": {"head_mask": np.array([True, False])},
    "everything": {"mask": ROWS, "causal": True, "bias": BIAS, "head_mask": SHARE},
}
EACH_OPTION = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


def inputs(seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in ((B, T, D), (B, S, E), (B, S, F))]


def to(face, *arrays):
    if face is reference:
        return list(arrays)
    change = torch.from_numpy if face is pytorch else tensorflow.constant
    return [change(x) if isinstance(x, np.ndarray) else x for x in arrays]


def numbers(x):
    return x.detach().numpy() if torch.is_tensor(x) else np.asarray(x)


def close(found, expected, tolerance=1e-10):
    np.testing.assert_allclose(numbers(found), numbers(expected), tolerance, tolerance)


def layer(face, parameters=None, dtype="float64", **changes):
    """A layer with drawn parameters, biases too; ``changes`` of its sizes."""
    sizes = {**SIZES, **changes}
    if face is tf:
        built = tf.MultiHeadAttention(**sizes, dtype=dtype)
    else:
        built = pytorch.MultiHeadAttention(**sizes).to(getattr(torch, dtype))
    if parameters is None:
        rng = np.random.default_rng(3)
        parameters = {name: rng.normal(size=x.shape) / 3 for name, x in sorted(get_parameters(built).items())}
    set_parameters(built, parameters)
    return built


PARAMETERS = get_parameters(layer(pytorch))


def run(face, item, arrays, **options):
    """A layer, or the specification where item is a dict of parameters and sizes."""
    converted = dict(zip(options, to(face, *options.values()), strict=True))
    return item(*to(face, *arrays), **converted)


def specification(parameters=PARAMETERS, num_heads=H, attend=reference.multi_head_attention, **more):
    named = {"parameters": parameters, "num_heads": num_heads, **more}
    return lambda *arrays, **options: attend(*arrays, **named, **options)


def program(name, parameters=PARAMETERS, num_heads=H, **changes):
    """One of the four as a function from NumPy to NumPy."""
    if name == "reference":
        return specification(parameters, num_heads)
    if name == "at once":
        return specification(parameters, num_heads, reference.multi_head_attention_at_once)
    face = {"pytorch": pytorch, "tf": tf}[name]
    built = layer(face, parameters, num_heads=num_heads, **changes)
    return lambda *arrays, **options: [numbers(x) for x in run(face, built, arrays, **options)]


# --- the right ones pass, the wrong ones are caught ------------------------------------

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


# --- three implementations -------------------------------------------------------------


@EACH_OPTION
def test_all_alike(options):
    expected = specification()(*inputs(), **options)
    for name in PROGRAMS[1:]:
        for one, other in zip(program(name)(*inputs(), **options), expected, strict=True):
            close(one, other)


@FACE
@EACH_OPTION
def test_without_weights(face, options):
    """The fused path gives the same output, and None."""
    output, weights = run(face, layer(face), inputs(), need_weights=False, **options)
    assert weights is None
    close(output, specification()(*inputs(), **options)[0])


@EACH
def test_split_and_merge(attend):
    x = np.arange(2.0 * 3 * 10).reshape(2, 3, 10)
    (heads,) = (numbers(attend.split_heads(*to(attend, x), 5)),)
    assert heads.shape == (2, 5, 3, 2)
    for b, h, t, k in np.ndindex(heads.shape):
        assert heads[b, h, t, k] == x[b, t, 2 * h + k]
    np.testing.assert_array_equal(numbers(attend.merge_heads(*to(attend, heads.copy()))), x)
    with pytest.raises(ValueError, match="x must have a width divisible by num_heads = 3, got 10"):
        attend.split_heads(*to(attend, x), 3)
    with pytest.raises(ValueError, match=r"x must have shape \(B, H, T, K\), got \(2, 3, 10\)"):
        attend.merge_heads(*to(attend, x))


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


# --- rows that see nothing, keys that nobody sees --------------------------------------


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
    leaves |= dict(in_torch.named_parameters())
    yield {name: numbers(leaf.grad) for name, leaf in leaves.items()}
    variables = dict(zip(names, map(tensorflow.Variable, arrays), strict=True))
    with tensorflow.GradientTape() as tape:
        values = {name: tensorflow.convert_to_tensor(x) for name, x in variables.items()}
        output, _ = in_tf(**values, **options, need_weights=need_weights)
        loss = tensorflow.reduce_sum(output * probe)
    variables |= {name: getattr(in_tf, name).value for name in PARAMETERS}
    yield {name: tensorflow.convert_to_tensor(x).numpy() for name, x in tape.gradient(loss, variables).items()}


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
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("causal", [False, True])
def test_unseen_keys_may_hold_nan(need_weights, bad, causal):
    """Neither output nor any gradient changes, of the weights neither."""
    options = {"mask": PADDING, "need_weights": need_weights, "causal": causal}
    clean, arrays = inputs(), inputs()
    hidden = ~PADDING[:, 0, 0]
    if causal:  # only early queries might see the last key, which is in their future
        options["mask"] = np.broadcast_to(PADDING, (B, 1, T, S)).copy()
        options["mask"][0, :, T - 1, S - 1] = False
        hidden[0, S - 1] = True
    for x in arrays[1:]:
        x[hidden] = bad
    for face in (pytorch, tf):
        close(run(face, layer(face), arrays, **options)[0], run(face, layer(face), clean, **options)[0], 1e-13)
    attend = specification()
    specified = {name: x for name, x in options.items() if name != "need_weights"}
    close(attend(*arrays, **specified)[0], attend(*clean, **specified)[0], 0)
    for found, expected in zip(gradients(arrays, **options), gradients(clean, **options), strict=True):
        for name in expected:
            close(found[name], expected[name], 1e-12)
        assert not found["key"][hidden].any() and not found["value"][hidden].any()


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("causal", [False, True])
def test_padding_of_self_attention_may_hold_nan(need_weights, bad, causal):
    """A word that nobody sees asks for itself alone: where it isn't finite, as zeros. No gradient is NaN."""
    hidden, words = ~padding_mask([5, 3, 0], T), inputs()[0]
    options = {"mask": ~hidden[:, None, None], "causal": causal}
    shared = {"memory_dim": None, "value_dim": None}
    parameters = {name: numbers(x) for name, x in get_parameters(layer(pytorch, **shared)).items()}
    asked, given = words.copy(), words.copy()
    asked[hidden], given[hidden] = 0.0, bad
    expected = specification(parameters)(asked, words, words, **options)[0]
    close(specification(parameters)(given, given, given, **options)[0], expected)
    leaf, variable = torch.from_numpy(given).requires_grad_(), tensorflow.Variable(given)
    in_torch, in_tf = layer(pytorch, **shared), layer(tf, **shared)
    output, _ = run(pytorch, in_torch, [], query=leaf, need_weights=need_weights, **options)
    close(output, expected)
    output[torch.from_numpy(~hidden)].square().sum().backward()
    gradients = {"query": leaf.grad, **{name: x.grad for name, x in in_torch.named_parameters()}}
    with tensorflow.GradientTape() as tape:
        output, _ = run(tf, in_tf, [tensorflow.convert_to_tensor(variable)], need_weights=need_weights, **options)
        loss = tensorflow.reduce_sum(tensorflow.square(output[~hidden]))
    close(output, expected)
    variables = {"query": variable, **{name: getattr(in_tf, name).value for name in parameters}}
    for name, found in tape.gradient(loss, variables).items():
        assert np.isfinite(numbers(found)).all(), name
        close(found, gradients[name])
    assert not numbers(gradients["query"])[hidden].any()


# --- heads -----------------------------------------------------------------------------


@FACE
@pytest.mark.parametrize("use_bias", [True, False])
@pytest.mark.parametrize("heads", [[], [1], (2, 0), {0, 1}])
def test_pruned_is_masked(face, use_bias, heads):
    sizes = {"num_heads": 3, "use_bias": use_bias}
    item = layer(face, **sizes)
    pruned = item.prune_heads(heads)
    share = np.array([float(h not in heads) for h in range(3)])
    for options in ({}, {"mask": PADDING, "causal": True}):
        expected, weights = run(face, item, inputs(), head_mask=share, **options)
        found, kept = run(face, pruned, inputs(), **options)
        close(found, expected)
        close(kept, numbers(weights)[:, share > 0])
    left = 3 - len(heads)
    found = {name: x.shape for name, x in get_parameters(pruned).items()}
    assert found["query_weight"] == (D, left * K) and found["value_weight"] == (F, left * V)
    assert found["output_weight"] == (left * V, D) and ("key_bias" in found) == use_bias
    assert pruned.num_heads == left and item.num_heads == 3
    before = get_parameters(item)
    set_parameters(pruned, {name: 0 * x for name, x in get_parameters(pruned).items()})
    assert all(np.array_equal(x, before[name]) for name, x in get_parameters(item).items())  # copies
    if face is tf:
        assert pruned.get_config()["num_heads"] == left
        again = tf.MultiHeadAttention.from_config(pruned.get_config())
        assert get_parameters(again).keys() == found.keys()


@FACE
def test_pruned_keeps_what_the_layer_is(face):
    item = layer(face, num_heads=3, dropout=0.25, dtype="float16", rotary=turn_of(face))
    pruned = item.prune_heads([1])
    assert {str(x.dtype) for x in get_parameters(pruned).values()} == {"float16"}
    assert pruned.sizes["dropout"] == 0.25 and pruned.rotary is item.rotary
    if face is pytorch:
        assert pruned.training and not item.eval().prune_heads([1]).training
    for heads, words in (([3], r"between 0 and 2, got \[3\]"), ([-1], "between"), (range(3), "at least one of 3")):
        with pytest.raises(ValueError, match=f"heads must .*{words}"):
            item.prune_heads(heads)


@FACE
def test_head_importance(face):
    """Against differences of the specification, an example and a head at a time; of one layer and of two."""
    sizes = {"num_heads": 3, "memory_dim": None}
    rng = np.random.default_rng(11)
    shapes = {name: x.shape for name, x in get_parameters(layer(face, **sizes)).items()}
    drawn = [{name: rng.normal(size=shape) / 3 for name, shape in shapes.items()} for _ in range(2)]
    items = [layer(face, parameters, **sizes) for parameters in drawn]
    x = inputs()[0]

    def specified(masks):
        y = x
        for which, (parameters, mask) in enumerate(zip(drawn, masks, strict=True)):
            found, _ = reference.multi_head_attention(y, y, y, parameters, num_heads=3, head_mask=mask)
            y = y + found if which == 0 else found
        return np.sin(y).sum(axis=(1, 2))

    expected = np.zeros((2, B, 3))
    for place in np.ndindex(2, B, 3):
        step = np.zeros((2, B, 3))
        step[place] = 1e-5
        difference = specified(1 + step) - specified(1 - step)
        expected[place] = abs(difference[place[1]]) / 2e-5

    (tokens,) = to(face, x)
    sin_sum = (
        (lambda y: y.sin().sum(dim=(1, 2)))
        if face is pytorch
        else (lambda y: tensorflow.reduce_sum(tensorflow.sin(y), axis=(1, 2)))
    )

    def loss(masks):
        first = tokens + items[0](tokens, head_mask=masks[0], need_weights=False)[0]
        return sin_sum(items[1](first, head_mask=masks[1])[0])

    ones = to(face, np.ones((B, 3)))[0]
    found = face.head_importance(loss, (ones, ones))
    assert isinstance(found, tuple) and len(found) == 2
    close(np.stack([numbers(one) for one in found]), expected.mean(axis=1), 1e-6)
    # The absolute value stands inside the mean: signs of examples must not cancel.
    assert expected.mean(axis=1).min() > 1e-3
    alone = face.head_importance(lambda mask: loss((ones, mask)), ones)
    close(alone, found[1])


@FACE
def test_head_importance_refuses(face):
    item = layer(face)
    arrays = to(face, *inputs())
    ones, flat = to(face, np.ones((B, H)), np.ones(H))

    def losses(mask):
        output = item(*arrays, head_mask=mask)[0]
        return output[:, 0, 0]

    for loss, mask, words in (
        (lambda mask: losses(mask)[0], ones, r"loss must have shape \(B\)"),  # the batch's loss in one number
        (lambda mask: losses(mask)[:2], ones, r"loss must have shape \(B\) with B = 3"),
        (losses, flat, r"head_mask must have shape \(B, H\), got \(2,\)"),
        (lambda mask: losses(None), ones, "loss must depend on every head_mask"),
    ):
        with pytest.raises(ValueError, match=words):
            face.head_importance(loss, mask)


# --- dropout and rotary ----------------------------------------------------------------


def seed(number):
    torch.manual_seed(number)
    keras.utils.set_random_seed(number)


@FACE
@pytest.mark.parametrize("need_weights", [True, False])
def test_dropout_drops_weights_in_training_only(face, need_weights):
    """With one key every weight is 1: in training a head's context is nothing or, at rate 1/2, twice the value."""
    eye, batch = np.eye(6), 40
    parameters = {f"{name}_weight": eye for name in ("query", "key", "value", "output")}
    sizes = {"model_dim": 6, "num_heads": 3, "key_dim": 2, "value_dim": 2, "memory_dim": 6, "use_bias": False}
    seed(1)
    item = layer(face, parameters, **sizes, dropout=0.5)
    rng = np.random.default_rng(0)
    arrays = to(face, rng.normal(size=(batch, 5, 6)), rng.normal(size=(batch, 1, 6)))

    def call(training):
        if face is tf:
            return item(*arrays, need_weights=need_weights, training=training)
        return item.train(training)(*arrays, need_weights=need_weights)

    value = np.broadcast_to(numbers(arrays[1]), (batch, 5, 6))
    close(call(False)[0], value)
    output, weights = call(True)
    share = (numbers(output) / value).reshape(batch, 5, 3, 2)
    assert np.allclose(share[..., 0], share[..., 1])  # a weight is dropped for the whole head
    close(np.sort(np.unique(share.round(6))), [0, 2])
    assert abs(share.mean() - 1) < 0.15
    assert (weights is None) != need_weights
    if need_weights:
        close(weights, np.ones((batch, 3, 5, 1)))  # as they were before
    assert not np.array_equal(numbers(call(True)[0]), numbers(output))


def scaled(query, key):
    """A stand-in for a rotation: position i + S - T of the query and j of the key change them."""
    T, S = query.shape[-2], key.shape[-2]
    where = np.arange(S, dtype=float)
    return (np.cos(where[S - T :]), 3 * np.sin(where)) if T <= S else (np.ones(T), where)


class Turn(torch.nn.Module):
    def forward(self, query, key):
        changes = (torch.from_numpy(x)[:, None].to(query.dtype) for x in scaled(query, key))
        return tuple(x * change for x, change in zip((query, key), changes, strict=True))


@keras.saving.register_keras_serializable("tests")
class KerasTurn(keras.layers.Layer):
    def call(self, query, key):
        changes = (tensorflow.cast(x[:, None], query.dtype) for x in scaled(query, key))
        return tuple(x * change for x, change in zip((query, key), changes, strict=True))


def turn_of(face):
    return Turn() if face is pytorch else KerasTurn(dtype="float64")


def test_rotary_meets_projected_queries_and_keys(tmp_path):
    def in_numpy(query, key):
        return tuple(x * change[:, None] for x, change in zip((query, key), scaled(query, key), strict=True))

    expected = specification(rotary=in_numpy)(*inputs())
    assert np.abs(expected[1] - specification()(*inputs())[1]).max() > 0.1
    found = [specification(attend=reference.multi_head_attention_at_once, rotary=in_numpy)(*inputs())]
    layers = {face: layer(face, PARAMETERS, rotary=turn_of(face)) for face in (pytorch, tf)}
    found += [run(face, item, inputs()) for face, item in layers.items()]
    entries = [keras.Input(x.shape[1:], dtype="float64") for x in inputs()]
    model = keras.Model(entries, layers[tf](*entries))
    model.save(tmp_path / "model.keras")
    found.append(keras.models.load_model(tmp_path / "model.keras")(inputs()))
    for output, weights in found:
        close(output, expected[0])
        close(weights, expected[1])


# --- what Keras carries along ----------------------------------------------------------

TOKENS = np.array([[3, 1, 2, 0, 0], [4, 0, 0, 0, 0], [1, 2, 3, 4, 1], [0, 2, 0, 3, 0], [0, 0, 0, 0, 0]])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("rows", [None, causal_mask(5, 5)[::-1].copy()])
def test_padding_that_keras_carries(causal, rows):
    """As many sentences as words: a padding (B, S) that is taken for (T, S) would break no shape."""
    embedding = keras.layers.Embedding(5, D, mask_zero=True, dtype="float64")
    item = layer(tf, memory_dim=None)
    words = embedding(TOKENS)
    plain = tensorflow.constant(words.numpy())
    padding = (TOKENS != 0)[:, None, None]
    expected = item(plain, mask=padding if rows is None else padding & rows, causal=causal)
    mask = None if rows is None else tensorflow.constant(rows)
    entry = keras.Input((5,), dtype="int64")
    embedded = embedding(entry)
    for found in (
        item(words, mask=mask, causal=causal),
        item(query=words, mask=mask, causal=causal),
        item(plain, words, mask=mask, causal=causal),
        item(plain, plain, words, mask=mask, causal=causal),
        item(plain, words, plain, mask=mask, causal=causal),
        keras.Model(entry, item(embedded, mask=mask, causal=causal))(TOKENS),
        tensorflow.function(lambda x: item(embedding(x), mask=mask, causal=causal))(TOKENS),
    ):
        close(found[0], expected[0])
        close(found[1], expected[1])
        assert getattr(found[0], "_keras_mask", None) is None
    # The padding of the query alone says nothing about keys.
    close(item(words, plain, mask=mask, causal=causal)[1], item(plain, mask=mask, causal=causal)[1])


# --- compilers and numbers of less precision -------------------------------------------


@pytest.mark.parametrize("need_weights", [True, False])
@EACH_OPTION
def test_torch_compiles_to_one_graph(options, need_weights):
    torch.compiler.reset()
    item = layer(pytorch)
    compiled = torch.compile(item, backend="aot_eager", fullgraph=True)
    found = run(pytorch, compiled, inputs(), need_weights=need_weights, **options)
    close(found[0], run(pytorch, item, inputs(), **options)[0])


@pytest.mark.parametrize("jit", [False, True])
def test_one_graph_of_tensorflow_for_any_batch_and_length(jit):
    item = layer(tf)
    kinds = [((None, None, size), "float64") for size in (D, E, F)] + [((None, None, None, None), "bool")]
    signature = [tensorflow.TensorSpec(shape, dtype) for shape, dtype in kinds]
    graph = tensorflow.function(lambda *x: item(*x, causal=True), input_signature=signature, jit_compile=jit)
    attend = specification()
    query, key, value = inputs()
    for arrays, mask in (
        ((query, key, value), ROWS),
        ((query[:1, :2], key[:1, :3], value[:1, :3]), ROWS[:1, :, :2, :3]),
    ):
        expected = attend(*arrays, mask=mask, causal=True)
        for one, other in zip(graph(*to(tf, *arrays, mask)), expected, strict=True):
            close(one, other)


@pytest.mark.parametrize("need_weights", [True, False])
def test_torch_autocast(need_weights):
    """An input may be float32 or, from a layer before, bfloat16."""
    item = layer(pytorch, dtype="float32")
    query, key, value = (x.float() for x in to(pytorch, *inputs()))
    expected = specification()(*inputs(), mask=ROWS)[0]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        (mask,) = to(pytorch, ROWS)
        output, _ = item(query, key.bfloat16(), value, mask, need_weights=need_weights)
    assert output.dtype == torch.bfloat16
    assert np.abs(numbers(output.double()) - expected).max() < 0.1 * np.abs(expected).max()
    with pytest.raises(ValueError, match="key must be float32 like query, got bfloat16"):
        item(query, key.bfloat16(), value)


# --- errors ----------------------------------------------------------------------------

CALLS = [
    (
        {"mask": np.ones((B, T, S), bool)},
        r"got \(3, 5, 7\). A mask \(B, T, S\) for all heads is passed as mask\[:, None\]",
    ),
    ({"mask": np.ones((B, S), bool)}, r"Padding of shape \(B, S\) is passed as mask\[:, None, None\]"),
    ({"mask": np.ones((B, H + 1, T, S), bool)}, "mask must have shape"),
    ({"mask": np.ones((T, S))}, "mask must be bool"),
    ({"bias": np.ones((B, T, S))}, r"bias must be broadcastable to the scores .* = \(3, 2, 5, 7\), got \(3, 5, 7\)"),
    ({"bias": np.ones((1, B, H, T, S))}, "bias must be broadcastable"),
    ({"bias": np.ones((T, S), "float32")}, "bias must be float64 like query, got float32"),
    ({"head_mask": np.ones(H + 1)}, r"head_mask must have shape \(H\) with H = 2"),
    ({"head_mask": np.ones((B + 1, H))}, r"head_mask must have shape \(B, H\) with B = 3"),
    ({"head_mask": np.ones(H, "int64")}, "head_mask must be bool or floating, got int64"),
]


@EACH
@pytest.mark.parametrize(("options", "words"), CALLS)
def test_wrong_options(attend, options, words):
    item = specification() if attend is reference else layer(attend)
    if attend is tf:
        item.autocast = False  # Keras itself would bring a bias to the layer's dtype
    with pytest.raises(ValueError, match=words):
        run(attend, item, inputs(), **options)


def test_the_specification_names_wrong_parameters():
    with pytest.raises(ValueError, match="key_weight must have a width divisible by num_heads = 3, got 22"):
        specification(num_heads=3)(*inputs())
    short = {**PARAMETERS, "output_weight": PARAMETERS["output_weight"][1:]}
    with pytest.raises(ValueError, match="output_weight must have shape"):
        specification(short)(*inputs())


@FACE
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"num_heads": 3, "key_dim": None},
            "model_dim must be divisible by num_heads = 3 where key_dim is None, got 17",
        ),
        ({"num_heads": 0}, "num_heads must be at least 1, got 0"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1, got 1.0"),
    ],
)
def test_wrong_sizes(face, changes, words):
    with pytest.raises(ValueError, match=words):
        layer(face, **changes)
