"""Rotations longer than training: by hand, alike in three, partial, with a cache; a fault is caught."""

import json
import math

import numpy as np
import pytest
from support import FACE, FACES, build, caught, close, draw, in_chunks, numbers, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.parity import get_parameters, set_parameters

B, H, T, S, K, D, L = 2, 3, 5, 7, 6, 11, 3
METHODS = ("linear", "ntk", "yarn", "llama3")
METHOD = pytest.mark.parametrize("method", METHODS)
LONG = {"method": "longrope", "trained_length": 9, "short": [1.0] * 4, "long": [2.0] * 4}
SIZES = {"trained_length": 97, "factor": 3.0}


def frequencies(face, dim, **rule):
    found, scale = face.rotary_frequencies(dim, **rule)
    return numbers(found), scale


# --- the rule -------------------------------------------------------------------------


@FACES
def test_frequencies_by_hand(face):
    """Width 4, base 100: pairs turn by 1 and 1/10 per position, within 100 by 15.9 and 1.59 turns."""
    close(frequencies(face, 4, base=100.0)[0], [1, 0.1])
    rule = {"base": 100.0, "factor": 4.0, "trained_length": 100}
    close(frequencies(face, 4, method="linear", **rule)[0], [0.25, 0.025])
    close(frequencies(face, 4, method="ntk", **rule)[0], [1, 0.1 / 4])  # base 100 * 16
    turns = 100 * 0.1 / (2 * math.pi)
    keep = (turns - 1) / 3
    close(frequencies(face, 4, method="llama3", **rule)[0], [1, 0.1 * (keep + (1 - keep) / 4)])
    # 32 turns: pair 4 ln(100 / 64 pi) / (2 ln 100), below 0; one turn: pair 1.2, rounded up to 2
    found, scale = frequencies(face, 4, method="yarn", **rule)
    close(found, [1, 0.1 * (0.5 + 0.5 / 4)])
    assert scale == pytest.approx(0.1 * math.log(4) + 1)


@FACES
def test_ntk_with_a_length(face):
    """Nothing changes up to the trained length; at 3 times it a factor of 2 counts as 2 * 3 - 1 = 5."""
    rule = {"method": "ntk", "factor": 2.0, "trained_length": 10}
    for length in (1, 10):
        close(frequencies(face, 6, length=length, **rule)[0], frequencies(face, 6)[0])
    five = frequencies(face, 6, method="ntk", factor=5.0)[0]
    close(frequencies(face, 6, length=30, **rule)[0], five)


@FACES
def test_longrope_by_hand(face):
    """Every pair has a divisor for texts up to the trained length, and another for those beyond."""
    rule = {"base": 100.0, "method": "longrope", "factor": 10.0, "trained_length": 100, "short": [1, 2], "long": [4, 5]}
    for length in ({}, {"length": 1}, {"length": 100}):
        found, scale = frequencies(face, 4, **rule, **length)
        close(found, [1, 0.1 / 2])
        assert scale == pytest.approx(math.sqrt(1.5))
    close(frequencies(face, 4, **rule, length=101)[0], [1 / 4, 0.1 / 5])


@FACES
@METHOD
def test_every_method_slows_the_slow_pairs(face, method):
    plain = frequencies(face, 58)[0]
    found = frequencies(face, 58, method=method, **SIZES)[0]
    share = found / plain
    assert share[-1] == pytest.approx(1 / 3)
    assert share[0] == pytest.approx(1 / 3 if method == "linear" else 1)
    assert (np.diff(share) <= 1e-12).all()
    close(frequencies(face, 58, method=method, trained_length=97)[0], plain)  # a factor of 1


@FACE
@METHOD
def test_the_three_agree(face, method):
    for dim, base in ((58, 10000.0), (6, 123.0)):
        expected = frequencies(reference, dim, base=base, method=method, **SIZES)
        found = frequencies(face, dim, base=base, method=method, **SIZES)
        close(found[0], expected[0])
        assert found[1] == expected[1]


@FACES
def test_position_interpolation_is_a_position_divided(face):
    x, t = draw(B, H, T, K), np.array([0, 3, 17, 96, 290])
    steps, _ = face.rotary_frequencies(K, method="linear", factor=3.0)
    found = face.rotate(*to(face, x, t), frequencies=steps)
    close(found, reference.rotate(x, t / 3))
    assert np.abs(numbers(found) - reference.rotate(x, t, base=30000.0)).max() > 0.1


@FACES
@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_partial_rotation(face, layout):
    """Two frequencies turn the first four columns, the other seven rest."""
    x, t = draw(B, H, T, 10), np.arange(T) + 4
    steps, _ = face.rotary_frequencies(4)
    found = numbers(face.rotate(*to(face, x, t), frequencies=steps, layout=layout, scale=3.0))
    close(found[..., :4], 3 * reference.rotate(x[..., :4], t, layout=layout))
    np.testing.assert_array_equal(found[..., 4:], x[..., 4:])


