"""Masks of the sparse patterns by hand and by loops; what they count and connect; a cache of a window."""

import math

import numpy as np
import pytest
from support import FACE, build, close, draw, numbers, tensor

from attn_course import masks
from attn_course.frameworks import torch


def by_loop(T, S, allowed):
    """allowed(i, j) for every pair, i the query's position."""
    return np.array([[bool(allowed(t + S - T, s)) for s in range(S)] for t in range(T)]).reshape(T, S)


@pytest.mark.parametrize(("T", "S"), [(11, 11), (3, 11), (11, 3), (1, 1)])
@pytest.mark.parametrize("causal", [False, True])
def test_masks_are_their_definitions(T, S, causal):
    def ordered(i, j):
        return not causal or j <= i

    for w, d in ((1, 1), (3, 1), (3, 2), (2, 20)):
        found = masks.dilated_window_mask(T, S, w, d, causal)
        reach = [d * m for m in range(w)]
        expected = by_loop(T, S, lambda i, j: abs(i - j) in reach and ordered(i, j))  # noqa: B023
        np.testing.assert_array_equal(found, expected)
    for stride in (1, 2, 5, 20):
        found = masks.strided_mask(T, S, stride, causal)
        expected = by_loop(
            T,
            S,
            lambda i, j: (abs(i - j) <= stride or (i - j) % stride == 0) and ordered(i, j),  # noqa: B023
        )
        np.testing.assert_array_equal(found, expected)
        for c in {1, stride}:
            found = masks.fixed_mask(T, S, stride, c, causal)
            expected = by_loop(
                T,
                S,
                lambda i, j: (
                    (math.floor(i / stride) == math.floor(j / stride) or j % stride in range(stride - c, stride))  # noqa: B023
                    and ordered(i, j)
                ),
            )
            np.testing.assert_array_equal(found, expected)
    for positions in ([], [0], [S - 1, 0]):
        found = masks.longformer_mask(T, S, window=2, positions=positions, causal=causal)
        expected = by_loop(
            T,
            S,
            lambda i, j: (abs(i - j) < 2 or i in positions or j in positions) and ordered(i, j),  # noqa: B023
        )
        np.testing.assert_array_equal(found, expected)


def test_a_window_counts_the_query_itself():
    """w keys, as Hugging Face and Keras; flash-attention's window_size=(w, 0) would see w + 1."""
    for w in (1, 2, 5):
        assert masks.sliding_window_mask(9, 9, w, causal=True)[-1].sum() == w
        assert masks.sliding_window_mask(19, 19, w, causal=False)[9].sum() == 2 * w - 1


def test_random_keys_are_drawn_without_repetition():
    mask = masks.random_mask(31, 31, 7, seed=0)
    assert (mask.sum(axis=1) == 7).all()
    np.testing.assert_array_equal(mask, masks.random_mask(31, 31, 7, seed=0))
    assert (mask != masks.random_mask(31, 31, 7, seed=1)).any()
    np.testing.assert_array_equal(mask[-3:], masks.random_mask(3, 31, 7, seed=0))
    assert len(np.unique(mask, axis=0)) > 20, "every row has its own"
    for wrong in (-1, 32, 1.5):
        with pytest.raises(ValueError, match="per_row"):
            masks.random_mask(3, 31, wrong, seed=0)


@pytest.mark.parametrize("num_random", [0, 1, 3])
def test_big_bird_layout(num_random):
    n = 17
    layout = masks.big_bird_layout(n, num_random=num_random, seed=2)
    assert layout[[0, -1]].all() and layout[:, [0, -1]].all(), "the ends see and are seen"
    for row in range(1, n - 1):
        window = {0, n - 1, row - 1, row, row + 1}
        assert layout[row, sorted(window)].all()
        assert layout[row].sum() == len(window) + num_random, "random blocks come on top, none twice"
    if num_random:
        assert (layout != masks.big_bird_layout(n, num_random=num_random, seed=3)).any()
    whole = masks.big_bird_mask(33, 33, block_size=2, num_random=num_random, seed=2)
    np.testing.assert_array_equal(whole, np.kron(layout, np.ones((2, 2), bool))[:33, :33])
    part = masks.big_bird_mask(5, 33, block_size=2, num_random=num_random, seed=2)
    np.testing.assert_array_equal(part, whole[-5:])
    longer = masks.big_bird_mask(40, 33, block_size=2, num_random=num_random, seed=2)
    np.testing.assert_array_equal(longer[-33:], whole)


def slope(counts):
    lengths = np.array(sorted(counts))
    return np.polyfit(np.log(lengths), np.log([counts[n] for n in lengths]), 1)[0]


