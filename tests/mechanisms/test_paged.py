"""The cache in blocks against one in one piece: whatever a server does with it, and what a pool refuses."""

import math

import numpy as np
import pytest
from support import FACE, build, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.core.paged import pytorch as paged_torch, tf as paged_tf
from attn_course.frameworks import tf as tensorflow, torch

PAGED = {pytorch: paged_torch, tf: paged_tf}
H, G, K, V, P = 6, 3, 5, 7, 4


def make(face, blocks, dtype="float64", **options):
    dtype = getattr(torch, dtype) if face is pytorch else dtype
    return face.BlockPool(blocks, G, K, V, dtype=dtype, **{"block_size": P, **options})


def chunk(rng, T, batch=1):
    return rng.normal(size=(batch, G, T, K)), rng.normal(size=(batch, G, T, V))


def append(face, cache, *arrays):
    cache.append(*(tensor(face, x) for x in arrays))


def holds(face, cache, key, value):
    """What is in the blocks, read where the table says."""
    table, length = np.asarray(cache.table), int(cache.length)
    for row, store, expected in ((r, s, e) for s, e in ((cache.key, key), (cache.value, value)) for r in range(len(e))):
        blocks = np.asarray(store).reshape(-1, P, *store.shape[1:])[table[row]]
        found = blocks.reshape(-1, *store.shape[1:])[:length]
        np.testing.assert_array_equal(found.swapaxes(0, 1), expected[row])


def consistent(pool, caches):
    """Every block is free once, or has as many holders as tables name it."""
    blocks = len(np.asarray(pool.stack))
    count = np.zeros(blocks, int)
    for cache in caches:
        held = np.asarray(cache.held())
        assert held.size == cache.used
        np.add.at(count, held.ravel(), 1)
    np.testing.assert_array_equal(np.asarray(pool.holders), count)
    free = np.asarray(pool.stack)[: int(pool.num_free)]
    assert sorted(free) == [int(n) for n in np.flatnonzero(count == 0)]


@FACE
def test_three_hundred_steps_of_a_server(face):
    """Add, read a prompt, decode, fork and free at random: always what a cache in one piece holds."""
    rng, pool, alive = np.random.default_rng(3), make(face, 23), []
    capacity, done, refused = 61, dict.fromkeys(("add", "write", "fork", "free", "attend"), 0), 0
    for _ in range(300):
        step = rng.choice(["add", "write", "fork", "free", "attend"], p=[0.2, 0.45, 0.12, 0.15, 0.08])
        if step == "add":
            alive.append((pool.new_cache(capacity), np.zeros((1, G, 0, K)), np.zeros((1, G, 0, V))))
        elif not alive:
            continue
        n = rng.integers(len(alive))
        cache, key, value = alive[n]
        if step == "write":
            T = int(rng.choice([1, 1, 1, 2, 7]))
            more = chunk(rng, T)
            free, length = int(pool.num_free), int(cache.length)
            if length + T > capacity:
                continue
            try:
                append(face, cache, *more)
            except ValueError as error:
                assert "free blocks, got" in str(error)
                assert (int(pool.num_free), int(cache.length)) == (free, length)
                refused += 1
                holds(face, cache, key, value)
                continue
            alive[n] = cache, *(np.concatenate(pair, axis=2) for pair in zip((key, value), more, strict=True))
        elif step == "fork":
            alive.append((cache.fork(), key, value))
        elif step == "free":
            cache.free()
            del alive[n]
        elif step == "attend" and any(int(c.length) for c, _, _ in alive):
            some = [x for x in alive if int(x[0].length)]
            query = rng.normal(size=(len(some), H, 1, K))
            found = face.paged_attention(tensor(face, query), [c for c, _, _ in some])
            for row, (_, own_key, own_value) in enumerate(some):
                expected, _ = reference.grouped_query_attention(query[row : row + 1], own_key, own_value)
                np.testing.assert_allclose(found[row], expected[0], rtol=1e-10, atol=1e-12)
        done[step] += 1
        if step in ("write", "fork"):
            for other in alive:  # a write behind a fork must not reach the other
                holds(face, *other)
        consistent(pool, [c for c, _, _ in alive])
    assert refused >= 5 and min(done.values()) >= 15, (refused, done)