@FACES
def test_pairs_that_stand_still(face):
    """The proportional kind: the first pairs of the whole ladder turn, a frequency of 0 turns nothing."""
    x, t = draw(T, 10), np.arange(T) + 4
    found = numbers(face.rotate(*to(face, x, t), frequencies=[1.0, 0.5, 0, 0, 0]))
    close(found[:, [2, 3, 4, 7, 8, 9]], x[:, [2, 3, 4, 7, 8, 9]])
    assert np.abs(found - x)[:, [0, 1, 5, 6]].min() > 1e-3


# --- the layers -----------------------------------------------------------------------


@FACES
def test_the_scale_by_hand(face):
    """Trained on 4: positions 0 to 2 count 0, 3 to 6 count 1, 7 counts 2."""
    found = face.log_length_scale(tensor(face, np.arange(8)), trained_length=4, strength=0.5)
    close(found, 1 + 0.5 * np.log([1, 1, 1, 2, 2, 2, 2, 3]), 1e-6)


@FACE
def test_queries_grow_with_their_position(face):
    query, key = draw(B, H, T, K), draw(B, H, S, K, seed=1)
    layer = build(face, "LogLengthScale", L, strength=0.7)
    found = layer(*to(face, query, key), first_position=2)
    scale = reference.log_length_scale(np.arange(S - T, S) + 2, trained_length=L, strength=0.7)
    close(found[0], query * scale[:, None])
    close(found[1], key, 0)
    assert scale.max() > 1.7


def test_config_keeps_frequencies_and_scale():
    steps, scale = tf.rotary_frequencies(K, method="yarn", **SIZES)
    layer = build(tf, "RotaryEncoding", K, frequencies=steps, scale=scale)
    copy = type(layer).from_config(layer.get_config())
    inputs = to(tf, draw(B, H, T, K), draw(B, H, S, K, seed=1))
    for one, other in zip(layer(*inputs), copy(*inputs), strict=True):
        np.testing.assert_array_equal(one, other)
    assert "frequencies" in repr(pytorch.RotaryEncoding(K, frequencies=[1.0, 0.5], scale=2.0))
    scaled = build(tf, "LogLengthScale", 7, strength=0.3)
    assert type(scaled).from_config(scaled.get_config()).strength == 0.3


# --- by the length of each text ---------------------------------------------------------


BY_LENGTH = pytest.mark.parametrize(
    "rule",
    [
        {"dim": K, "method": "ntk", "factor": 3.0, "trained_length": 4},
        {"dim": 4, "base": 9.0, "method": "longrope", "trained_length": 4, "short": [1.0, 3.0], "long": [2.0, 5.0]},
    ],
    ids=lambda rule: rule["method"],
)


def by_length(face, rule):
    return build(face, "RotaryEncoding", K, frequencies=rule, scale=1.5)


def slow(x, position, length, rule):
    """Each pair of columns of one vector as a number of two parts, turned by its angle."""
    found, long = x.copy(), length > rule["trained_length"]
    pairs, grown = rule["dim"] // 2, max(1, 3 * length / 4 - 2)
    for i in range(pairs):
        theta = rule.get("base", 10000) ** (-2 * i / rule["dim"])
        if rule["method"] == "ntk":
            theta /= grown ** (2 * i / (rule["dim"] - 2))
        else:
            theta /= rule["long" if long else "short"][i]
        turned = 1.5 * complex(x[i], x[i + pairs]) * np.exp(1j * position * theta)
        found[i], found[i + pairs] = turned.real, turned.imag
    return found


@FACE
@BY_LENGTH
@pytest.mark.parametrize("first", [0, 1])
def test_all_turn_by_the_length_of_the_text(face, rule, first):
    """Three keys, and seven: within the training and beyond; the last query stands on the last key."""
    for keys in (3, S):
        query, key = draw(B, H, 2, K), draw(B, H, keys, K, seed=1)
        found = by_length(face, rule)(*to(face, query, key), first_position=first)
        for x, turned in zip((query, key), found, strict=True):
            places = np.arange(keys - x.shape[2], keys) + first
            rows = [slow(x[1, 2, n], place, keys + first, rule) for n, place in enumerate(places)]
            close(numbers(turned)[1, 2], rows)


@FACE
@BY_LENGTH
@pytest.mark.parametrize("firsts", [[0, 5], [5, 0]])
def test_the_longest_text_of_a_call_counts(face, rule, firsts):
    """Two keys each of two texts, one within the training and one beyond, in either order."""
    x, start = draw(B, H, 2, K), np.array(firsts, "int32")[:, None, None]
    _, found = by_length(face, rule)(*to(face, x, x), first_position=tensor(face, start))
    for text, first in enumerate(firsts):
        rows = [slow(x[text, 1, n], first + n, 7, rule) for n in range(2)]
        close(numbers(found)[text, 1], rows)