def test_allowed_pairs_grow_as_the_papers_say():
    lengths = (256, 1024, 4096)
    root = {n: math.isqrt(n) for n in lengths}
    assert slope({n: masks.causal_mask(n, n).sum() for n in lengths}) == pytest.approx(2, abs=0.01)
    assert slope({n: masks.strided_mask(n, n, root[n]).sum() for n in lengths}) == pytest.approx(1.5, abs=0.03)
    assert slope({n: masks.fixed_mask(n, n, root[n], 1).sum() for n in lengths}) == pytest.approx(1.5, abs=0.03)
    assert slope({n: masks.sliding_window_mask(n, n, 17, True).sum() for n in lengths}) == pytest.approx(1, abs=0.02)
    random = {"block_size": 8, "num_random": 3, "seed": 0}
    assert slope({n: masks.big_bird_mask(n, n, **random).sum() for n in lengths}) == pytest.approx(1, abs=0.05)


def layers_to_connect(mask):
    """How many layers until every query has heard of every position before it."""
    wanted, heard, layers = np.tril(np.ones_like(mask)), mask, 1
    while (wanted & ~heard).any():
        heard, layers = heard @ mask, layers + 1
    return layers


def test_how_many_layers_connect_every_pair():
    n = 36
    assert layers_to_connect(masks.strided_mask(n, n, 6)) == 2
    assert layers_to_connect(masks.fixed_mask(n, n, 6, 1)) == 2
    for w in (2, 4, 6, 36):
        assert layers_to_connect(masks.sliding_window_mask(n, n, w, True)) == math.ceil((n - 1) / (w - 1))
    assert layers_to_connect(masks.longformer_mask(n, n, window=2, positions=[0])) == 2
    assert layers_to_connect(masks.big_bird_mask(n, n, block_size=3, num_random=1, seed=0)) == 2


@FACE
def test_a_cache_holds_no_more_than_the_window(face):
    """Two tensors, of 2 rows, 2 heads, so many positions, 3 numbers, 8 bytes."""
    layer = build(face, "SlidingWindowAttention", 12, 4, window=3, num_kv_heads=2)
    x = tensor(face, draw(2, 11, 12))
    expected = numbers(layer(x, causal=True)[0])
    for sizes, more, positions in ((11, {}, 3), (None, {}, 3), (11, {"window": 5}, 5), (11, {"window": None}, 11)):
        cache = layer.new_cache(2, sizes, **more)
        assert cache.nbytes == 2 * 2 * 2 * positions * 3 * 8
        with torch.no_grad():
            chunks = (x[:, a:b] for a, b in ((0, 4), (4, 6), (6, 7), (7, 11)))
            found = [numbers(layer(chunk, causal=True, cache=cache)[0]) for chunk in chunks]
        close(np.concatenate(found, axis=1), expected)


@FACE
def test_a_pattern_takes_no_cache_that_drops_what_it_counts(face):
    """Places in a ring are not places in the text: of sinks, of a smaller window, of another pattern."""
    layer, x = build(face, "SlidingWindowAttention", 12, 4, window=3), tensor(face, draw(2, 5, 12))
    with pytest.raises(ValueError, match="window must be at least the layer's 3, got 2"):
        layer.new_cache(2, 11, window=2)
    for more in ({"sinks": 2}, {"window": 5, "sinks": 1}):
        with pytest.raises(ValueError, match="sinks must be 0 where the layer has a window"):
            layer.new_cache(2, 11, **more)
    others = {
        "DilatedWindowAttention": {"window": 3, "dilation": 2},
        "LongformerAttention": {"window": 3, "positions": [0]},
        "StridedAttention": {"stride": 3},
        "FixedAttention": {"stride": 3, "summary": 1},
        "BigBirdAttention": {"block_size": 3, "num_random": 1, "seed": 0},
        "ChosenBlocksAttention": {"block_size": 3, "top_k": 1},
    }
    ring = build(face, "MultiHeadAttention", 12, 4).new_cache(2, 11, window=3)
    for other in (layer, *(build(face, name, 12, 4, **sizes) for name, sizes in others.items())):
        for chunk in (x, x[:, :1]):
            with pytest.raises(ValueError, match="cache must keep all positions, or be of the window layer's own"):
                other(chunk, causal=True, cache=ring)


@FACE
def test_a_decoder_with_windows_keeps_its_whole_memory(face):
    """Its own words in a window, what it looks across to without one."""
    window = build(face, "SlidingWindowAttention", 12, 4, window=3)
    layer = build(face, "DecoderLayer", 12, 4, 8, attention=window)
    own, read = layer.new_cache(tensor(face, draw(2, 9, 12)), 7)
    assert own.nbytes == 2 * 2 * 4 * 3 * 3 * 8 and int(read.length) == 9
