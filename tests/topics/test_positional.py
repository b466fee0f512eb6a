"""Positions told to attention: by hand, in closed form, alike in three; planted faults are caught.

Shaw's relative attention is in ``test_positional_relative.py``.
"""

import math

import numpy as np
import pytest

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.frameworks import tf as tensorflow
from attn_course.parity import get_parameters, set_parameters

B, H, T, S, D, K, LONGEST = 2, 3, 5, 7, 11, 6, 13
FACE = pytest.mark.parametrize("face", [pytorch, tf])
FACES = pytest.mark.parametrize("face", [reference, pytorch, tf])
LAYOUT = pytest.mark.parametrize("layout", ["half", "interleaved"])
T5_SIZES = [
    (32, 128, True),
    (32, 128, False),
    (16, 40, True),
    (8, 9, True),
    (10, 23, True),
    (7, 30, False),
    (10, 160, False),
]
T5_OPTIONS = pytest.mark.parametrize(("num_buckets", "max_distance", "bidirectional"), T5_SIZES)


def to(face, *arrays, dtype="float64"):
    """Real numbers in the dtype asked for, whole ones as they are."""
    if face is reference:
        return arrays[0] if len(arrays) == 1 else list(arrays)
    if face is pytorch:
        made = [torch.from_numpy(np.asarray(x)) for x in arrays]
        made = [x.to(getattr(torch, dtype)) if x.is_floating_point() else x for x in made]
    else:
        made = [tensorflow.constant(x) for x in arrays]
        made = [tensorflow.cast(x, dtype) if x.dtype.is_floating else x for x in made]
    return made[0] if len(made) == 1 else made


def kind(face, dtype="float64"):
    """The options that ask a function for a dtype; the specification has one only."""
    return {} if face is reference else {"dtype": getattr(torch if face is pytorch else tensorflow, dtype)}


def numbers(x):
    if torch.is_tensor(x):
        return x.detach().double().numpy()
    return tensorflow.cast(x, tensorflow.float64).numpy() if tensorflow.is_tensor(x) else np.asarray(x)


def close(found, expected, tolerance=1e-10):
    np.testing.assert_allclose(numbers(found), numbers(expected), tolerance, tolerance)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def build(face, name, *sizes, dtype="float64", **options):
    if face is tf:
        return getattr(tf, name)(*sizes, **options, dtype=dtype)
    return getattr(pytorch, name)(*sizes, **options).to(getattr(torch, dtype))


# --- sinusoids -------------------------------------------------------------------------


@FACES
def test_sinusoids_by_hand(face):
    """Width 4: frequencies 1 and 1/100. Width 3: 1 and 10000^(-2/3), a sine alone."""
    found = face.sinusoidal_encoding(3, 4, **kind(face))
    sin, cos = math.sin, math.cos
    close(found, [[0, 1, 0, 1], [sin(1), cos(1), sin(0.01), cos(0.01)], [sin(2), cos(2), sin(0.02), cos(0.02)]])
    odd = face.sinusoidal_encoding(1, 3, first_position=2, **kind(face))
    close(odd, [[sin(2), cos(2), sin(2 * 10 ** (-8 / 3))]])
    close(face.sinusoidal_encoding(2, 4, base=4.0, **kind(face))[1], [sin(1), cos(1), sin(0.5), cos(0.5)])
    assert face.sinusoidal_encoding(0, 4).shape == (0, 4)


@FACES
@pytest.mark.parametrize("dim", [1, 2, 7, 8])
@pytest.mark.parametrize("first", [0, 3, -4])
def test_sinusoids_by_loops(face, dim, first):
    found = numbers(face.sinusoidal_encoding(S, dim, first_position=first, **kind(face)))
    assert found.shape == (S, dim)
    for t, column in np.ndindex(S, dim):
        wave = math.cos if column % 2 else math.sin
        angle = (first + t) / 10000 ** ((column - column % 2) / dim)
        assert found[t, column] == pytest.approx(wave(angle), abs=1e-13)


@pytest.mark.parametrize("offset", [1, 6, -3, 0.5, 1000])
def test_an_offset_is_a_linear_map(offset):
    shift = reference.sinusoidal_shift(D + 1, offset)
    here = reference.sinusoidal_encoding(S, D + 1, first_position=2)
    there = reference.sinusoidal_encoding(S, D + 1, first_position=2 + offset)
    close(here @ shift, there, 1e-12)
    close(shift @ shift.T, np.eye(D + 1), 1e-13)
    close(shift @ reference.sinusoidal_shift(D + 1, 3), reference.sinusoidal_shift(D + 1, offset + 3), 1e-12)
    with pytest.raises(ValueError, match="dim must be even, got 11"):
        reference.sinusoidal_shift(D, offset)


def test_wavelengths_from_two_pi_almost_to_ten_thousand_times_that():
    """Read from the map of one step: pair i turns by 2 pi / wavelength."""
    shift = reference.sinusoidal_shift(512, 1)
    sines, cosines = np.diag(shift, -1)[::2], np.diag(shift)[::2]
    wavelengths = 2 * np.pi / np.arctan2(sines, cosines)
    ratio = 10000 ** (2 / 512)
    close(wavelengths, 2 * np.pi * ratio ** np.arange(256), 1e-9)
    assert wavelengths[0] == pytest.approx(2 * np.pi)
    assert wavelengths[-1] == pytest.approx(10000 * 2 * np.pi / ratio)


