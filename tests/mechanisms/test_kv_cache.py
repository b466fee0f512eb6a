"""The cache against a list: what a chunk may see, in what order, in how many bytes; and attention through it."""

import math

import numpy as np
import pytest
from support import FACE, build, gradients, tensor

from attn_course import pytorch, tf
from attn_course.frameworks import torch
from attn_course.masks import causal_mask

B, H, G, S, K, V = 2, 6, 3, 17, 5, 7
CHUNKS = pytest.mark.parametrize("chunks", [(1,) * S, (S,), (3, 7, 2, 5), (1, 13, 1, 1, 1)], ids=str)
KINDS = {
    "whole": {},
    "window": {"window": 4},
    "window of one": {"window": 1},
    "sinks": {"window": 4, "sinks": 2},
    "many sinks": {"window": 3, "sinks": 6},
    "window beyond the end": {"window": 23, "sinks": 3},
    "paged": {"block_size": 4},
    "one block": {"block_size": 19},
    "blocks of one": {"block_size": 1},
}
KIND = pytest.mark.parametrize("kind", KINDS)


def make(face, kind, capacity=S, value_dim=V, dtype="float64"):
    made = face.PagedKVCache if "block_size" in KINDS[kind] else face.KVCache
    dtype = getattr(torch, dtype) if face is pytorch else dtype
    return made(B, G, capacity, K, value_dim, dtype=dtype, **KINDS[kind])


def draw(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(B, H, S, K)), rng.normal(size=(B, G, S, K)), rng.normal(size=(B, G, S, V))


def spans(chunks):
    start = 0
    for size in chunks:
        yield start, start + size
        start += size


def seen(start, end, kind):
    """The positions that a chunk start .. end - 1 may see, one by one."""
    window, sinks = KINDS[kind].get("window", math.inf), KINDS[kind].get("sinks", 0)
    return [p for p in range(end) if p < sinks or p > start - window]


def window_mask(kind):
    """Who may see whom in the whole sequence, by the definition."""
    window, sinks = KINDS[kind].get("window", math.inf), KINDS[kind].get("sinks", 0)
    return np.array([[i - j < window or j < sinks for j in range(S)] for i in range(S)])


def bytes_of(kind, length, size):
    """The formula: two tensors, so many positions."""
    options = KINDS[kind]
    if "block_size" in options:
        positions = math.ceil(length / options["block_size"]) * options["block_size"]
    else:
        positions = min(S, options["window"] + options.get("sinks", 0)) if "window" in options else S
    return B * G * positions * (K + V) * size


@FACE
@KIND
@CHUNKS
def test_what_a_chunk_may_see(face, kind, chunks):
    """Position 0 among it, in the order of the positions; twice, to see that ``reset`` forgets."""
    _, key, value = draw()
    cache = make(face, kind)
    for _ in range(2):
        for start, end in spans(chunks):
            found = cache.update(tensor(face, key[:, :, start:end]), tensor(face, value[:, :, start:end]))
            positions = seen(start, end, kind)
            np.testing.assert_array_equal(found[0], key[:, :, positions])
            np.testing.assert_array_equal(found[1], value[:, :, positions])
            assert int(cache.length) == end and cache.nbytes == bytes_of(kind, end, 8)
        cache.reset()
        assert int(cache.length) == 0


@FACE
@pytest.mark.parametrize("kind", ["whole", "sinks", "many sinks", "paged"])
@pytest.mark.parametrize("chunks", [(5, 1, 1, 1, 1, 1, 1, 1, 4, 1), (2, 15)], ids=str)
@pytest.mark.parametrize("masked", [None, "left", "right", "rows"])
def test_attention_chunk_by_chunk_is_attention_at_once(face, kind, chunks, masked):
    """With a mask over all keys so far, and a bias; the weights stand at the positions that are seen."""
    query, key, value = draw()
    rng = np.random.default_rng(1)
    positions = np.arange(S)
    padding = {"left": positions >= np.array([[4], [0]]), "right": (positions < 3) | (positions > np.array([[8], [2]]))}
    mask = rng.random((B, 1, S, S)) < 0.7 if masked == "rows" else None
    mask = padding[masked][:, None, None] if masked in padding else mask
    bias = rng.normal(size=(H, S, S))
    allowed = window_mask(kind) & causal_mask(S, S)
    allowed = allowed if mask is None else allowed & mask
    at_once = face.grouped_query_attention(
        *(tensor(face, x) for x in (query, key, value, allowed)), bias=tensor(face, bias)
    )
    cache = make(face, kind)
    for start, end in spans(chunks):
        rows = None if mask is None else mask[..., start:end, :end] if masked == "rows" else mask[..., :end]
        rows = rows if rows is None else tensor(face, rows)
        own_mask, own_bias = cache.limit(end - start, rows, tensor(face, bias[:, start:end, :end]))
        keys, values = cache.update(tensor(face, key[:, :, start:end]), tensor(face, value[:, :, start:end]))
        found = face.grouped_query_attention(
            tensor(face, query[:, :, start:end]), keys, values, own_mask, bias=own_bias, causal=True
        )
        np.testing.assert_allclose(found[0], at_once[0][:, :, start:end], rtol=1e-10, atol=1e-12)
        expected = np.asarray(at_once[1])[:, :, start:end][..., seen(start, end, kind)]
        np.testing.assert_allclose(found[1], expected, rtol=1e-10, atol=1e-12)


