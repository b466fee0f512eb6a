"""Attention over several processes without one: shares, their order, and bytes by hand."""

import numpy as np
import pytest

from attn_course.course.labs import ring
from attn_course.reference import scaled_dot_product_attention

SIZES = ring.Sizes(B=2, H=6, G=3, S=24, K=5, V=7)


def whole(query, key, value, causal):
    """All keys at once, in heads without groups."""
    B, _, _, S, _ = query.shape
    spread = (np.broadcast_to(x, (*query.shape[:-1], x.shape[-1])) for x in (query, key, value))
    output, _ = scaled_dot_product_attention(*(x.reshape(B, -1, S, x.shape[-1]) for x in spread), causal=causal)
    return output.reshape(*query.shape[:-1], -1)


@pytest.mark.parametrize("cut", [ring.in_order, ring.zigzag])
@pytest.mark.parametrize("R", [1, 2, 3, 4])
@pytest.mark.parametrize("causal", [True, False])
def test_shares_that_go_round_give_attention_to_all_keys(cut, R, causal):
    heads, places = ring.draw(SIZES), cut(24, R)
    shares = [[x[..., p, :] for p in places] for x in heads]
    found = ring.ring_attention(*shares, places, causal)
    expected = whole(*heads, causal)
    for output, p in zip(found, places, strict=True):
        np.testing.assert_allclose(output, expected[..., p, :], rtol=0, atol=1e-12)


def test_pairs_by_hand():
    """Every pair that a causal mask allows is counted once, and in a zigzag in every step alike."""
    assert [list(p) for p in ring.zigzag(12, 3)] == [[0, 1, 10, 11], [2, 3, 8, 9], [4, 5, 6, 7]]
    assert [list(p) for p in ring.in_order(12, 2)] == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    in_order, zigzag = (ring.pairs(cut(64, 4)) for cut in (ring.in_order, ring.zigzag))
    assert in_order.tolist() == [[136] * 4, [0, 256, 256, 256], [0, 0, 256, 256], [0, 0, 0, 256]]
    assert zigzag.tolist() == [[136] * 4, *[[128] * 4] * 3]
    assert in_order.sum() == zigzag.sum() == 64 * 65 // 2
    assert ring.pairs(ring.zigzag(64, 4), causal=False).sum() == 64 * 64
    # What a ring in order waits for comes near twice what a zigzag takes: (2 R - 1) / R.
    waits = [ring.pairs(cut(1024, 8)).max(axis=1).sum() for cut in (ring.in_order, ring.zigzag)]
    assert abs(waits[0] / waits[1] - 15 / 8) < 0.01


def test_halves_that_nobody_sees_are_not_computed():
    places = ring.zigzag(64, 4)
    computed = [sum(seen.size for theirs in places for *_, seen in ring.tiles(mine, theirs)) for mine in places]
    assert computed == [9 * 64] * 4  # 3 of the 4 tiles of its own keys, 2 of every other's
    assert all(seen.any() for *_, seen in ring.tiles(places[0], places[3]))


def test_bytes_by_hand():
    sizes = SIZES._replace(R=3)
    shares = [x[..., :8, :].nbytes for x in ring.draw(sizes)]
    keys, output = sum(shares[1:]), 2 * 6 * 8 * 7 * 8
    swap, decode = 2 * (sum(shares) + output) // 3, 2 * 2 * 6 * (1 + 1 + 7) * 8
    assert ring.bytes_sent(sizes) == {"ring": 2 * keys, "gather": 2 * keys, "swap": swap, "decode": decode}
    assert ring.bytes_held(sizes) == {"ring": 3 * keys, "gather": 3 * keys, "swap": 2 * keys, "decode": keys}
    assert ring.bytes_sent(SIZES._replace(R=4))["swap"] is ring.bytes_held(SIZES._replace(R=4))["swap"] is None
    assert set(ring.bytes_sent(SIZES._replace(R=1)).values()) == {0}


@pytest.mark.parametrize(("S", "R"), [(63, 4), (12, 4), (0, 2), (8, 0)])
def test_a_text_that_cannot_be_shared_is_refused(S, R):
    for cut in (ring.zigzag, ring.in_order):
        with pytest.raises(ValueError, match=f"S must be a multiple of 2 R = {2 * R}, got {S}"):
            cut(S, R)