@FACE
def test_sinusoidal_layer(face):
    x, layer = draw(B, T, D), build(face, "SinusoidalEncoding", D)
    close(layer(to(face, x)), x + reference.sinusoidal_encoding(T, D))
    cached = layer(to(face, x[:, 3:]), first_position=3)
    close(cached, x[:, 3:] + reference.sinusoidal_encoding(T, D)[3:])
    close(
        build(face, "SinusoidalEncoding", D, base=7.0)(to(face, x)), x + reference.sinusoidal_encoding(T, D, base=7.0)
    )
    assert not get_parameters(layer)


# --- learned ---------------------------------------------------------------------------


@FACE
def test_learned(face):
    x, layer = draw(B, T, D), build(face, "LearnedEncoding", LONGEST, D)
    parameters = {"weight": draw(LONGEST, D, seed=1)}
    set_parameters(layer, parameters)
    for first in (0, 3, LONGEST - T):
        expected = x + parameters["weight"][first : first + T]
        close(reference.learned_encoding(x, parameters, first_position=first), expected, 0)
        close(layer(to(face, x), first_position=first), expected, 0)


@FACE
def test_no_vector_was_learned_for_later_positions(face):
    layer, words = (
        build(face, "LearnedEncoding", 4, D),
        "x must end at max_length = 4 positions, got {} from position {}",
    )
    for length, first in ((5, 0), (2, 3), (1, 4)):
        x = draw(1, length, D)
        with pytest.raises(ValueError, match=words.format(length, first)):
            layer(to(face, x), first_position=first)
        with pytest.raises(ValueError, match=words.format(length, first)):
            reference.learned_encoding(x, {"weight": draw(4, D)}, first_position=first)
    with pytest.raises(ValueError, match="first_position must be at least 0, got -1"):
        layer(to(face, draw(1, 2, D)), first_position=-1)


# --- rotary ----------------------------------------------------------------------------


@FACES
def test_rotations_by_hand(face):
    """Width 4 at position 1: one pair turns by 1, the other by 1/100."""
    x, t = to(face, np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([1]))
    c, s, c2, s2 = math.cos(1), math.sin(1), math.cos(0.01), math.sin(0.01)
    pairs = [c - 2 * s, s + 2 * c, 3 * c2 - 4 * s2, 3 * s2 + 4 * c2]
    close(face.rotate(x, t, layout="interleaved"), [pairs])
    halves = [c - 3 * s, 2 * c2 - 4 * s2, s + 3 * c, 2 * s2 + 4 * c2]
    close(face.rotate(x, t), [halves])
    quarter = face.rotate(x, to(face, np.array([math.pi / 2])), base=math.inf)  # only the first pair turns
    close(quarter, [[-3.0, 2.0, 1.0, 4.0]])


def scores(face, query, key, layout, **options):
    query, key = build(face, "RotaryEncoding", K, layout=layout)(*to(face, query, key), **options)
    return numbers(query) @ np.swapaxes(numbers(key), -1, -2)


@LAYOUT
@FACES
def test_rotations_by_complex_numbers(face, layout):
    """A pair is a complex number; turning it is a product with e^(i angle)."""
    x, positions = draw(B, H, T, K), np.array([0, 1, -3, 50, 7])
    first, second = (x[..., 0::2], x[..., 1::2]) if layout == "interleaved" else (x[..., :3], x[..., 3:])
    angle = positions[:, None] * 10000.0 ** (-np.arange(3) / 3)
    turned = (first + 1j * second) * np.exp(1j * angle)
    found = numbers(face.rotate(*to(face, x, positions), layout=layout))
    halves = (found[..., 0::2], found[..., 1::2]) if layout == "interleaved" else (found[..., :3], found[..., 3:])
    close(halves[0], turned.real)
    close(halves[1], turned.imag)
    close(np.linalg.norm(found, axis=-1), np.linalg.norm(x, axis=-1))


@LAYOUT
@FACES
def test_a_score_depends_on_the_distance_alone(face, layout):
    query, key = draw(1, K), draw(1, K, seed=1)

    def score(t, s):
        turned = [face.rotate(*to(face, x, np.array([at])), layout=layout) for x, at in ((query, t), (key, s))]
        return (numbers(turned[0]) * numbers(turned[1])).sum()

    for t, s in ((0, 3), (5, 1), (2, 2)):
        for shift in (1, 100, 100000):
            assert score(t + shift, s + shift) == pytest.approx(score(t, s), abs=1e-10)
    assert score(2, 2) == pytest.approx((query * key).sum(), abs=1e-12)
    assert abs(score(0, 3) - score(3, 0)) > 0.01  # the direction counts


@FACE
def test_float32_at_a_far_position(face):
    x = draw(2, 64)
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    found = []
    for shift in (0, 4096):
        near = face.rotate(*to(face, x, np.array([9, 2]) + shift, dtype="float32"))
        found.append((numbers(near)[0] * numbers(near)[1]).sum())
    assert abs(found[0] - found[1]) <= 1e-3