@FACE
@pytest.mark.parametrize("T", [1, 6])
@pytest.mark.parametrize("turns", [None, 1, 2, 4, 9, 40])
def test_attention_over_blocks_is_attention_over_a_copy(face, T, turns, monkeypatch):
    """Sequences of different lengths in one call; the last T positions of each ask, and see what is before them.

    In parts, the last ones of the short sequences see nothing. One key is huge, and stands in a later block.
    """
    if turns:
        monkeypatch.setattr(PAGED[face], "turns_of", lambda *sizes: turns)
    rng, pool = np.random.default_rng(4), make(face, 40)
    caches, pasts = [], []
    for length in (6, 8, 19, 33):
        caches.append(pool.new_cache(37))
        pasts.append(chunk(rng, length))
        pasts[-1][0][..., 13:14, :] *= 400
        append(face, caches[-1], *pasts[-1])
    query = rng.normal(size=(4, H, T, K)) * 3
    for scale in (None, 0.3, 30.0):
        found = face.paged_attention(tensor(face, query), caches, scale=scale)
        for row, past in enumerate(pasts):
            own = query[row : row + 1] * (1 if scale is None else scale * math.sqrt(K))
            expected, _ = reference.grouped_query_attention(own, *past, causal=True)
            np.testing.assert_allclose(found[row], expected[0], rtol=1e-9, atol=1e-11)


@FACE
def test_each_sequence_has_its_own_number_of_queries(face):
    """In one call, of blocks by number: what a prompt in pieces and those who write one token ask at once."""
    rng, pool, T = np.random.default_rng(12), make(face, 40), 6
    pasts, counts, tables = [chunk(rng, length) for length in (6, 8, 3, 33)], (6, 1, 3, 0), []
    for past in pasts:
        cache = pool.new_cache(37)
        append(face, cache, *past)
        tables.append(np.asarray(cache.table)[0])
    length, table, count = (np.array(x, tables[0].dtype) for x in ([6, 8, 3, 33], tables, counts))
    query, blocks = rng.normal(size=(4, H, T, K)), (pool, tensor(face, table), tensor(face, length))
    found = face.paged_attention(tensor(face, query), blocks, count=tensor(face, count))
    assert not np.asarray(found[3]).any()
    for row, (past, own) in enumerate(zip(pasts[:3], counts[:3], strict=True)):
        np.testing.assert_array_equal(found[row, :, : T - own], 0.0)
        expected, _ = reference.grouped_query_attention(query[row : row + 1, :, T - own :], *past, causal=True)
        np.testing.assert_allclose(found[row, :, T - own :], expected[0], rtol=1e-10, atol=1e-12)
    for wrong in ([6, 1, 4, 0], [7, 1, 1, 1], [-1, 1, 1, 1]):
        with pytest.raises(ValueError, match=r"count must be from 0 to T = 6 and to the lengths \[6, 8, 3, 33\], got"):
            face.paged_attention(tensor(face, query), blocks, count=tensor(face, np.array(wrong, table.dtype)))


@FACE
def test_half_precision_is_summed_in_single(face):
    """3,000 positions of value 1 have the mean 1; summed in 16 bits they would not."""
    pool = make(face, 750, dtype="float16")
    cache = pool.new_cache(3000)
    append(face, cache, np.zeros((1, G, 3000, K), "float16"), np.ones((1, G, 3000, V), "float16"))
    found = face.paged_attention(tensor(face, np.ones((1, H, 1, K), "float16")), [cache])
    assert str(found.dtype).replace("<dtype: '", "").endswith(("float16", "float16'>"))
    np.testing.assert_array_equal(found, np.ones((1, H, 1, V)))


@FACE
def test_what_is_allocated(face):
    """The pool's bytes are those of its arrays, less than the longest length for all; a fork costs one block."""
    pool = make(face, 12, dtype="float32")
    assert pool.nbytes == 12 * P * G * (K + V) * 4 == sum(np.asarray(x).nbytes for x in (pool.key, pool.value))
    whole = face.KVCache(4, G, 40, K, V, **({"dtype": torch.float32} if face is pytorch else {}))
    assert pool.nbytes < whole.nbytes
    rng = np.random.default_rng(6)
    cache = pool.new_cache(40)
    append(face, cache, *(x.astype("float32") for x in chunk(rng, 18)))
    assert int(pool.num_free) == 7 and cache.nbytes == 5 * P * G * (K + V) * 4
    other = cache.fork()
    assert int(pool.num_free) == 7
    append(face, other, *(x.astype("float32") for x in chunk(rng, 1)))
    assert int(pool.num_free) == 6  # the block that was partly filled, and no other
    append(face, cache, *(x.astype("float32") for x in chunk(rng, 1)))
    assert int(pool.num_free) == 6  # now its own
    cache.free()
    assert int(pool.num_free) == 7 and int(cache.length) == 0
    other.free()
    assert int(pool.num_free) == 12 and not np.asarray(pool.holders).any()


