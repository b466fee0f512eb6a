"""ALiBi and the buckets of T5: by hand, by loops, alike in three; a fault is caught."""

import math

import numpy as np
import pytest
from support import FACE, FACES, build, caught, close, draw, kind, numbers, to

from attn_course import pytorch, reference
from attn_course.parity import set_parameters

B, H, T, S, D, K = 2, 3, 5, 7, 11, 6

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


# --- ALiBi ----------------------------------------------------------------------------


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


# --- T5 -------------------------------------------------------------------------------


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


# --- planted faults -------------------------------------------------------------------


def test_a_bias_scaled_like_the_scores_is_caught(monkeypatch):
    from attn_course.mechanisms.dot_product import pytorch as module

    right = module.scaled_dot_product_attention

    def scaled(query, key, value, *, bias, **more):
        return right(query, key, value, bias=bias / math.sqrt(K), **more)

    test_biases_fit_attention(pytorch)
    monkeypatch.setattr(pytorch, "scaled_dot_product_attention", scaled)
    caught(test_biases_fit_attention, pytorch)