@LAYOUT
@FACE
def test_queries_stand_on_the_last_keys(face, layout):
    """A cache: the scores of the last T queries are the last T rows of the whole."""
    query, key = draw(B, H, S, K), draw(B, H, S, K, seed=1)
    whole = scores(face, query, key, layout)
    close(scores(face, query[:, :, S - T :], key, layout), whole[:, :, S - T :])
    more = scores(face, query, key[:, :, S - T :], layout)  # more queries than keys: before every key
    close(more, whole[..., S - T :])
    far = scores(face, query, key, layout, first_position=1000)
    close(far, whole)


@FACE
def test_a_key_is_rotated_once_and_cached(face):
    query, key = draw(B, H, S, K), draw(B, 1, S, K, seed=1)  # one key head for three query heads
    layer = build(face, "RotaryEncoding", K)
    whole = layer(*to(face, query, key))
    steps = [layer(*to(face, query[:, :, t : t + 1], key[:, :, t : t + 1]), first_position=t) for t in range(S)]
    for number in range(2):
        close(np.concatenate([numbers(step[number]) for step in steps], axis=-2), whole[number])


@FACES
def test_positions_of_every_example(face):
    """Two sentences padded on the left: each has its own positions."""
    x, positions = draw(B, H, T, K), np.arange(T) - np.array([[0], [2]])
    found = face.rotate(*to(face, x, positions[:, None]))
    for b in range(B):
        close(found[b], reference.rotate(x[b], positions[b]))


@FACES
def test_one_layout_into_the_other(face):
    close(face.change_layout(to(face, np.arange(8)), to="half"), [0, 2, 4, 6, 1, 3, 5, 7])
    close(face.change_layout(to(face, np.arange(8)), to="interleaved"), [0, 4, 1, 5, 2, 6, 3, 7])
    x, t = to(face, draw(B, T, K), np.arange(T))
    for here, there in (("half", "interleaved"), ("interleaved", "half")):
        moved = face.rotate(face.change_layout(x, to=here), t, layout=here)
        close(moved, face.change_layout(face.rotate(x, t, layout=there), to=here))
        close(face.change_layout(face.change_layout(x, to=here), to=there), x, 0)
    half, interleaved = (numbers(face.rotate(x, t, layout=layout)) for layout in ("half", "interleaved"))
    assert np.abs(half - interleaved).max() > 1


def test_weights_of_one_layout_serve_the_other():
    """The same reordering of the columns of both projections, head by head."""
    x, weights = draw(T, D), (draw(D, H * K, seed=1), draw(D, H * K, seed=2))

    def score(weights, layout):
        turned = [np.reshape(x @ w, (T, H, K)).swapaxes(0, 1) for w in weights]
        query, key = (reference.rotate(y, np.arange(T), layout=layout) for y in turned)
        return query @ key.swapaxes(1, 2)

    moved = [reference.change_layout(w.reshape(D, H, K), to="half").reshape(D, H * K) for w in weights]
    close(score(moved, "half"), score(weights, "interleaved"))
    assert np.abs(score(weights, "half") - score(weights, "interleaved")).max() > 1


# --- ALiBi -----------------------------------------------------------------------------

SLOPES = {
    1: [2**-8],
    3: [2**-4, 2**-8, 2**-2],
    8: [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256],
    16: [2 ** (-k / 2) for k in range(1, 17)],
    # eight heads, and of sixteen the first, third, fifth and seventh
    12: [*(2**-k for k in range(1, 9)), 2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5],
}


@FACES
@pytest.mark.parametrize("num_heads", SLOPES)
def test_slopes(face, num_heads):
    close(face.alibi_slopes(num_heads, **kind(face)), SLOPES[num_heads], 1e-15)


@FACES
def test_alibi_by_hand(face):
    """Two heads have the slopes 1/16 and 1/256; query 0 of 2 stands on key 1 of 3."""
    found = face.alibi_bias(2, 2, 3, **kind(face))
    close(
        found, [[[-1 / 16, 0, -1 / 16], [-2 / 16, -1 / 16, 0]], [[-1 / 256, 0, -1 / 256], [-2 / 256, -1 / 256, 0]]], 0
    )


@FACES
@pytest.mark.parametrize(("T", "S"), [(5, 7), (7, 7), (7, 5), (1, 7)])
def test_alibi_is_a_slope_times_the_distance(face, T, S):
    found = numbers(face.alibi_bias(12, T, S, **kind(face)))
    for h, t, s in np.ndindex(12, T, S):
        assert found[h, t, s] == pytest.approx(-SLOPES[12][h] * abs(t + S - T - s), rel=1e-14)


@FACE
def test_alibi_layer(face):
    close(build(face, "AlibiBias", 12)(T, S), reference.alibi_bias(12, T, S)[None], 1e-14)
    assert not get_parameters(build(face, "AlibiBias", 12))


@FACE
def test_biases_fit_attention(face):
    """Causal, ALiBi is Bloom's slope * s too: they differ by a constant of each row."""
    query, key, value = draw(B, H, T, K), draw(B, H, S, K, seed=1), draw(B, H, S, D, seed=2)
    bias, attend = build(face, "AlibiBias", H)(T, S), face.scaled_dot_product_attention
    inputs = to(face, query, key, value)
    output, weights = attend(*inputs, bias=bias, causal=True)
    score = query @ key.swapaxes(-1, -2) / math.sqrt(K) + numbers(face.alibi_slopes(H))[:, None, None] * np.arange(S)
    close(weights, reference.masked_softmax(score, np.tri(T, S, S - T, dtype=bool)), 1e-7)
    close(attend(*inputs, bias=bias, causal=True, need_weights=False)[0], numbers(output))
    learned = build(face, "RelativeBias", H)
    set_parameters(learned, {"weight": draw(32, H, seed=3)})
    biased = attend(*inputs, bias=learned(T, S))[0]
    expected = reference.relative_bias(T, S, {"weight": draw(32, H, seed=3)})
    close(biased, reference.scaled_dot_product_attention(query, key, value, bias=expected)[0])