@FACE
def test_a_layer_decodes_three_requests_from_one_pool(face):
    """Each cache is a ``cache=`` of a layer; what is shared after a fork is read once."""
    layer = face.GroupedQueryAttention(12, 6, num_kv_heads=3)
    rng = np.random.default_rng(7)
    x = rng.normal(size=(1, 15, 12)).astype("float32")
    y = np.concatenate([x[:, :9], rng.normal(size=(1, 6, 12)).astype("float32")], axis=1)
    pool = face.BlockPool(9, 3, 2, block_size=P)
    first, options = pool.new_cache(15), {"causal": True, "need_weights": False}
    layer(tensor(face, x[:, :9]), cache=first, **options)
    second = first.fork()
    for sequence, cache in ((x, first), (y, second)):
        whole = layer(tensor(face, sequence), **options)[0]
        for t in range(9, 15):
            found = layer(tensor(face, sequence[:, t : t + 1]), cache=cache, **options)[0]
            np.testing.assert_allclose(numbers(found)[:, 0], numbers(whole)[:, t], rtol=1e-5, atol=1e-6)


@FACE
def test_all_layers_of_a_model_take_from_one_pool(face):
    """It writes what it writes with caches of its own; what a pool can not keep is refused by name."""
    dtype = {"dtype": "float64"} if face is tf else {}
    grouped = lambda _: face.GroupedQueryAttention(12, 6, num_kv_heads=3, **dtype)  # noqa: E731
    model = build(face, "LanguageModel", 11, 2, 12, 6, 7, positions="sinusoidal", attention=grouped)
    prompt, how = tensor(face, np.array([[3, 1, 4, 1, 5]])), {"max_tokens": 8, "temperature": 0.0}
    pool = face.BlockPool(7, 3, 2, block_size=P, dtype=torch.float64 if face is pytorch else "float64")
    cache = model.new_cache(1, 12, pool=pool)
    found = [int(x[0]) for x in face.generate(model, prompt, cache=cache, **how)]
    assert found == [int(x[0]) for x in face.generate(model, prompt, **how)]
    assert int(pool.num_free) == 1 and len({*np.asarray([c.held() for c in cache]).ravel().tolist()}) == 6
    consistent(pool, cache)
    for one in cache:
        one.free()
    consistent(pool, [])
    latent = face.LatentAttention(12, 6, latent_dim=5, rope_dim=2, key_dim=3, value_dim=3)
    assert latent.new_cache(2, 9, pool=face.BlockPool(9, 1, 7, 0, block_size=P)).table.shape == (2, 3)
    for layer, words in (
        (face.MultiHeadAttention(12, 6), r"pool must have .* = \(6, 2, 2\), got \(3, 2, 2\)"),
        (face.SlidingWindowAttention(12, 6, window=3), "window is not supported by a cache in blocks"),
        (face.LinearAttention(12, 6), "pool is not supported by LinearAttention"),
    ):
        with pytest.raises(ValueError, match=words):
            layer.new_cache(1, 12, pool=pool)


@FACE
def test_going_back_into_a_shared_block(face):
    """No block is lost, and what is written then is the writer's alone, though it had its own last block before."""
    rng, pool = np.random.default_rng(10), make(face, 9)
    cache, past = pool.new_cache(20), chunk(rng, 10)
    append(face, cache, *past)
    other, more = cache.fork(), chunk(rng, 7)
    append(face, cache, *more)
    for length in (9, 5, 4, 3):
        cache.truncate(length)
        kept = [x[:, :, :length] for x in past]
        holds(face, cache, *kept)
        append(face, cache, *(x[:, :, :2] for x in more))
        holds(face, cache, *(np.concatenate([a, b[:, :, :2]], axis=2) for a, b in zip(kept, more, strict=True)))
        holds(face, other, *past)
        consistent(pool, [cache, other])
    for length, words in ((6, "length must be at most 5, what is kept, got 6"), (-1, "at least 0"), (1.5, "whole")):
        with pytest.raises(ValueError, match=words):
            cache.truncate(length)
    cache.free()
    other.truncate(0)
    consistent(pool, [])


