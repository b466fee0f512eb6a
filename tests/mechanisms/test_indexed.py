"""The indexer: its rule for equal scores, its own loss; step by step: test_grouped_query_decoding.py,
DeepseekV32Attention's numbers: tests/oracles/test_huggingface_oracles.py."""

import math

import numpy as np
import pytest
from support import FACE, FACES, close, draw, gradients, numbers, pair, slope, tensor, to
from torch.utils.flop_counter import FlopCounterMode

from attn_course import pytorch, reference, tf
from attn_course.frameworks import torch
from attn_course.parity import get_parameters, set_parameters

B, T, D, H, J = 2, 11, 13, 2, 6
LATENT = {"latent_dim": 11, "rope_dim": 4, "key_dim": 5, "value_dim": 7, "query_latent_dim": 17}


def indexed(top_k, index_heads=1):
    """In both frameworks; with one small head many scores are exactly 0."""
    layers, _ = pair("IndexedAttention", D, H, **LATENT, index_heads=index_heads, index_dim=J, top_k=top_k, scale=0.5)
    return layers


def chosen_by(layer, x, **options):
    """Which keys have weight in the first head; the same in all."""
    seen = numbers(layer(x, **options)[1]) > 0
    np.testing.assert_array_equal(seen, seen[:, :1].repeat(H, 1))
    return seen[:, 0]


@FACES
def test_scores_by_hand(face):
    """Two heads of width 2: one hears the key, the other's product is below 0, and silent."""
    query, key = np.array([[[3.0, 1.0]], [[-1.0, 5.0]]]), np.array([[2.0, 0.0], [0.0, 1.0]])
    found = face.index_scores(*to(face, query, key, np.array([[0.5, -2.0]])))
    close(found, [[0.5 * 6 / 2, (0.5 * 1 - 2.0 * 5) / 2]])


@FACES
@pytest.mark.parametrize("length", [5, 8, 12, 40])
def test_of_equal_scores_the_first_however_long_the_row(face, length):
    """Five equal scores, k = 2, the rest not yet there: PyTorch's own topk takes (2, 4), (1, 4) or (0, 1)."""
    score = np.full((1, length), -np.inf)
    score[:, :5] = 0.0
    chosen = numbers(face.top_keys(tensor(face, score), 2))
    np.testing.assert_array_equal(np.flatnonzero(chosen), [0, 1])


@FACES
def test_a_choice_is_what_a_loop_chooses(face):
    """Few different scores, of both zeros too: all above, then the first of the equal."""
    score = np.round(draw(B, 3, T, T))
    score[score == 0] *= -1.0
    score[:, :, ::2] = np.abs(score[:, :, ::2])
    mask = draw(B, 1, T, T, seed=1) > -0.5
    for k in (1, 4, T, 10**9):
        found = numbers(face.top_keys(tensor(face, score), k, tensor(face, mask), causal=True))
        for place in np.ndindex(B, 3, T):
            b, _, t = place
            order = sorted((s for s in range(t + 1) if mask[b, 0, t, s]), key=lambda s: (-score[place][s], s))
            assert sorted(order[:k]) == np.flatnonzero(found[place]).tolist()


@FACES
def test_a_positive_scale_of_the_scores_changes_no_choice(face):
    query, key, weight = draw(B, 3, T, J), draw(B, T, J, seed=1), draw(B, T, 3, seed=2)
    chosen = [
        numbers(face.top_keys(face.index_scores(*to(face, query, key, scale * weight)), 4, causal=True))
        for scale in (1.0, 3.7, -1.0)
    ]
    np.testing.assert_array_equal(chosen[0], chosen[1])
    assert (chosen[0] != chosen[2]).any()
    np.testing.assert_array_equal(chosen[0].sum(-1), np.minimum(np.arange(T) + 1, 4) + np.zeros((B, 1)))


@FACE
def test_a_choice_is_a_mask_of_any_layer_and_of_its_own_length(face):
    layer = pair("MultiHeadAttention", D - 1, H)[0][face]
    x, score = tensor(face, draw(B, T, D - 1)), tensor(face, draw(B, T, T, seed=1))
    chosen = face.top_keys(score, 3)
    _, weights = layer(x, mask=chosen[:, None])
    np.testing.assert_array_equal(numbers(weights)[:, 0] > 0, numbers(chosen))
    with pytest.raises(ValueError, match=r"mask must have shape .*11.*got \(2, 1, 11, 10\)"):
        layer(x, mask=chosen[:, None, :, :-1])