# --- T5 --------------------------------------------------------------------------------


def bucket(distance, num_buckets, max_distance, bidirectional):
    """One distance at a time, from T5's text, with whole numbers instead of logarithms.

    floor(log(n / e) / log(m / e) * r) >= k  is  n^r e^k >= m^k e^r.
    """
    offset = 0
    if bidirectional:
        num_buckets //= 2
        offset = num_buckets if distance > 0 else 0
        n = abs(distance)
    else:
        n = max(-distance, 0)
    exact = num_buckets // 2
    if n < exact:
        return offset + n
    rest = num_buckets - exact
    steps = [k for k in range(rest) if n**rest * exact**k >= max_distance**k * exact**rest]
    return offset + exact + max(steps)


@FACES
def test_buckets_by_hand(face):
    """8 buckets, 4 a side: 0 and 1 alone, then 2, 3 and 4 up; 16 is the distance of the last: log(n/2) / log 8 * 2."""
    near = numbers(face.relative_buckets(1, 7, num_buckets=8, max_distance=16))[0]
    np.testing.assert_array_equal(near, [3, 2, 2, 2, 2, 1, 0])  # distances -6 to 0: the third begins at 2 sqrt 8 = 5.7
    after = numbers(face.relative_buckets(7, 7, num_buckets=8, max_distance=16))[0]
    np.testing.assert_array_equal(after, [0, 5, 6, 6, 6, 6, 7])  # distances 0 to 6
    one_way = numbers(face.relative_buckets(1, 10, num_buckets=4, max_distance=8, bidirectional=False))[0]
    np.testing.assert_array_equal(one_way, [3, 3, 3, 3, 3, 3, 2, 2, 1, 0])  # the third begins at 2, the fourth at 4
    future = numbers(face.relative_buckets(3, 3, num_buckets=4, max_distance=8, bidirectional=False))
    np.testing.assert_array_equal(future, [[0, 0, 0], [1, 0, 0], [2, 1, 0]])


def test_the_paper_s_thirty_two_buckets():
    """Both sides: 8 exact, then a step for each factor sqrt 2 up to 128."""
    found = reference.relative_buckets(1, 200)[0][::-1]  # by distance
    starts = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91]
    np.testing.assert_array_equal(np.flatnonzero(np.diff(found, prepend=-1)), starts)
    assert found.max() == 15 and reference.relative_buckets(200, 200).max() == 31