@FACE
def test_a_pool_counts_what_is_named(face):
    """Twice in one call is twice, and an error leaves all as it was: more than there is, a block that nobody holds."""
    pool = make(face, 3)
    two = pool.take(2)
    twice = tensor(face, np.repeat(np.asarray(two), 2))
    pool.hold(twice)
    assert [int(n) for n in np.asarray(pool.holders)[np.asarray(two)]] == [3, 3]
    pool.release(twice)
    for act, words in (
        (lambda: pool.take(2), "pool must have 2 free blocks, got 1"),
        (lambda: pool.release(twice), "blocks must have a holder for each time they are named, got"),
        (lambda: pool.hold(tensor(face, np.array([0, 1, 2], twice.numpy().dtype))), "named, got .*2"),
    ):
        with pytest.raises(ValueError, match=words):
            act()
        assert [int(n) for n in np.asarray(pool.holders)] == [1, 1, 0] and int(pool.num_free) == 1
    pool.release(two)
    assert sorted(np.asarray(pool.stack)) == [0, 1, 2] and int(pool.num_free) == 3


@FACE
@pytest.mark.parametrize("size", [1, 4, 19])
def test_rows_go_on_from_others(face, size):
    """As a beam does at every token: always what whole caches do, and never more blocks than one row each needs."""
    rng, batch, capacity = np.random.default_rng(11), 3, 18
    dtype = {"dtype": torch.float64 if face is pytorch else "float64"}
    cache = face.PagedKVCache(batch, G, capacity, K, V, block_size=size, **dtype)
    whole = face.KVCache(batch, G, capacity, K, V, **dtype)
    for _ in range(capacity):
        more = [tensor(face, x) for x in chunk(rng, 1, batch)]
        for one, other in zip(cache.update(*more), whole.update(*more), strict=True):
            np.testing.assert_array_equal(one, other)
        rows = tensor(face, rng.integers(0, batch, batch))
        cache.take(rows)
        whole.take(rows)
        consistent(cache.pool, [cache])
    cache.free()
    consistent(cache.pool, [])


@FACE
def test_refusals_say_what_is_wrong(face):
    """By name, with what was found; an empty pool leaves the cache as it was."""
    pool, rng = make(face, 2), np.random.default_rng(8)
    cache = pool.new_cache(20)
    append(face, cache, *chunk(rng, 3))
    with pytest.raises(ValueError, match="pool must have 2 free blocks, got 1"):
        append(face, cache, *chunk(rng, 8))
    assert int(cache.length) == 3 and int(pool.num_free) == 1
    with pytest.raises(ValueError, match="query must have at most 3 positions, as many as its cache, got 4"):
        face.paged_attention(tensor(face, rng.normal(size=(1, H, 4, K))), [cache])
    with pytest.raises(ValueError, match="query must have a multiple of 3 heads, got 4"):
        face.paged_attention(tensor(face, rng.normal(size=(1, 4, 1, K))), [cache])
    with pytest.raises(ValueError, match="caches must share one pool, got several"):
        other = make(face, 2).new_cache(20)
        face.paged_attention(tensor(face, rng.normal(size=(2, H, 1, K))), [cache, other])
    with pytest.raises(ValueError, match="caches must be at least 1, got 0"):
        face.paged_attention(tensor(face, rng.normal(size=(1, H, 1, K))), [])
    with pytest.raises(ValueError, match=r"pool must have num_kv_heads, key_dim, value_dim = \(3, 5, 5\), got"):
        face.PagedKVCache(1, G, 20, K, pool=pool)
    for wrong in ({"blocks": 0}, {"block_size": 0}, {"num_kv_heads": 0}, {"key_dim": 0}):
        sizes = {"blocks": 1, "num_kv_heads": 1, "key_dim": 1, "block_size": 1} | wrong
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be at least 1, got 0"):
            face.BlockPool(**sizes)


def test_a_fork_inside_tf_function():
    """The graph looks itself whether somebody else holds the last block, also if it was traced before the fork."""
    rng, pool = np.random.default_rng(9), make(tf, 9)
    cache = pool.new_cache(20)
    past = chunk(rng, 6)

    @tensorflow.function(reduce_retracing=True)
    def write(key, value):
        cache.append(key, value)

    write(*(tensor(tf, x) for x in past))
    other = cache.fork()
    more = chunk(rng, 1)
    write(*(tensor(tf, x) for x in more))
    holds(tf, other, *past)
    holds(tf, cache, *(np.concatenate(pair, axis=2) for pair in zip(past, more, strict=True)))
    with pytest.raises(tensorflow.errors.InvalidArgumentError, match="pool is empty"):
        for _ in range(10):
            small = pool.new_cache(20)
            tensorflow.function(small.append)(*(tensor(tf, x) for x in chunk(rng, 9)))
