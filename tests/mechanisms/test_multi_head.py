"""Multi-head attention: by hand, by loops, alike in three; a bank of faults, each caught."""

import functools
import json
import math

import numpy as np
import pytest
from multi_head_cases import (
    EACH_OPTION,
    PADDING,
    PARAMETERS,
    ROWS,
    SIZES,
    B,
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


def with_fault(change=lambda p, heads: {}, block=lambda mask: mask):
    """The specification with other parameters, or another mask: one mistake."""

    def build(p, num_heads, **_):
        attend = program("reference", p | change(p, num_heads), num_heads)
        return lambda *x, mask=None: attend(*x, mask=None if mask is None else block(mask))

    return build


def query_times(factor):
    """The scores times a number of the model's width and the heads'."""
    names = "query_weight", "query_bias"
    return lambda p, heads: {
        name: p[name] * math.sqrt(factor(len(p["query_weight"]), p["query_weight"].shape[1] // heads))
        for name in names
        if name in p
    }


def interleaved(p, heads):
    """Head h has the columns h, h + heads, h + 2 heads and so on."""
    names = [name for name in p if not name.startswith("output")]
    return {
        name: np.moveaxis(p[name].reshape(*p[name].shape[:-1], -1, heads), -1, -2).reshape(p[name].shape)
        for name in names
    }


def sliced(p, heads):
    """A head gets a slice of the input, with the weight's own block for it."""
    found = {}
    for name in ("query_weight", "key_weight", "value_weight"):
        width, columns = (size // heads for size in p[name].shape)
        found[name] = np.zeros_like(p[name])
        for h in range(heads):
            own = slice(h * width, (h + 1) * width), slice(h * columns, (h + 1) * columns)
            found[name][own] = p[name][own]
    return found


def unprojected(p, heads):
    return {"output_weight": np.eye(*p["output_weight"].shape), "output_bias": np.zeros(p["output_weight"].shape[1])}


BOTH = {"hand_worked", "slow_loops"}
FAULTS = {
    "scaled by the model's width": ({"change": query_times(lambda D, K: K / D)}, BOTH),
    "not scaled": ({"change": query_times(lambda D, K: K)}, BOTH),
    "heads interleaved": ({"change": interleaved}, BOTH),
    "no output projection": ({"change": unprojected}, BOTH),
    "mask turned round": ({"block": np.logical_not}, {"slow_loops", "blocked_keys_weigh_nothing"}),
    "heads slice the input": ({"change": sliced}, BOTH),
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
    """What the loop of the paper does not know: with weights, and by the fused path without."""
    expected = specification()(*inputs(), **options)
    for name in PROGRAMS[2:]:
        close(program(name)(*inputs(), **options), expected)
    for face in (pytorch, tf):
        output, weights = run(face, layer(face), inputs(), need_weights=False, **options)
        assert weights is None
        close(output, expected[0])


@FACES
def test_split_and_merge(face):
    x = np.arange(2.0 * 3 * 10).reshape(2, 3, 10)
    (heads,) = (numbers(face.split_heads(*to(face, x), 5)),)
    assert heads.shape == (2, 5, 3, 2)
    for b, h, t, k in np.ndindex(heads.shape):
        assert heads[b, h, t, k] == x[b, t, 2 * h + k]
    np.testing.assert_array_equal(numbers(face.merge_heads(*to(face, heads.copy()))), x)


def test_split_and_merge_sizes_that_tensorflow_does_not_know_yet():
    x = np.arange(2.0 * 3 * 10).reshape(2, 3, 10)
    unknown = [tensorflow.TensorSpec((None,) * 3, "float64")]
    split = tensorflow.function(lambda x: tf.split_heads(x, 5), input_signature=unknown)
    close(split(x), reference.split_heads(x, 5), 0)
    merge = tensorflow.function(tf.merge_heads, input_signature=[tensorflow.TensorSpec((None,) * 4, "float64")])
    close(merge(split(x)), x, 0)


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


# --- errors ---------------------------------------------------------------------------


CALLS = [
    ({"bias": np.ones((B, T, S))}, r"bias must have shape .* the scores \(3, 2, 5, 7\), got \(3, 5, 7\)"),
    ({"bias": np.ones((T, S), bool)}, "bias must be floating, got bool. What is allowed or blocked is a mask"),
    ({"head_mask": np.ones(H + 1)}, r"head_mask must have shape \(H\) with H = 2"),
    ({"head_mask": np.ones((B + 1, H))}, r"head_mask must have shape \(B, H\) with B = 3"),
    ({"head_mask": np.ones(H, "int64")}, "head_mask must be bool or floating, got int64"),
]


@FACES
@pytest.mark.parametrize(("options", "words"), CALLS)
def test_wrong_options(face, options, words):
    item = specification() if face is reference else layer(face)
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
def test_sizes_may_be_numbers_of_numpy(face):
    sizes = {name: np.int64(size) for name, size in SIZES.items() if name != "memory_dim"}
    item = layer(face, **sizes, memory_dim=np.int64(E))
    assert {name: x.shape for name, x in get_parameters(item).items()} == {
        name: x.shape for name, x in get_parameters(layer(face, memory_dim=E)).items()
    }
    if face is tf:
        json.dumps(item.get_config())