@FACES
@T5_OPTIONS
@pytest.mark.parametrize(("T", "S"), [(5, 150), (150, 150), (150, 5)])
def test_buckets_by_loops(face, T, S, num_buckets, max_distance, bidirectional):
    options = {"num_buckets": num_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
    found = numbers(face.relative_buckets(T, S, **options))
    known = {d: bucket(d, **options) for d in range(-S - T, S + T)}
    expected = [[known[s - (t + S - T)] for s in range(S)] for t in range(T)]
    np.testing.assert_array_equal(found, expected)
    assert found.min() >= 0 and found.max() < num_buckets


@FACE
@T5_OPTIONS
def test_relative_bias_layer(face, num_buckets, max_distance, bidirectional):
    options = {"max_distance": max_distance, "bidirectional": bidirectional}
    layer = build(face, "RelativeBias", H, num_buckets=num_buckets, **options)
    parameters = {"weight": draw(num_buckets, H, seed=4)}
    set_parameters(layer, parameters)
    found = numbers(layer(T, 50))
    close(found, reference.relative_bias(T, 50, parameters, **options), 0)
    for h, t, s in ((0, 0, 0), (2, 4, 49), (1, 3, 30)):
        row = bucket(s - (t + 50 - T), num_buckets, **options)
        assert found[0, h, t, s] == parameters["weight"][row, h]


# --- gradients -------------------------------------------------------------------------


def torch_slope(function, x, probe):
    leaf = torch.from_numpy(x).requires_grad_()
    (function(leaf) * torch.from_numpy(probe)).sum().backward()
    return leaf.grad.numpy()


def tf_slope(function, x, probe):
    leaf = tensorflow.Variable(x)
    with tensorflow.GradientTape() as tape:
        loss = tensorflow.reduce_sum(function(leaf) * probe)
    return tensorflow.convert_to_tensor(tape.gradient(loss, leaf)).numpy()


@LAYOUT
def test_gradients_of_a_rotation(layout):
    """The gradient of a rotation is the rotation back; alike in both, and the slope of the specification."""
    x, probe, t = draw(B, T, K), draw(B, T, K, seed=1), np.arange(T) + 3
    of_torch = torch_slope(lambda y: pytorch.rotate(y, t, layout=layout), x, probe)
    close(tf_slope(lambda y: tf.rotate(y, t, layout=layout), x, probe), of_torch)
    close(of_torch, reference.rotate(probe, -t, layout=layout))
    step = 1e-6 * draw(B, T, K, seed=2)
    ends = [(reference.rotate(x + way, t, layout=layout) * probe).sum() for way in (step, -step)]
    assert (ends[0] - ends[1]) / 2 == pytest.approx((of_torch * step).sum(), rel=1e-6)


@pytest.mark.parametrize("name", ["LearnedEncoding", "RelativeBias"])
def test_gradients_of_what_is_learned(name):
    x = draw(B, T, D)
    sizes, shape = ((LONGEST, D), (LONGEST, D)) if name == "LearnedEncoding" else ((H,), (32, H))
    weight = draw(*shape, seed=1)

    def run(face, layer):
        return layer(to(face, x), first_position=2) if name == "LearnedEncoding" else layer(T, S)

    def specified(weight):
        if name == "LearnedEncoding":
            return reference.learned_encoding(x, {"weight": weight}, first_position=2)
        return reference.relative_bias(T, S, {"weight": weight})

    probe = draw(*specified(weight).shape, seed=2)
    layers = {face: build(face, name, *sizes) for face in (pytorch, tf)}
    for layer in layers.values():
        set_parameters(layer, {"weight": weight})
    (run(pytorch, layers[pytorch]) * torch.from_numpy(probe)).sum().backward()
    of_torch = layers[pytorch].weight.grad.numpy()
    with tensorflow.GradientTape() as tape:
        loss = tensorflow.reduce_sum(run(tf, layers[tf]) * probe)
    of_tf = tensorflow.convert_to_tensor(tape.gradient(loss, layers[tf].weight.value))
    close(of_tf, of_torch)
    step = 1e-6 * draw(*shape, seed=3)
    slope = ((specified(weight + step) - specified(weight - step)) * probe).sum() / 2
    assert slope == pytest.approx((of_torch * step).sum(), rel=1e-6)
    assert np.abs(of_torch).max() > 0.1


# --- what the frameworks do with a layer -----------------------------------------------

LAYERS = {
    "SinusoidalEncoding": ((D,), (draw(B, T, D),)),
    "LearnedEncoding": ((LONGEST, D), (draw(B, T, D),)),
    "RotaryEncoding": ((K,), (draw(B, H, T, K), draw(B, H, S, K, seed=1))),
    "AlibiBias": ((H,), (T, S)),
    "RelativeBias": ((H,), (T, S)),
}
EACH_LAYER = pytest.mark.parametrize("name", LAYERS)


def specified(name, parameters, inputs):
    """What a layer promises, as a tuple."""
    if name == "SinusoidalEncoding":
        return (inputs[0] + reference.sinusoidal_encoding(inputs[0].shape[1], D),)
    if name == "LearnedEncoding":
        return (reference.learned_encoding(*inputs, parameters),)
    if name == "RotaryEncoding":
        query, key = inputs
        S = key.shape[-2]
        return reference.rotate(query, np.arange(S - query.shape[-2], S)), reference.rotate(key, np.arange(S))
    if name == "AlibiBias":
        return (reference.alibi_bias(H, *inputs)[None],)
    return (reference.relative_bias(*inputs, parameters),)


def run(face, layer, inputs, dtype="float64"):
    values = inputs if isinstance(inputs[0], int) else [to(face, x, dtype=dtype) for x in inputs]
    found = layer(*values)
    return found if isinstance(found, (tuple, list)) else (found,)


def agree(name, layer, found, inputs=None, tolerance=1e-10):
    parameters = {key: np.float64(x) for key, x in get_parameters(layer).items()}
    expected = specified(name, parameters, LAYERS[name][1] if inputs is None else inputs)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        close(one, other, tolerance)


@EACH_LAYER
def test_torch_compiles_without_a_break(name):
    torch.compiler.reset()
    sizes, inputs = LAYERS[name]
    layer = build(pytorch, name, *sizes)
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    agree(name, layer, run(pytorch, compiled, inputs))
    longer = (T + 1, S + 3) if isinstance(inputs[0], int) else [np.repeat(x, 2, axis=-2) for x in inputs]
    agree(name, layer, run(pytorch, compiled, longer), longer)


@EACH_LAYER
def test_tensorflow_compiles_for_any_length(name):
    sizes, inputs = LAYERS[name]
    layer = build(tf, name, *sizes)
    if isinstance(inputs[0], int):
        compiled = tensorflow.function(lambda: layer(*inputs), jit_compile=True)
        agree(name, layer, (compiled(),))
        return
    shapes = [(None, *x.shape[1:-2], None, x.shape[-1]) for x in inputs]
    signature = [tensorflow.TensorSpec(shape, "float64") for shape in shapes]
    for jit in (True, False):
        compiled = tensorflow.function(lambda *x: layer(*x), input_signature=signature, jit_compile=jit)
        agree(name, layer, run(tf, compiled, inputs))
        longer = [np.repeat(x, 2, axis=-2) for x in inputs]
        agree(name, layer, run(tf, compiled, longer), longer)


@EACH_LAYER
def test_torch_state(name):
    sizes, inputs = LAYERS[name]
    layer, twin = build(pytorch, name, *sizes), build(pytorch, name, *sizes)
    assert layer.state_dict().keys() == get_parameters(layer).keys()  # nothing that only helps is saved
    twin.load_state_dict(layer.state_dict())
    for one, other in zip(run(pytorch, layer, inputs), run(pytorch, twin, inputs), strict=True):
        assert torch.equal(one, other)


@EACH_LAYER
def test_everything_is_made_on_the_device_of_the_module(name):
    """On PyTorch's device without memory, which mixes with no other."""
    sizes, inputs = LAYERS[name]
    layer = build(pytorch, name, *sizes).to("meta")
    values = [x if isinstance(x, int) else torch.from_numpy(x).to("meta") for x in inputs]
    found = layer(*values)
    assert {x.device.type for x in (found if isinstance(found, tuple) else [found])} == {"meta"}
    options = {"dtype": torch.float64, "device": "meta"}
    made = [pytorch.sinusoidal_encoding(T, D, **options), pytorch.alibi_bias(H, T, S, **options)]
    made += [pytorch.alibi_slopes(H, **options), pytorch.relative_buckets(T, S, device="meta")]
    assert {x.device.type for x in made} == {"meta"}


@pytest.mark.parametrize("name", ["SinusoidalEncoding", "LearnedEncoding", "RotaryEncoding"])
def test_keras_saves_and_loads(name, tmp_path):
    sizes, inputs = LAYERS[name]
    entries = [keras.Input(x.shape[1:], dtype="float64") for x in inputs]
    model = keras.Model(entries, build(tf, name, *sizes)(*entries))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    for one, other in zip(loaded(list(inputs)), model(list(inputs)), strict=True):
        np.testing.assert_array_equal(one, other)


@keras.saving.register_keras_serializable("tests")
class Biased(keras.layers.Layer):
    """A model's own layer, with a bias inside."""

    def __init__(self, inner, **options):
        super().__init__(**options)
        self.inner = inner

    def call(self, score):
        shape = tensorflow.shape(score)
        return score + self.inner(shape[-2], shape[-1])

    def get_config(self):
        return {**super().get_config(), "inner": keras.saving.serialize_keras_object(self.inner)}

    @classmethod
    def from_config(cls, config):
        return cls(keras.saving.deserialize_keras_object(config.pop("inner")), **config)


@pytest.mark.parametrize("name", ["AlibiBias", "RelativeBias"])
def test_keras_saves_and_loads_a_bias(name, tmp_path):
    layer, score = build(tf, name, H), draw(B, H, T, S)
    entry = keras.Input((H, None, None), dtype="float64")
    model = keras.Model(entry, Biased(layer, dtype="float64")(entry))
    agree(name, layer, (model(score)[:1] - score[:1],))
    model.save(tmp_path / "model.keras")
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "model.keras")(score), model(score))