@FACE
@BY_LENGTH
def test_a_cached_key_keeps_the_turn_of_its_own_length(face, rule):
    layer = build(face, "MultiHeadAttention", 2 * K, 2, rotary=by_length(face, rule))
    weights = {name: draw(*x.shape, seed=7) for name, x in get_parameters(layer).items()}
    set_parameters(layer, weights)
    x = draw(1, S, 2 * K)
    cache = face.KVCache(1, 2, S, K, dtype=torch.float64 if face is pytorch else "float64")
    heads = [numbers(y)[0] for y in layer.project(*[tensor(face, x)] * 3)]
    query, key = ([[slow(y[h, t], t, t + 1, rule) for t in range(S)] for h in range(2)] for y in heads[:2])
    expected = reference.scaled_dot_product_attention(np.array(query), np.array(key), heads[2], causal=True)[0]
    context = in_chunks(face, layer, x, (1,) * S, cache=cache)
    expected = np.concatenate(expected, axis=-1) @ weights["output_weight"] + weights["output_bias"]
    close(context[0], expected)


@FACE
@BY_LENGTH
def test_an_empty_text_and_one_of_unknown_length(face, rule):
    layer, x = by_length(face, rule), draw(B, H, S, K)
    assert layer(*to(face, x[:, :, :0], x[:, :, :0]))[0].shape == (B, H, 0, K)
    if face is tf:
        tensors = tensorflow.TensorSpec((B, H, None, K), "float64")
        graph = tensorflow.function(lambda q, k: layer(q, k), input_signature=[tensors, tensors])
        close(graph(x, x)[1], layer(*to(face, x, x))[1])
        copy = type(layer).from_config(json.loads(json.dumps(layer.get_config())))
        close(copy(*to(face, x, x))[0], layer(*to(face, x, x))[0])


# --- what is refused ------------------------------------------------------------------


@FACES
@pytest.mark.parametrize(
    ("rule", "named"),
    [
        ({"method": "stretch"}, "method"),
        ({"method": "linear", "factor": 0.5}, "factor"),
        ({"method": "yarn", "factor": 2.0}, "trained_length"),
        ({"method": "llama3", "factor": 2.0}, "trained_length"),
        ({"method": "yarn", "trained_length": 9, "low": 4, "high": 4}, "low"),
        ({"method": "linear", "low": 1}, "low"),
        ({"method": "yarn", "trained_length": 9, "length": 8}, "length"),
        ({"method": "ntk", "length": 8}, "trained_length"),
        ({"method": "ntk", "dim": 2}, "dim"),
        ({"method": "yarn", "trained_length": 9, "base": 1.0}, "base"),
        ({"dim": 5}, "dim"),
        ({"base": -1.0}, "base"),
        ({"method": "yarn", "trained_length": 9, "short": [1.0] * 4}, "short"),
        (LONG | {"short": [1.0] * 3}, "short"),
        (LONG | {"long": [1.0, 2.0, 0.0, 3.0]}, "long"),
        (LONG | {"long": None}, "long"),
        (LONG | {"trained_length": 1}, "trained_length"),
    ],
)
def test_what_is_missing_is_named(face, rule, named):
    with pytest.raises(ValueError, match=f"^{named}"):
        face.rotary_frequencies(**({"dim": 8} | rule))


@FACES
@pytest.mark.parametrize("wrong", [[], [1.0] * 4, 3.0, [[1.0, 2.0]]])
def test_frequencies_must_fit(face, wrong):
    wrong = np.array(wrong) if wrong == [[1.0, 2.0]] else wrong
    with pytest.raises(ValueError, match="frequencies must be 1 to 3"):
        face.rotate(*to(face, draw(T, K), np.arange(T)), frequencies=wrong)
    if face is not reference:
        with pytest.raises(ValueError, match="frequencies must be 1 to 3"):
            face.RotaryEncoding(K, frequencies=wrong)


@FACE
def test_a_rule_of_one_turn_follows_no_length(face):
    with pytest.raises(ValueError, match="length is for methods 'ntk' and 'longrope'"):
        face.RotaryEncoding(K, frequencies={"dim": K, "method": "linear", "factor": 2.0})
    with pytest.raises(ValueError, match="frequencies must be 1 to 3"):
        face.RotaryEncoding(K, frequencies={"dim": 8, "method": "ntk", "factor": 2.0, "trained_length": 4})


@FACES
def test_positions_must_be_numbers(face):
    with pytest.raises(ValueError, match="positions"):
        face.log_length_scale(tensor(face, np.array([True])), trained_length=3)
    for sizes in ({"trained_length": 0}, {"trained_length": 3, "strength": 0.0}):
        with pytest.raises(ValueError, match=r"trained_length|strength"):
            face.log_length_scale(tensor(face, np.arange(3)), **sizes)


# --- planted faults -------------------------------------------------------------------


def test_the_factor_on_the_wrong_end_is_caught(monkeypatch):
    right = reference.rotary_frequencies

    def wrong(dim, **rule):
        plain, (found, scale) = right(dim)[0], right(dim, **rule)
        return plain * (found / plain)[::-1], scale

    monkeypatch.setattr(reference, "rotary_frequencies", wrong)
    for method in ("ntk", "yarn", "llama3"):
        caught(test_every_method_slows_the_slow_pairs, reference, method)