@FACE
@pytest.mark.parametrize("chunks", [(5, *(1,) * 12), (3, 14)], ids=str)
@pytest.mark.parametrize("kind", ["paged", "one block", "blocks of one"])
def test_paged_is_contiguous_bit_for_bit(face, kind, chunks):
    """And a sequence wastes less than a block; the blocks of two sequences alternate."""
    query, key, value = draw()
    caches = make(face, kind), make(face, "whole")
    size = KINDS[kind]["block_size"]
    for start, end in spans(chunks):
        chunk = [tensor(face, x[:, :, start:end]) for x in (query, key, value)]
        options = {"causal": True, "need_weights": False}
        one, other = (face.grouped_query_attention(chunk[0], *c.update(*chunk[1:]), **options)[0] for c in caches)
        np.testing.assert_array_equal(one, other)
        wasted = caches[0].nbytes - 8 * B * G * end * (K + V)
        assert 0 <= wasted < 8 * B * G * size * (K + V)
    used = int(caches[0].used)
    table = np.asarray(caches[0].table)[:, : used // B]
    assert sorted(table.ravel()) == list(range(used))


@FACE
@KIND
def test_going_back(face, kind):
    """What is written then stands behind what was kept; a window has given that up, and refuses."""
    _, key, value = draw()
    cache = make(face, kind)
    cache.update(tensor(face, key[:, :, :11]), tensor(face, value[:, :, :11]))
    if "window" in KINDS[kind]:
        with pytest.raises(ValueError, match=f"cache can't go back in a window of {KINDS[kind]['window']}"):
            cache.truncate(9)
        assert int(cache.length) == 11
        return
    cache.truncate(6)
    assert int(cache.length) == 6 and cache.nbytes == bytes_of(kind, 6, 8)
    found = cache.update(tensor(face, key[:, :, 12:15]), tensor(face, value[:, :, 12:15]))
    for one, whole in zip(found, (key, value), strict=True):
        np.testing.assert_array_equal(one, whole[:, :, [*range(6), 12, 13, 14]])
    with pytest.raises(ValueError, match="length must be at most 9, what is kept, got 10"):
        cache.truncate(10)


@FACE
def test_a_window_needs_no_capacity(face):
    """A stream without an end, in the memory of the window."""
    cache = make(face, "sinks", capacity=None)
    _, key, value = draw()
    for start in range(40):
        row = slice(start % S, start % S + 1)
        keys, _ = cache.update(tensor(face, key[:, :, row]), tensor(face, value[:, :, row]))
        wanted = [p % S for p in seen(start, start + 1, "sinks")]
        np.testing.assert_array_equal(keys, key[:, :, wanted])
    assert cache.nbytes == 8 * B * G * 6 * (K + V)


@FACE
@pytest.mark.parametrize(("dtype", "size"), [("float64", 8), ("float32", 4), ("bfloat16", 2), ("float16", 2)])
def test_bytes_follow_dtype_and_heads(face, dtype, size):
    cache = make(face, "whole", dtype=dtype)
    assert cache.nbytes == bytes_of("whole", 0, size)
    assert make(face, "whole", value_dim=None, dtype=dtype).nbytes == 2 * B * G * S * K * size
    assert make(face, "whole", value_dim=0, dtype=dtype).nbytes == B * G * S * K * size  # what is in the key already


@FACE
@pytest.mark.parametrize("kind", ["whole", "sinks", "paged"])
@pytest.mark.parametrize("own", [0, 1], ids=["key", "value"])
def test_a_gradient_through_a_cache_is_refused(face, kind, own):
    """Not lost without a word; and where none is asked for, nothing is refused."""
    chunk, cache = dict(zip(("key", "value"), draw()[1:], strict=True)), make(face, kind)
    with pytest.raises(ValueError, match="cache must not stand in a gradient's way"):
        gradients(face, lambda *chunk: cache.update(*chunk)[own], chunk)
    cache.reset()
    if face is pytorch:
        with torch.no_grad():
            assert not any(x.requires_grad for x in cache.update(*map(torch.tensor, chunk.values())))


@FACE
def test_a_layer_trained_through_its_cache_is_refused(face):
    layer = build(face, "GroupedQueryAttention", H * K, H, num_kv_heads=G)
    cache = layer.new_cache(B, 7)
    assert tuple(cache.key.shape) == (B, G, 7, K) and cache.nbytes == 2 * B * G * 7 * K * 8
    assert layer.new_cache(B, None, window=3).nbytes == 2 * B * G * 3 * K * 8
    x = {"x": np.random.default_rng(0).normal(size=(B, 5, H * K))}
    with pytest.raises(ValueError, match="cache must not stand in a gradient's way"):
        gradients(face, lambda x: layer(x, causal=True, cache=cache)[0], x, layer)


@FACE
@pytest.mark.parametrize("kind", ["whole", "sinks", "paged"])
def test_half_precision_in_a_wider_cache(face, kind):
    """Kept exactly, and given back as it came; another way round it is refused."""
    halves = [np.asarray(x, np.float16) for x in draw()[1:]]
    cache = make(face, kind, dtype="float32")
    seen = cache.update(*(tensor(face, x) for x in halves))
    for found, half in zip(seen, halves, strict=True):
        assert str(found.dtype).endswith("float16'>" if face is tf else "float16")
        np.testing.assert_array_equal(found, half)
    with pytest.raises(ValueError, match="key must be float16 like cache, got float32"):
        make(face, kind, dtype="float16").update(*(tensor(face, x.astype("float32")) for x in halves))


def test_a_cache_under_autocast():
    """Keys and values come in bfloat16; the cache of float32 takes them, and the layer gives what it gives at once."""
    layer = pytorch.MultiHeadAttention(H * K, H)
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(B, S, H * K)).astype("float32"))
    for cache in (layer.new_cache(B, S), layer.new_cache(B, S, dtype=torch.bfloat16)):
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            expected = layer(x, causal=True)[0]
            found = [layer(x[:, a:b], causal=True, cache=cache)[0] for a, b in spans((5, *(1,) * 12))]
        torch.testing.assert_close(torch.cat(found, 1), expected, rtol=0.02, atol=0.02)
        assert found[0].dtype == torch.bfloat16


