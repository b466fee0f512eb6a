"""What is often said of attention and is wrong, as code: each wrong version fails where the right one passes.

The page "Often said, and wrong" names these tests, beside many that stand with their mechanism.
"""

import math

import numpy as np
import pytest
from support import close, draw
from torch.utils.flop_counter import FlopCounterMode

from attn_course import pytorch, reference
from attn_course.course.labs import load_record
from attn_course.frameworks import torch
from attn_course.masks import causal_mask, sliding_window_mask

attend = reference.scaled_dot_product_attention


def means(name, *keys, value):
    """The runs of a record as lists, by what they differ in."""
    found = {}
    for row in load_record(name)["rows"]:
        found.setdefault(tuple(row[key] for key in keys), []).append(row[value])
    return found


def products(function, *arguments, **options):
    """Multiplications and additions of all matrix products of a call."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        function(*arguments, **options)
    return counter.get_total_flops()


# --- what a weight says ----------------------------------------------------------------


def test_other_weights_give_the_same_output():
    """Weights are no proof of a reason: with more keys than columns, others give the very same output."""
    query, key, value = draw(1, 1, 1, 4), draw(1, 1, 7, 4, seed=1), draw(1, 1, 7, 3, seed=2)
    output, weights = attend(query, key, value)
    # A direction in which neither the output nor the sum of the weights changes.
    constraints = np.concatenate([value[0, 0].T, np.ones((1, 7))])
    direction = np.linalg.svd(constraints)[2][-1]
    step = 0.9 * min(w / -d for w, d in zip(weights[0, 0, 0], direction, strict=True) if d < 0)
    other = weights[0, 0, 0] + step * direction
    assert other.min() >= 0 and np.abs(other - weights[0, 0, 0]).sum() > 0.1
    close(other @ value[0, 0], output[0, 0, 0])
    close(other.sum(), 1.0)


def test_a_fixed_vector_is_the_same_for_every_query():
    """An encoder's one vector as key and value: the weight is 1, and no query can ask for anything else."""
    query, memory = draw(1, 1, 5, 8), draw(1, 1, 6, 8, seed=1)
    fixed = memory.mean(-2, keepdims=True)
    same, weights = attend(query, fixed, fixed)
    assert (weights == 1).all() and np.ptp(same, axis=-2).max() == 0
    assert np.ptp(attend(query, memory, memory)[0], axis=-2).min() > 0.1


def test_one_head_may_look_across():
    """One head does not make self-attention: where the keys come from does."""
    layer = pytorch.MultiHeadAttention(8, 1).double()
    x, memory = torch.from_numpy(draw(2, 5, 8)), torch.from_numpy(draw(2, 7, 8, seed=1))
    across, weights = layer(x, memory)
    assert weights.shape == (2, 1, 5, 7)
    with pytest.raises(AssertionError):
        close(across, layer(x)[0])


# --- order and length ------------------------------------------------------------------


@pytest.mark.parametrize("layers", [1, 2])
def test_a_causal_stack_without_positions_knows_the_order(layers):
    """One causal layer does not; two do, as the first tells each position how much stands before it."""
    torch.manual_seed(0)
    stack = [pytorch.MultiHeadAttention(8, 2).double() for _ in range(layers)]

    def last(x):
        for layer in stack:
            x = x + layer(x, causal=True)[0]
        return x[:, -1]

    x = torch.from_numpy(draw(1, 6, 8))
    moved = x[:, [3, 0, 2, 1, 4, 5]]
    apart = (last(moved) - last(x)).abs().max().item()
    assert apart < 1e-12 if layers == 1 else apart > 1e-3


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary"])
def test_beyond_the_training_it_gets_worse(positions):
    """Six runs of a record: more bits per character at four and at eight times the length."""
    bits = means("length", "positions", "windows", "length", value="bits")
    trained = bits[positions, "sliding", 64]
    for length in (256, 512):
        assert min(bits[positions, "sliding", length]) > 1.5 * max(trained)


