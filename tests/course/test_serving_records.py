"""What the records of speculative decoding and of caches in fewer bits say, and how they are made."""

import both_frameworks  # noqa: F401
import numpy as np
import torch
from support import draw

from attn_course.course.labs import load_record
from experiments import cache_bits, evicted, serving, speculative


def test_tokens_a_pass_by_hand():
    """One token of the model's own, and every draft before the first refused one."""
    assert speculative.expected(0.0, 4) == 1 and speculative.expected(1.0, 4) == 5
    assert speculative.expected(0.5, 2) == 1.75
    assert np.isclose(speculative.expected(0.7, 4), (1 - 0.7**5) / (1 - 0.7))


def test_greedy_texts_were_the_models_own():
    """The whole model as its own draft had every draft accepted; the formula is within a tenth of what was counted."""
    rows = load_record("speculative")["rows"]
    assert len(rows) == 3 * len(speculative.PLAN)
    for row in rows:
        assert row["tokens_a_pass"] == round(speculative.TEXTS * speculative.WRITTEN / row["passes"], 3)
        assert row.get("exact") == (1.0 if row["temperature"] == 0 else None)
        assert (row["draft"] != "itself") or row["accepted"] == row["drafted"]
        if row["draft"] != "n-grams":  # which often find fewer drafts than are asked for
            assert abs(row["tokens_a_pass"] / row["formula"] - 1) < 0.1
        assert abs(row["formula"] - speculative.expected(row["rate"], row["num_draft"])) < 2e-3


def test_a_planted_outlier_changes_nothing_that_the_model_says():
    tokens = cache_bits.windows()[:2, :20]
    plain, other = (cache_bits.planted(size)(tokens, need_weights=False)[0] for size in (1, 16))
    torch.testing.assert_close(plain, other, rtol=1e-4, atol=1e-4)
    keys = [model.stack.layers[0].attention.key.weight for model in map(cache_bits.planted, (1, 16))]
    assert (keys[0] != keys[1]).sum() == 2 * 2 * 128  # two channels of two heads


def test_a_cache_per_token_may_read_in_one_chunk():
    model, tokens = cache_bits.planted(1), cache_bits.windows()[:3, :24]
    how = {"made": cache_bits.QuantizedKVCache, "kind": "int4"}
    one, other = (cache_bits.read(model, tokens, chunk, **how)[0] for chunk in (24, 5))
    torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3)
    assert cache_bits.windows().shape == (160, 129)


def test_a_late_cache_is_exact_until_its_block_is_full():
    """Then its keys are those of a cache that rounds each token as it comes."""
    key, value = torch.from_numpy(draw(2, 2, 3, 40, 8)).float()
    late, once = cache_bits.LateCache(2, 3, 40, 8), cache_bits.QuantizedKVCache(2, 3, 40, 8, kind="int4")
    for cache in (late, once):
        assert len(cache.write(0, 31, key[:, :, :31], value[:, :, :31])) == 2
    found, rounded = (cache.write(31, 40, key[:, :, 31:], value[:, :, 31:]) for cache in (late, once))
    for mine, theirs, given in zip(found, rounded, (key, value), strict=True):
        torch.testing.assert_close(mine[:, :, :32], theirs[:, :, :32])
        assert (mine[:, :, 32:] == given[:, :, 32:]).all() and (theirs[:, :, 32:] != given[:, :, 32:]).any()
    exact, _ = cache_bits.LateCache(2, 3, 40, 8).write(0, 31, key[:, :, :31], value[:, :, :31])
    assert (exact == key[:, :, :31]).all()


def test_what_fewer_bits_cost_in_the_record():
    """Bits by their formula, for every kind; the page compares their KL."""
    rows = load_record("cache_bits")["rows"]
    found = {tuple(row[x] for x in ("outlier", "kind", "key_per", "value_per", "rotate")): row for row in rows}
    assert set(found) == set(cache_bits.PLAN)
    for (_, kind, *per, _), row in found.items():
        if "token, late" in per:
            continue
        bits = {"int8": 8, "int4": 4, "fp8": 8}[kind]
        assert row["bits"] == bits + (16 if kind == "fp8" else 32) / 32  # 32 numbers have a scale, either way


def logits_behind(model, tokens, made):
    """(B, T, N), read token by token; what was thrown away at each is hidden from the next."""

    def step(n, kept_by):
        return model(tokens[:, n : n + 1], cache=kept_by)

    return evicted.step_by_step(step, tokens.shape[1], made)


@torch.no_grad()
def test_thrown_away_is_what_a_window_never_kept():
    """ "window" and "sinks" as the package's own ring has them, which counts the query's own key.

    "heavy" keeps so many keys, the last half among them.
    """
    model, tokens = speculative.shipped(), cache_bits.windows()[:2, :24]
    layers, sizes = model.stack.layers, (2, 24)
    for policy, options in (("window", {"window": 10}), ("sinks", {"window": 6, "sinks": evicted.SINKS})):
        found = logits_behind(model, tokens, evicted.caches(layers, policy, 9, *sizes))
        ring = model.new_cache(*sizes, **options)
        own = [model(tokens[:, n : n + 1], cache=ring)[0] for n in range(24)]
        torch.testing.assert_close(found, torch.cat(own, dim=1), rtol=1e-4, atol=1e-4)
    made = evicted.caches(layers, "heavy", 9, *sizes)
    logits_behind(model, tokens, made)
    for cache in made:
        assert (cache.alive.sum(-1) == 9).all() and cache.alive[..., -4:].all()
        assert (cache.alive[..., :-4] != (torch.arange(20) >= 15)).any()


def test_nobody_is_served_before_coming():
    """Both ways write each request's tokens one after the other, behind its arrival."""
    model, asked, arrive = serving.load_glassllm(), [([5, 6, 7], 3), ([8] * 9, 5), ([9], 2)], [0.0, 1e-4, 9e3]
    for way in (serving.engine_over_time, serving.static_over_time):
        times = way(model, asked, arrive, at_once=2)
        assert [len(each) for each in times] == [3, 5, 2]
        for each, begin in zip(times, arrive, strict=True):
            assert each[0] > begin and (np.diff(each) > 0).all()
        assert times[1][-1] < 9e3 < times[2][0]
