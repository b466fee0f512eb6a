"""Chosen blocks: a slow loop, the own block always, no block before it is whole, the last one cut."""

import numpy as np
import pytest
from support import FACES, close, draw, numbers, tensor, to

from attn_course import reference
from attn_course.masks import causal_mask

B, H, S, K, V, SIZE = 2, 3, 11, 5, 7, 3
SIZES = {"block_size": SIZE, "top_k": 2}
PADDING = (np.arange(S) >= np.array([[4], [0]]))[:, None, None]


def heads(T=S):
    return draw(B, H, T, K), draw(B, H, S, K, seed=1), draw(B, H, S, V, seed=2)


def attend(face, arrays, mask=None, **options):
    options = SIZES | options
    output, weights = face.chosen_blocks_attention(*to(face, *arrays), tensor(face, mask), **options)
    return numbers(output), numbers(weights)


def slow(query, key, value, mask=None, *, block_size=SIZE, top_k=2):
    """One query after the other: its own block, then those before it in the order of their answers."""
    T, output = query.shape[2], np.zeros((*query.shape[:-1], V))
    for b, h, t in np.ndindex(B, H, T):
        at, real = t + S - T, range(S) if mask is None else np.flatnonzero(mask[b, 0, 0]).tolist()
        blocks = {}
        for s in real:
            blocks.setdefault(s // block_size, []).append(s)
        answers = {n: query[b, h, t] @ key[b, h, of].mean(0) for n, of in blocks.items() if n < at // block_size}
        own = [at // block_size] if at // block_size in blocks else []
        chosen = own + sorted(answers, key=lambda n: -answers[n])[: top_k - len(own)]
        seen = [s for n in chosen for s in blocks[n] if s <= at]
        if seen:
            weight = np.exp(query[b, h, t] @ key[b, h, seen].T / np.sqrt(K))
            output[b, h, t] = weight / weight.sum() @ value[b, h, seen]
    return output


@FACES
@pytest.mark.parametrize("T", [11, 4, 13])
def test_it_is_the_slow_loop(face, T):
    """Blocks that divide the length and that do not, of one key, longer than all; behind a cache; with padding."""
    for block_size in (1, 3, 4, 11, 20):
        for top_k in (1, 2, 9):
            for mask in (None, PADDING):
                options = {"block_size": block_size, "top_k": top_k}
                close(attend(face, heads(T), mask, **options)[0], slow(*heads(T), mask, **options))


@FACES
def test_at_full_budget_it_is_causal_attention(face):
    expected = reference.scaled_dot_product_attention(*heads(), causal=True)
    close(attend(face, heads(), top_k=4), expected)
    assert np.abs(attend(face, heads(), top_k=3)[0] - expected[0]).max() > 1e-3


@FACES
def test_the_own_block_always_however_badly_it_answers(face):
    query, key, value = heads()
    key = key - 10 * np.sign(query.sum(2, keepdims=True)) * (np.arange(S) % SIZE == 0)[:, None]
    weights = attend(face, (query, key, value), top_k=1)[1]
    block = np.arange(S) // SIZE
    np.testing.assert_array_equal(
        weights > 0, np.broadcast_to((block == block[:, None]) & causal_mask(S, S), weights.shape)
    )


@FACES
def test_no_block_shows_what_is_not_yet_written(face):
    query, key, value = heads()
    before = attend(face, (query, key, value))[0]
    for t in range(1, S):
        late = key.copy()
        late[:, :, t:] += 50.0
        close(attend(face, (query, late, value))[0][:, :, :t], before[:, :, :t])


@FACES
def test_what_is_wrong_is_named(face):
    for name in SIZES:
        for wrong in (0, -1, 1.5, True, None):
            with pytest.raises(ValueError, match=f"{name} must be"):
                attend(face, heads(), **{name: wrong})
    with pytest.raises(ValueError, match="mask must be padding"):
        attend(face, heads(), np.ones((S, S), bool))