def test_alibi_gains_only_where_windows_stand_apart():
    """Longer windows show fewer characters without a past; slid along, the gain is gone."""
    bits = means("length", "positions", "windows", "length", value="bits")
    for seed in range(3):
        assert bits["alibi", "apart", 512][seed] < bits["alibi", "apart", 64][seed]
        assert bits["alibi", "sliding", 512][seed] > bits["alibi", "sliding", 64][seed]


def test_steady_bits_are_not_a_far_sight():
    """A window keeps the loss of the training at any length, and finds almost no key."""
    found = means("longer", "positions", "change", "length", value="found")
    bits = means("longer", "positions", "change", "length", value="bits")
    near, far = ("rotary", "window", 64), ("rotary", "window", 512)
    assert np.mean(bits[far]) < np.mean(bits[near]) + 0.1
    assert min(found[near]) > 0.95 and max(found[far]) < 0.1


# --- cost ------------------------------------------------------------------------------


def test_a_mask_saves_no_operation():
    heads = [torch.randn(1, 2, 512, 16) for _ in range(3)]
    mask = torch.from_numpy(sliding_window_mask(512, 512, 16, True))
    whole = products(pytorch.scaled_dot_product_attention, *heads)
    assert products(pytorch.scaled_dot_product_attention, *heads, mask) == whole
    assert products(pytorch.sliding_window_attention, *heads, 16, causal=True) < 0.5 * whole


def test_shared_key_heads_save_no_operation():
    """Fewer key heads make the cache smaller; each query head still scores every key."""
    query = torch.randn(1, 8, 64, 16)
    counts = {
        groups: products(pytorch.grouped_query_attention, query, *[torch.randn(1, groups, 64, 16)] * 2)
        for groups in (8, 2, 1)
    }
    assert len(set(counts.values())) == 1


def test_a_larger_batch_uses_no_key_twice():
    """Operations per number read: those of a linear layer grow with the batch, those of attention to a cache don't."""
    linear, attention = [], []
    for batch in (1, 8):
        query, key, value = torch.randn(batch, 4, 1, 16), *torch.randn(2, batch, 4, 64, 16)
        weight = torch.randn(64, 64)
        linear.append(products(torch.nn.functional.linear, torch.randn(batch, 64), weight) / weight.numel())
        done = products(pytorch.scaled_dot_product_attention, query, key, value)
        attention.append(done / (key.numel() + value.numel()))
    assert linear[1] == 8 * linear[0] and attention[1] == attention[0]


def test_speculative_decoding_keeps_the_distribution():
    """For any draft; drawn from the large model's distribution itself after a refusal, it would be another."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        large, draft = rng.dirichlet(np.ones(5), size=2)
        kept = draft * np.minimum(1, large / draft)
        left = np.maximum(0, large - draft)
        close(kept + (1 - kept.sum()) * left / left.sum(), large)
        assert np.abs(kept + (1 - kept.sum()) * large - large).max() > 1e-3
        assert np.abs(draft - large).max() > 1e-2


def test_self_attention_costs_less_than_recurrence_only_for_short_texts():
    """n^2 d against n d^2: which is less changes where n is d."""
    d = 64
    for n in (32, 128):
        pairs = products(pytorch.scaled_dot_product_attention, *[torch.randn(1, 1, n, d)] * 3)
        cell = torch.nn.RNNCell(d, d)
        recurrent = n * products(cell, torch.randn(1, d), torch.randn(1, d))
        assert (pairs < recurrent) == (n < d)


def test_a_state_against_a_cache():
    """Hundreds of times faster than computing all anew; beside a cache, at batch 1, less than four times."""
    times = means("decoding", "way", "batch", "context", value="milliseconds")
    state, cache, anew = (np.median(times[way, 1, 4096]) for way in ("state", "cache", "recompute"))
    assert anew / state > 100 and 1 < cache / state < 4
    assert np.median(times["state", 1, 64]) > np.median(times["cache", 1, 64])


def test_the_published_share_of_the_latent_cache_has_three_causes():
    """93.3% is fewer layers, a latent, and 6 bits in place of 16; at equal precision it is 82.2%."""
    before, after = 2 * 8 * 128 * 95, (512 + 64) * 60
    assert round(100 * (1 - after * 6 / (before * 16)), 1) == 93.3
    assert round(100 * (1 - after / before), 1) == 82.2
    assert round(100 * (1 - (512 + 64) / (2 * 128 * 128)), 1) == 98.2


# --- what stands in for the softmax ----------------------------------------------------


def test_elu_features_are_no_estimate_of_the_softmax():
    """Random features come near the softmax's weights, elu + 1 does not, and was not meant to."""
    query, key = (0.5 * draw(1, 1, 64, 16, seed=seed) for seed in (0, 1))
    value = np.eye(64)[None, None]
    exact = attend(query, key, value)[1]
    linear = reference.linear_attention(query, key, value)[0]
    features = reference.performer_attention(query, key, value, num_features=1024, seed=0)[0]
    apart = [np.abs(found - exact).sum(-1).mean() for found in (linear, features)]
    assert apart[1] < 0.5 * apart[0]