@pytest.mark.parametrize(
    ("name", "sizes", "options"),
    [
        ("SinusoidalEncoding", (D,), {"base": 7.0}),
        ("RotaryEncoding", (K,), {"base": 7.0, "layout": "interleaved"}),
        ("AlibiBias", (12,), {}),
        ("RelativeBias", (H,), {"num_buckets": 6, "max_distance": 9, "bidirectional": False}),
        ("LearnedEncoding", (LONGEST, D), {}),
    ],
)
def test_keras_config_keeps_every_option(name, sizes, options):
    layer = build(tf, name, *sizes, **options)
    copy = type(layer).from_config(layer.get_config())
    set_parameters(copy, get_parameters(layer))
    inputs = LAYERS[name][1]
    for one, other in zip(run(tf, layer, inputs), run(tf, copy, inputs), strict=True):
        np.testing.assert_array_equal(one, other)
    assert all(layer.get_config()[key] == value for key, value in options.items())


# Half of the last place for each of the few roundings, of numbers up to 4.
STEP = {"float32": 4 * 2.0**-22, "bfloat16": 4 * 2.0**-7, "float16": 4 * 2.0**-10}


@FACE
@EACH_LAYER
@pytest.mark.parametrize("dtype", STEP)
def test_dtypes(face, name, dtype):
    sizes, inputs = LAYERS[name]
    layer = build(face, name, *sizes, dtype=dtype)
    found = run(face, layer, inputs, dtype)
    assert all(dtype in str(x.dtype) for x in found)
    agree(name, layer, found, tolerance=STEP[dtype])


@FACE
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_keeps_its_place_in_a_long_sentence(face, dtype):
    """bfloat16 rounds 4001 to 4000, float16 rounds 4001 to 4000 too: positions need float32."""
    exact = reference.sinusoidal_encoding(1, D, first_position=4001)
    close(face.sinusoidal_encoding(1, D, first_position=4001, **kind(face, dtype)), exact, 2.0**-8)
    x = to(face, np.ones((1, K)), dtype=dtype)
    close(face.rotate(x, to(face, np.array([4001]))), reference.rotate(np.ones((1, K)), np.array([4001])), 2.0**-7)
    found = numbers(face.alibi_bias(12, 1, 4002, **kind(face, dtype)))
    np.testing.assert_allclose(found, reference.alibi_bias(12, 1, 4002), rtol=2.0**-8)


@pytest.mark.parametrize("name", LAYERS)
def test_keras_mixed_precision(name):
    sizes, inputs = LAYERS[name]
    layer = build(tf, name, *sizes, dtype="mixed_float16")
    found = run(tf, layer, inputs, "float32")
    assert all(x.dtype == tensorflow.float16 for x in found)
    assert {str(v.dtype) for v in layer.trainable_variables} <= {"float32"}
    agree(name, layer, found, tolerance=4 * STEP["float16"])