@FACE
def test_what_is_refused(face):
    _, key, value = (tensor(face, x) for x in draw())
    cache = make(face, "whole")
    cache.update(key[:, :, :13], value[:, :, :13])
    with pytest.raises(ValueError, match="key must have at most 4 positions, as 13 of 17 are taken, got 5"):
        cache.update(key[:, :, :5], value[:, :, :5])
    for wrong, words in (
        ((key[:1], value), "key must have shape .* with B = 2"),
        ((key[:, :2], value), "key must have shape .* with G = 3"),
        ((value, value), "key must have shape .* with K = 5"),
        ((key, key), "value must have shape .* with V = 7"),
        ((key[:, :, :3], value), "value must have shape .* with T = 3"),
    ):
        with pytest.raises(ValueError, match=words):
            cache.update(*wrong)
    with pytest.raises(ValueError, match="key must be float32 like cache, got float64"):
        make(face, "whole", dtype="float32").update(key, value)
    assert int(cache.length) == 13
    for sizes, options, words in (
        ((0, 1, 1, 1), {}, "batch must be at least 1, got 0"),
        ((1, 1, None, 1), {}, "capacity must be a whole number without a window, got None"),
        ((1, 1, 5, 1.5), {}, "key_dim must be a whole number, got 1.5"),
        ((1, 1, 5, 1), {"sinks": 2}, "sinks must be 0 without a window, got 2"),
        ((1, 1, 5, 1), {"window": 0}, "window must be at least 1, got 0"),
        ((1, 1, 5, 1), {"window": 2, "sinks": -1}, "sinks must be at least 0, got -1"),
    ):
        with pytest.raises(ValueError, match=words):
            face.KVCache(*sizes, **options)
    with pytest.raises(ValueError, match="block_size must be at least 1, got 0"):
        face.PagedKVCache(1, 1, 5, 1, block_size=0)


@FACE
@pytest.mark.parametrize("kind", ["whole", "sinks", "paged"])
def test_a_mask_of_the_newest_positions_alone_is_refused(face, kind):
    """One column would be spread over all keys, those of padding too."""
    cache = make(face, kind)
    _, key, value = draw()
    cache.update(tensor(face, key[:, :, :3]), tensor(face, value[:, :, :3]))
    for name in ("mask", "bias"):
        given = np.ones((B, 1, 1, 1), bool if name == "mask" else float)
        with pytest.raises(ValueError, match=rf"{name} must have a column for each of the 4 keys so far, got"):
            cache.limit(1, **{name: tensor(face, given)})