def test_more_random_features_do_not_help_large_norms():
    """1 / sqrt(m) at small norms; at larger ones no better than equal weights."""
    error = means("features", "kind", "sigma", "features", value="error")
    small = [np.median(error["positive", 0.25, m]) for m in (16, 1024)]
    assert small[1] < small[0] / 5
    assert min(np.median(error["positive", 1.0, m]) for m in (16, 64, 256, 1024)) >= 1


# --- training and heads ----------------------------------------------------------------


def test_a_smoothed_loss_has_its_lowest_point_before_certainty():
    """So smoothing cannot lower perplexity: it asks for less than all."""
    sure = np.linspace(0, 12, 241)
    logits = np.stack([sure, *[np.zeros_like(sure)] * 9], axis=-1)[None]
    targets = np.zeros((1, len(sure)), int)
    smoothed = np.asarray(reference.label_smoothing(logits, targets, smoothing=0.1))[0]
    plain = np.asarray(reference.label_smoothing(logits, targets, smoothing=0.0))[0]
    assert 0 < smoothed.argmin() < len(sure) - 1 and plain.argmin() == len(sure) - 1


def test_many_heads_can_go():
    """Of 96 trained heads, ten cut in the best order cost nothing that 95% intervals would show."""
    cut = [row for row in load_record("reactions")["cut"] if row["order"] == "least harm"]
    whole = next(row for row in cut if row["cut"] == 0)["right"]
    ten = next(row for row in cut if row["cut"] == 10)["right"]
    assert ten[0] >= whole[1]


def test_one_key_head_is_not_free():
    """After the same training a model converted to one key head has a higher loss than with two, in every run."""
    loss = means("uptrain", "kv_heads", "method", "step", value="loss")
    one, two, whole = (loss[heads] for heads in ((1, "mean", 50), (2, "mean", 50), (6, "none", 50)))
    assert all(a > b > c for a, b, c in zip(one, two, whole, strict=True))


def test_the_norm_after_the_sum_needs_a_warm_up():
    """At the highest common rate: with the norm after the sum the runs without warm-up end far above those with."""
    rows = [row for row in load_record("norms")["rows"] if row["rate"] == 0.003]
    ends = {(row["norm"], row["warm_up"], row["framework"], row["seed"]): np.mean(row["loss"][-5:]) for row in rows}
    for run in {key[2:] for key in ends}:
        assert ends["post", False, *run] > 1.3 * ends["post", True, *run]
        assert ends["pre", False, *run] < 1.1 * ends["pre", True, *run]


def test_a_softmax_over_the_wrong_axis_fits_every_square():
    """Shapes say nothing where T = S: rows have to sum to 1."""
    query, key, value = draw(1, 2, 6, 4), draw(1, 2, 6, 4, seed=1), draw(1, 2, 6, 4, seed=2)
    score = query @ key.swapaxes(-1, -2) / math.sqrt(4)
    score = np.where(causal_mask(6, 6), score, -np.inf)
    wrong = np.exp(score) / np.exp(score).sum(-2, keepdims=True)
    right_output, right = attend(query, key, value, causal=True)
    assert wrong.shape == right.shape and (wrong @ value).shape == right_output.shape
    assert np.abs(right.sum(-1) - 1).max() < 1e-12 < 0.1 < np.abs(wrong.sum(-1) - 1).max()