def test_a_mask_that_keras_carries_ends_here():
    words = keras.layers.Embedding(5, D, mask_zero=True)(np.array([[1, 2, 0]]))
    for layer in (tf.SinusoidalEncoding(D), tf.LearnedEncoding(LONGEST, D)):
        assert getattr(layer(words), "_keras_mask", None) is None


# --- planted faults --------------------------------------------------------------------


def caught(check, *inputs):
    with pytest.raises(AssertionError):
        check(*inputs)


def swapped(length, dim, **options):
    """Cosines where sines belong."""
    found = reference.sinusoidal_encoding(length, dim + dim % 2, **options)
    return found.reshape(length, -1, 2)[..., ::-1].reshape(length, -1)[:, :dim]


def test_sines_and_cosines_swapped_are_caught(monkeypatch):
    monkeypatch.setattr(pytorch, "sinusoidal_encoding", lambda *sizes, dtype, **more: swapped(*sizes, **more))
    caught(test_sinusoids_by_hand, pytorch)
    caught(test_sinusoids_by_loops, pytorch, 8, 3)


@pytest.mark.parametrize("base", [100.0, 1000000.0])
def test_a_wrong_base_is_caught(monkeypatch, base):
    from attn_course.positional.absolute import pytorch as module

    right = module.frequencies
    monkeypatch.setattr(module, "frequencies", lambda dim, _: right(dim, base))
    caught(test_sinusoids_by_hand, pytorch)
    caught(test_rotations_by_hand, pytorch)
    caught(test_rotations_by_complex_numbers, pytorch, "half")
    caught(test_sinusoidal_layer, pytorch)


def test_an_exponent_with_the_column_instead_of_the_pair_is_caught(monkeypatch):
    from attn_course.positional.absolute import pytorch as module

    monkeypatch.setattr(module, "frequencies", lambda dim, base: [base ** (-i / dim) for i in range((dim + 1) // 2)])
    caught(test_sinusoids_by_loops, pytorch, 8, 3)
    caught(test_rotations_by_complex_numbers, pytorch, "interleaved")


def test_one_layout_for_the_other_is_caught(monkeypatch):
    right, other = pytorch.rotate, {"half": "interleaved", "interleaved": "half"}

    def wrong(x, t, *, layout="half", **more):
        return right(x, t, layout=other[layout], **more)

    monkeypatch.setattr(pytorch, "rotate", wrong)
    caught(test_rotations_by_hand, pytorch)
    caught(test_rotations_by_complex_numbers, pytorch, "half")
    test_a_score_depends_on_the_distance_alone(pytorch, "half")  # holds for both: no witness


def test_queries_counted_from_the_start_are_caught(monkeypatch):
    def early(self, query, key, *, first_position=0):
        positions = [torch.arange(x.shape[-2]) + first_position for x in (query, key)]
        return tuple(pytorch.rotate(x, t) for x, t in zip((query, key), positions, strict=True))

    monkeypatch.setattr(pytorch.RotaryEncoding, "forward", early)
    caught(test_queries_stand_on_the_last_keys, pytorch, "half")


def test_slopes_of_twelve_by_the_formula_for_powers_of_two_are_caught(monkeypatch):
    from attn_course.positional.bias import pytorch as module

    monkeypatch.setattr(module, "head_slopes", lambda n: [2 ** (-8 * (h + 1) / n) for h in range(n)])
    test_slopes(pytorch, 8)
    caught(test_slopes, pytorch, 12)
    caught(test_alibi_layer, pytorch)


def bias_fault(monkeypatch, change):
    from attn_course.positional.bias import pytorch as module

    right = module.key_distance
    monkeypatch.setattr(module, "key_distance", lambda T, S, **more: change(right(T, S, **more), T, S))


def test_a_flipped_sign_of_the_distance_is_caught(monkeypatch):
    bias_fault(monkeypatch, lambda distance, T, S: -distance)
    caught(test_buckets_by_hand, pytorch)
    caught(test_relative_bias_layer, pytorch, 32, 128, True)
    caught(test_relative_bias_layer, pytorch, 32, 128, False)


def test_distances_aligned_at_the_start_are_caught(monkeypatch):
    bias_fault(monkeypatch, lambda distance, T, S: distance + S - T)
    caught(test_alibi_by_hand, pytorch)
    caught(test_relative_bias_layer, pytorch, 32, 128, True)


def test_a_bias_scaled_like_the_scores_is_caught(monkeypatch):
    from attn_course.dot_product import pytorch as module

    right = module.scaled_dot_product_attention

    def scaled(query, key, value, *, bias, **more):
        return right(query, key, value, bias=bias / math.sqrt(K), **more)

    test_biases_fit_attention(pytorch)
    monkeypatch.setattr(pytorch, "scaled_dot_product_attention", scaled)
    caught(test_biases_fit_attention, pytorch)


def test_buckets_of_the_other_direction_are_caught(monkeypatch):
    """The decoder's rule for the encoder, and the reverse."""
    right = pytorch.relative_buckets

    def wrong(T, S, *, bidirectional=True, **more):
        return right(T, S, bidirectional=not bidirectional, **more)

    monkeypatch.setattr(pytorch, "relative_buckets", wrong)
    caught(test_buckets_by_hand, pytorch)


# --- wrong arguments -------------------------------------------------------------------


@FACES
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f, to: f.sinusoidal_encoding(-1, 4), "length must be at least 0, got -1"),
        (lambda f, to: f.sinusoidal_encoding(3, 0), "dim must be at least 1, got 0"),
        (lambda f, to: f.alibi_slopes(0), "num_heads must be at least 1, got 0"),
        (lambda f, to: f.alibi_bias(0, 2, 3), "num_heads must be at least 1, got 0"),
        (lambda f, to: f.relative_buckets(2, 3, num_buckets=7), "num_buckets must be even and at least 4, got 7"),
        (lambda f, to: f.relative_buckets(2, 3, num_buckets=2), "num_buckets must be even and at least 4, got 2"),
        (
            lambda f, to: f.relative_buckets(2, 3, num_buckets=1, bidirectional=False),
            "num_buckets must be at least 2, got 1",
        ),
        (lambda f, to: f.relative_buckets(2, 3, max_distance=8), "max_distance must be more than the 8 distances"),
        (
            lambda f, to: f.relative_buckets(2, 3, max_distance=16, bidirectional=False),
            "max_distance must be more than the 16 distances",
        ),
        (lambda f, to: f.rotate(to(draw(2, 3)), to(np.arange(2))), "the last axis of x must be even and known, got 3"),
        (lambda f, to: f.rotate(to(draw(2, 4)), to(np.arange(3))), r"positions must have shape \(T\) = \(2,\)"),
        (lambda f, to: f.rotate(to(draw(5, 2, 4)), to(np.zeros((5, 3), int))), "positions must have shape"),
        (lambda f, to: f.rotate(to(draw(5, 3, 2, 4)), to(np.zeros((5, 2), int))), "align with the vectors of x"),
        (lambda f, to: f.rotate(to(draw(2, 4)), to(np.ones(2, bool))), "positions must be numbers, got bool"),
        (lambda f, to: f.rotate(to(np.ones((2, 4), int)), to(np.arange(2))), "x must be floating, got int64"),
        (lambda f, to: f.rotate(to(draw(4)), to(np.arange(1))), r"x must have shape \(..., T, K\), got \(4,\)"),
        (
            lambda f, to: f.rotate(to(draw(2, 4)), to(np.arange(2)), layout="thirds"),
            "layout must be one of half, interleaved, got 'thirds'",
        ),
        (lambda f, to: f.change_layout(to(draw(2, 4)), to="thirds"), "to must be one of half, interleaved"),
        (lambda f, to: f.change_layout(to(draw(2, 5)), to="half"), "the last axis of x must be even and known, got 5"),
    ],
)
def test_wrong_arguments_of_the_functions(face, call, words):
    with pytest.raises(ValueError, match=words):
        call(face, lambda x: to(face, x))


