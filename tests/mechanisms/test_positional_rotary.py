"""Rotary positions: by hand, by complex numbers, both layouts, alike in three; a fault is caught."""

import math

import numpy as np
import pytest
from support import FACE, FACES, build, caught, close, draw, gradients, numbers, slope, tensor, to

from attn_course import pytorch, reference, tf

B, H, T, S, D, K = 2, 3, 5, 7, 11, 6
LAYOUT = pytest.mark.parametrize("layout", ["half", "interleaved"])

# --- rotary ---------------------------------------------------------------------------


@FACES
def test_rotations_by_hand(face):
    """Width 4 at position 1: one pair turns by 1, the other by 1/100."""
    x, t = to(face, np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([1]))
    c, s, c2, s2 = math.cos(1), math.sin(1), math.cos(0.01), math.sin(0.01)
    pairs = [c - 2 * s, s + 2 * c, 3 * c2 - 4 * s2, 3 * s2 + 4 * c2]
    close(face.rotate(x, t, layout="interleaved"), [pairs])
    halves = [c - 3 * s, 2 * c2 - 4 * s2, s + 3 * c, 2 * s2 + 4 * c2]
    close(face.rotate(x, t), [halves])
    quarter = face.rotate(x, tensor(face, np.array([math.pi / 2])), base=1e300)  # only the first pair turns
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
@pytest.mark.parametrize("position", [131_071, 1_048_575])
def test_a_far_rotation_is_as_exact_as_a_near_one(face, position):
    """As rotary positions and as waves: float32 alone would be off by 4e-3, and by 0.03."""
    x, positions = draw(1, 64), np.array([position])
    found = face.rotate(*to(face, x, dtype="float32"), *to(face, positions))
    close(found, reference.rotate(x, positions), 1e-6)
    waves = face.sinusoidal_encoding(1, 64, first_position=position)
    close(waves, reference.sinusoidal_encoding(1, 64, first_position=position), 1e-6)


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


@LAYOUT
@FACE
def test_the_layer_turns_as_asked(face, layout):
    """Its own layout and base: scores alone would not tell one layout from the other."""
    query, key = draw(B, H, T, K), draw(B, H, S, K, seed=1)
    layer = build(face, "RotaryEncoding", K, layout=layout, base=7.0)
    found = layer(*to(face, query, key), first_position=3)
    for one, x, t in zip(found, (query, key), (np.arange(S - T, S), np.arange(S)), strict=True):
        close(one, reference.rotate(x, t + 3, layout=layout, base=7.0))


@FACES
def test_positions_of_every_example(face):
    """Two sentences padded on the left: each has its own positions."""
    x, positions = draw(B, H, T, K), np.arange(T) - np.array([[0], [2]])
    found = face.rotate(*to(face, x, positions[:, None]))
    for b in range(B):
        close(found[b], reference.rotate(x[b], positions[b]))


@FACES
def test_one_layout_into_the_other(face):
    close(face.change_layout(tensor(face, np.arange(8)), to="half"), [0, 2, 4, 6, 1, 3, 5, 7])
    close(face.change_layout(tensor(face, np.arange(8)), to="interleaved"), [0, 4, 1, 5, 2, 6, 3, 7])
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


@LAYOUT
def test_gradients_of_a_rotation(layout):
    """The gradient of a rotation is the rotation back; alike in both, and the slope of the specification."""
    x, probe, t = draw(B, T, K), draw(B, T, K, seed=1), np.arange(T) + 3

    def turned(face, y):
        return face.rotate(y, t, layout=layout) * tensor(face, probe)

    of_torch = gradients(pytorch, lambda y: turned(pytorch, y), {"x": x})["x"]
    close(gradients(tf, lambda y: turned(tf, y), {"x": x})["x"], of_torch)
    close(of_torch, reference.rotate(probe, -t, layout=layout))
    direction, expected = slope(lambda y: turned(reference, y).sum(), x)
    assert (of_torch * direction).sum() == pytest.approx(expected, rel=1e-6)


# --- planted faults -------------------------------------------------------------------


def test_one_layout_for_the_other_is_caught(monkeypatch):
    right, other = pytorch.rotate, {"half": "interleaved", "interleaved": "half"}

    def wrong(x, t, *, layout="half", **more):
        return right(x, t, layout=other[layout], **more)

    monkeypatch.setattr(pytorch, "rotate", wrong)
    caught(test_rotations_by_hand, pytorch)
    caught(test_rotations_by_complex_numbers, pytorch, "half")
    test_a_score_depends_on_the_distance_alone(pytorch, "half")  # holds for both: no witness