@FACES
def test_what_is_wrong_is_named(face):
    query, key, weight = to(face, draw(B, 3, T, J), draw(B, T, J), draw(B, T, 3))
    with pytest.raises(ValueError, match=r"key must have shape \(..., S, J\) with J = 6"):
        face.index_scores(query, key[..., :-1], weight)
    with pytest.raises(ValueError, match=r"weight must have shape \(..., T, I\) with I = 3"):
        face.index_scores(query, key, weight[..., :-1])
    score = face.index_scores(query, key, weight)
    for k in (0, -1, 2.5, True, None):
        with pytest.raises(ValueError, match="k must be"):
            face.top_keys(score, k)
    with pytest.raises(ValueError, match="score must have at least 1 position"):
        face.top_keys(score[..., :0], 2)
    with pytest.raises(ValueError, match="mask must have the last axes of the scores"):
        face.top_keys(score, 2, tensor(face, np.ones((T, T - 1), bool)))
    with pytest.raises(ValueError, match=r"weights must have shape \(..., H, T, S\)"):
        face.index_loss(score, score)


# --- the layer -------------------------------------------------------------------------


@FACE
def test_the_cache_keeps_the_small_key_beside_the_latent(face):
    cache = indexed(3)[face].new_cache(5, 19)
    assert cache.nbytes == 5 * 19 * (11 + 4 + J) * 8


@FACE
def test_at_full_budget_it_is_latent_attention(face):
    layer, latent = indexed(T)[face], pair("LatentAttention", D, H, **LATENT, scale=0.5)[0][face]
    given = {name: x for name, x in get_parameters(layer).items() if not name.startswith("index")}
    set_parameters(latent, given)
    x = tensor(face, draw(B, T, D))
    close(layer(x), latent(x))
    assert np.abs(numbers(indexed(3)[face](x)[0]) - numbers(latent(x)[0])).max() > 1e-3


@FACE
def test_all_heads_read_what_the_scores_choose(face):
    """The weights are 0 elsewhere; a later word changes no earlier choice."""
    layer, x = indexed(3, index_heads=3)[face], draw(B, T, D)
    score = layer.index(tensor(face, x))
    chosen = numbers(face.top_keys(score, 3, causal=True))
    np.testing.assert_array_equal(chosen_by(layer, tensor(face, x)), chosen)
    x[:, 7:] += 1.0
    np.testing.assert_array_equal(chosen_by(layer, tensor(face, x))[:, :7], chosen[:, :7])


@FACE
def test_a_layer_reads_what_another_chose(face):
    """A choice that is shared between layers: handed over as the mask, whatever the layer's own indexer says."""
    one, other = indexed(3, index_heads=5)[face], indexed(3, index_heads=2)[face]
    x = tensor(face, draw(B, T, D))
    chosen = numbers(face.top_keys(one.index(x), 3, causal=True))
    assert (chosen_by(other, x) != chosen).any()
    np.testing.assert_array_equal(chosen_by(other, x, mask=tensor(face, chosen[:, None])), chosen)


@FACE
def test_a_key_that_one_head_alone_may_see_can_be_chosen(face):
    layer, x = indexed(3)[face], tensor(face, draw(B, T, D))
    mask = np.ones((B, H, T, T), bool)
    mask[:, 0, :, 2] = False
    weights = numbers(layer(x, tensor(face, mask))[1])
    plain = numbers(layer(x)[1])
    assert (weights[:, 0, :, 2] == 0).all() and (weights[:, 1, :, 2] > 0).any()
    np.testing.assert_array_equal(weights[:, 1], plain[:, 1])


# --- its own loss ----------------------------------------------------------------------


@FACES
def test_the_loss_by_hand(face):
    """Heads that give 3/4 and 1/4 of one key: the target is (1/2, 1/2); scores ln 3 and 0 make (3/4, 1/4)."""
    weights = np.array([[[0.75, 0.25]], [[0.25, 0.75]]])
    found = face.index_loss(*to(face, np.array([[math.log(3), 0.0]]), weights))
    close(found, 0.5 * math.log(0.5 / 0.75) + 0.5 * math.log(0.5 / 0.25))
    close(face.index_loss(*to(face, np.zeros((1, 2)), weights)), 0.0)