@FACE
@pytest.mark.parametrize(
    ("name", "sizes", "options", "words"),
    [
        ("SinusoidalEncoding", (0,), {}, "model_dim must be at least 1, got 0"),
        ("LearnedEncoding", (0, 5), {}, "max_length must be at least 1, got 0"),
        ("LearnedEncoding", (5, 0), {}, "model_dim must be at least 1, got 0"),
        ("RotaryEncoding", (5,), {}, "key_dim must be even and known, got 5"),
        ("RotaryEncoding", (4,), {"layout": "thirds"}, "layout must be one of half, interleaved, got 'thirds'"),
        ("AlibiBias", (0,), {}, "num_heads must be at least 1, got 0"),
        ("RelativeBias", (0,), {}, "num_heads must be at least 1, got 0"),
        ("RelativeBias", (2,), {"num_buckets": 5}, "num_buckets must be even and at least 4, got 5"),
        ("RelativeBias", (2,), {"max_distance": 8}, "max_distance must be more than the 8 distances"),
    ],
)
def test_wrong_options(face, name, sizes, options, words):
    with pytest.raises(ValueError, match=words):
        getattr(face, name)(*sizes, **options)


@FACE
@pytest.mark.parametrize(
    ("name", "inputs", "words"),
    [
        ("SinusoidalEncoding", (draw(B, T),), r"x must have shape \(B, T, D\), got \(2, 5\)"),
        ("SinusoidalEncoding", (draw(B, T, D + 1),), r"x must have shape .* with D = 11"),
        ("SinusoidalEncoding", (np.ones((B, T, D), int),), "x must be floating, got int64"),
        ("LearnedEncoding", (draw(B, T, D + 1),), r"x must have shape .* with D = 11"),
        ("LearnedEncoding", (draw(B, H, T, D),), r"x must have shape \(B, T, D\)"),
        ("RotaryEncoding", (draw(B, H, T, K + 2), draw(B, H, S, K)), "query must have shape .* with K = 6"),
        ("RotaryEncoding", (draw(B, H, T, K), draw(B, H, S, K + 2)), "key must have shape .* with K = 6"),
        ("RotaryEncoding", (draw(B, H, T, K), draw(B, H, S, K).astype("float32")), "key must be float64 like query"),
    ],
)
def test_wrong_inputs(face, name, inputs, words):
    layer = build(face, name, *LAYERS[name][0])
    if face is tf:
        layer.autocast = False
    made = [torch.from_numpy(x) if face is pytorch else tensorflow.constant(x) for x in inputs]
    with pytest.raises(ValueError, match=words):
        layer(*made)
