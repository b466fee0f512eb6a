"""Checks that every scaled dot-product attention must pass; the bank in ``wrong.py`` must fail them.

Each takes ``attend(query, key, value, mask=None, *, causal=False) -> (output, weights)``, from NumPy to NumPy.
"""

import math

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from attn_course.masks import causal_mask

B, H, T, S, K, V = 2, 3, 5, 7, 11, 13
LENGTHS = ((T, S), (S, S), (S, T))  # behind a cache, whole sequence, more queries than keys
CLOSE = {"rtol": 1e-10, "atol": 1e-13}


def draw(T=T, S=S, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(B, H, T, K)), rng.normal(size=(B, H, S, K)), rng.normal(size=(B, H, S, V))


def draw_mask(T=T, S=S, seed=0):
    """A mask in which every query sees its own share of the keys, at least the first."""
    mask = np.random.default_rng(seed + 1).random((B, H, T, S)) < 0.6
    mask[..., 0] = True
    return mask


def hand_worked(attend):
    """Scores 2 ln 3 / sqrt(4) = ln 3, and 0: the weights are 3/4 and 1/4."""
    query = np.array([[[[2 * math.log(3), 0.0, 0.0, 0.0]]]])
    key = np.array([[[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]]])
    value = np.array([[[[4.0, 0.0, 8.0], [0.0, 12.0, 8.0]]]])
    output, weights = attend(query, key, value)
    assert_allclose(weights, [[[[0.75, 0.25]]]], **CLOSE)
    assert_allclose(output, [[[[3.0, 3.0, 8.0]]]], **CLOSE)


def rows_sum_to_one(attend):
    for T, S in LENGTHS[:2]:
        for mask, causal in ((None, False), (draw_mask(T, S), False), (None, True), (draw_mask(T, S), True)):
            weights = attend(*draw(T, S), mask, causal=causal)[1]
            assert_allclose(weights.sum(-1), np.ones((B, H, T)), **CLOSE)
            assert (weights >= 0).all()


def blocked_keys_weigh_nothing(attend):
    mask = draw_mask()
    weights = attend(*draw(), mask)[1]
    assert not weights[~mask].any() and (weights[mask] > 0).all()


def blocked_values_cannot_matter(attend):
    """The key is blocked for all queries but the last, so that nothing hides it from the others beforehand."""
    query, key, value = draw()
    mask = draw_mask()
    mask[:, :, :-1, 3], mask[:, :, -1, 3] = False, True
    expected = attend(query, key, value, mask)[0]
    for huge in (-1e3, 1e30):
        other_key, other_value = key.copy(), value.copy()
        other_key[:, :, 3], other_value[:, :, 3] = huge, huge
        assert_array_equal(attend(query, other_key, other_value, mask)[0][:, :, :-1], expected[:, :, :-1])


def causal_is_the_causal_mask(attend):
    """Exactly the keys up to i + S - T are seen, so that the last query sees the last key."""
    for T, S in LENGTHS:
        weights = attend(*draw(T, S), causal=True)[1]
        assert_array_equal(weights > 0, np.broadcast_to(causal_mask(T, S), weights.shape))


def no_look_into_the_future(attend):
    for T, S in LENGTHS[:2]:
        query, key, value = draw(T, S)
        expected = attend(query, key, value, causal=True)[0]
        for step in range(1, T):
            other_key, other_value = key.copy(), value.copy()
            other_key[:, :, S - step :] += 5.0
            other_value[:, :, S - step :] -= 3.0
            found = attend(query, other_key, other_value, causal=True)[0]
            assert_array_equal(found[:, :, : T - step], expected[:, :, : T - step])


def keys_in_any_order(attend):
    query, key, value = draw()
    mask, order = draw_mask(), np.random.default_rng(2).permutation(S)
    output, weights = attend(query, key, value, mask)
    shuffled = attend(query, key[:, :, order], value[:, :, order], mask[..., order])
    assert_allclose(shuffled[0], output, **CLOSE)
    assert_allclose(shuffled[1], weights[..., order], **CLOSE)


def queries_are_independent(attend):
    """Any order of the queries, and any one alone, gives the same rows."""
    query, key, value = draw()
    mask, order = draw_mask(), np.random.default_rng(3).permutation(T)
    output = attend(query, key, value, mask)[0]
    assert_allclose(attend(query[:, :, order], key, value, mask[:, :, order])[0], output[:, :, order], **CLOSE)
    assert_allclose(attend(query[:, :, 1:2], key, value, mask[:, :, 1:2])[0], output[:, :, 1:2], **CLOSE)


def batch_rows_and_heads_are_independent(attend):
    query, key, value = draw()
    mask = draw_mask()
    output = attend(query, key, value, mask)[0]
    for b, h in np.ndindex(B, H):
        one = (slice(b, b + 1), slice(h, h + 1))
        assert_allclose(attend(query[one], key[one], value[one], mask[one])[0], output[one], **CLOSE)


def an_empty_row_is_zero(attend):
    mask = draw_mask()
    mask[0, 1, 2] = False
    output, weights = attend(*draw(), mask)
    assert not output[0, 1, 2].any() and not weights[0, 1, 2].any()
    assert np.isfinite(output).all() and output[0, 1, 1].all()
    output, weights = attend(*draw(S, T), causal=True)
    assert not output[:, :, : S - T].any() and not weights[:, :, : S - T].any()


def large_scores_do_not_overflow(attend):
    query, key, value = draw()
    output, weights = attend(query * 1e4, key, value)
    assert np.isfinite(output).all()
    assert_allclose(weights.sum(-1), np.ones((B, H, T)), **CLOSE)


def arguments_stay_as_they_are(attend):
    arrays = (*draw(), draw_mask())
    copies = [array.copy() for array in arrays]
    attend(*arrays, causal=True)
    for array, copy in zip(arrays, copies, strict=True):
        assert_array_equal(array, copy)


CHECKS = {
    check.__name__: check
    for check in (
        hand_worked,
        rows_sum_to_one,
        blocked_keys_weigh_nothing,
        blocked_values_cannot_matter,
        causal_is_the_causal_mask,
        no_look_into_the_future,
        keys_in_any_order,
        queries_are_independent,
        batch_rows_and_heads_are_independent,
        an_empty_row_is_zero,
        large_scores_do_not_overflow,
        arguments_stay_as_they_are,
    )
}