@FACES
def test_the_loss_is_over_the_keys_that_are_seen(face):
    """A blocked key has no part on either side; a row that sees nothing adds 0."""
    score, weights = draw(T, T), np.exp(draw(H, T, T, seed=1))
    mask = draw(T, T, seed=2) > 0
    mask[3] = False
    expected = 0.0
    for t in range(T):
        seen = np.flatnonzero(mask[t] & (np.arange(T) <= t))
        if len(seen):
            target, found = weights.sum(0)[t, seen], np.exp(score[t, seen])
            target, found = target / target.sum(), found / found.sum()
            expected += (target * np.log(target / found)).sum() / T
    close(face.index_loss(*to(face, score, weights, mask), causal=True), expected)


@FACE
def test_the_output_teaches_the_indexer_nothing_and_its_loss_nothing_else(face):
    layer, x = indexed(3, index_heads=3)[face], draw(B, T, D)
    weights = layer(tensor(face, x))[1]

    def loss(x):
        return face.index_loss(layer.index(x), weights, causal=True)

    for function, learns in ((lambda x: layer(x)[0], False), (loss, True)):
        found = gradients(face, function, {"x": x}, layer)
        for name, gradient in found.items():
            assert (np.abs(gradient).max() > 0) == (name.startswith("index") is learns), name


@FACE
def test_the_loss_has_the_slope_of_the_specification(face):
    score, weights = draw(B, T, T), np.exp(draw(B, H, T, T, seed=1))
    found = gradients(face, lambda x: face.index_loss(x, tensor(face, weights), causal=True), {"score": score})["score"]
    direction, expected = slope(lambda x: reference.index_loss(x, weights, causal=True), score)
    np.testing.assert_allclose((found * direction).sum(), expected, rtol=1e-7)


def test_trained_by_its_loss_it_finds_what_the_attention_reads():
    """Of the mass that three keys could hold at best, more than random small heads do: by 100 steps of its own loss."""
    torch.manual_seed(0)
    layer = pytorch.IndexedAttention(D, H, **LATENT, index_heads=8, index_dim=8, top_k=T, scale=2.0)
    x = torch.randn(16, T, D)
    weights = layer(x)[1].detach()
    mass = weights.mean(1)

    def share():
        chosen = pytorch.top_keys(layer.index(x), 3, causal=True)
        return float(((mass * chosen).sum(-1) / mass.topk(3).values.sum(-1))[:, 3:].mean())

    before, adam = share(), torch.optim.Adam(layer.parameters(), lr=0.01)
    for _ in range(100):
        adam.zero_grad()
        pytorch.index_loss(layer.index(x), weights, causal=True).backward()
        adam.step()
    assert before < 0.7 and share() > 0.9


@FACE
def test_a_part_that_turns_otherwise_turns_the_small_heads_too(face):
    """Only distances count: whether the words stand at 0 or later, the choice is the same; with other angles not."""
    dtype = {"dtype": "float64"} if face is tf else {}
    x, chosen = tensor(face, draw(B, T, D)), []
    for frequencies in ([1.0, 0.01], [2.0, 0.5]):
        turn = face.RotaryEncoding(4, layout="interleaved", frequencies=frequencies, **dtype)
        sizes = LATENT | {"index_heads": 3, "index_dim": J, "top_k": 3, "rotary": turn, "scale": 0.5}
        layer = pair("IndexedAttention", D, H, **{k: v for k, v in sizes.items() if k != "rotary"})[0][face]
        layer.rotary = turn
        chosen.append(chosen_by(layer, x))
    np.testing.assert_array_equal(chosen[0], chosen_by(indexed(3, index_heads=3)[face], x))
    assert (chosen[0] != chosen[1]).any()


@torch.no_grad()
@pytest.mark.parametrize("absorbed", [False, True])
def test_a_step_reads_the_chosen_entries_alone(absorbed):
    """Behind 32 times as many positions the small heads' products grow alone, 2 J flops a head and position."""
    layer, found = indexed(3)[pytorch], []
    for length in (16, 512):
        cache, x = layer.new_cache(1, length + 1), torch.from_numpy(draw(1, length + 1, D))
        layer(x[:, :-1], cache=cache)
        with FlopCounterMode(display=False) as flops:
            layer(x[:, -1:], cache=cache, need_weights=False, absorbed=absorbed)
        found.append(flops.get_total_flops())
    assert 0 < found[1] - found[0] <= (512 - 16) * (2 * J + 2)
