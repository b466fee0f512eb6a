"""The cache in fewer bits: codes by hand, how far off they may be, and every chunk as the specification rounds it."""

import numpy as np
import pytest
from support import FACE, close, in_chunks, kind, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.parity import get_parameters, set_parameters

B, G, S, K, V, P = 2, 3, 17, 8, 4, 5
BITS = {"int8": 8, "int4": 4, "fp8": 8}
KINDS = pytest.mark.parametrize("bits", BITS)
ROUNDINGS = {
    "int8": {},
    "int4 rotated": {"kind": "int4", "rotate": True},
    "fp8": {"kind": "fp8"},
    "int4 by channel": {"kind": "int4", "key_per": "channel", "value_per": "channel"},
    "keys by channel": {"kind": "int8", "key_per": "channel"},
    "fp8 by channel, rotated": {"kind": "fp8", "key_per": "channel", "value_per": "channel", "rotate": True},
}
ROUNDING = pytest.mark.parametrize("rounding", ROUNDINGS)


def make(face, rounding, capacity=S, dtype="float64"):
    options = {"block_size": P} | ROUNDINGS[rounding]
    return face.QuantizedKVCache(B, G, capacity, K, V, **options, **kind(face, dtype))


def draw(seed=0, positions=S):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(B, G, positions, K)), rng.normal(size=(B, G, positions, V))


def hard(seed=0):
    """Vectors (9, 6, 8): near 0, far from it, with an outlier, of one value, tiny, and beyond 16 bits at one place."""
    x = np.random.default_rng(seed).normal(size=(9, 6, K))
    x[1] += 100.0
    x[2, :, 3] *= 50.0
    x[3] = -0.7
    x[4] *= 1e-3
    x[5] = 0.0
    x[6] *= 1000.0
    x[7] = np.abs(x[7])
    return x


def bound(x, scale, low, bits):
    """Half a step; the rounding of 16 bits, relative for usual numbers, absolute for tiny ones; of fp8 its own."""
    if bits == "fp8":
        return np.maximum(np.abs(x) / 16, scale / 1024) + scale * 2.0**-11
    width = (2 ** BITS[bits] - 1) * scale
    return scale / 2 + 2.0**-11 * (np.abs(low) + width) + 2.0 ** (BITS[bits] - 25)


def test_codes_by_hand():
    """Two numbers a step apart: of int4 fifteen steps from the lowest to the highest."""
    x = np.array([[-1.0, 2.0, 0.4, 0.46]])
    codes, scale, low = reference.quantize(x, kind="int4")
    assert codes.tolist() == [[0, 15, 7, 7]] and low.item() == -1 and abs(scale.item() - 0.2) < 1e-4
    assert np.allclose(reference.dequantize(codes, scale, low, kind="int4"), [[-1, 2, 0.4, 0.4]], atol=2e-3)
    codes, scale, low = reference.quantize(np.array([[448.0, 1.0, 17.0, 19.0, 0.001]]), kind="fp8")
    assert low is None and scale.item() == 1 and codes.tolist() == [[448, 1, 16, 20, 2.0**-9]]


def test_every_number_of_fp8():
    """All 253 finite ones are kept, and between two neighbors the nearer one is taken, or the even one."""
    every = np.arange(256, dtype=np.uint8)
    known = torch.from_numpy(every).view(torch.float8_e4m3fn).double().numpy()
    known = np.unique(known[np.isfinite(known)])
    assert len(known) == 253 and known.max() == 448
    between = np.concatenate([known, *(known[:-1] + np.diff(known) * share for share in (0.1, 0.4, 0.5, 0.6, 0.9))])
    x = between[:, None] * np.array([1.0, 0.0]) + np.array([0.0, 448.0])  # a scale of 1
    found = reference.dequantize(*reference.quantize(x, kind="fp8"), kind="fp8")[:, 0]
    expected = torch.from_numpy(between).to(torch.float8_e4m3fn).double().numpy()
    np.testing.assert_array_equal(found, expected)


@FACE
@KINDS
@pytest.mark.parametrize("axis", [-1, -2])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_twins_have_the_codes_of_the_specification(face, bits, axis, dtype):
    """Of int4 two in a byte."""
    x = hard().astype(dtype)
    wanted = reference.quantize(x.astype("float64"), kind=bits, axis=axis)
    codes, scale, low = face.quantize(tensor(face, x), kind=bits, axis=axis)
    assert tuple(codes.shape) == (*x.shape[:-1], K // 2 if bits == "int4" else K)
    close(scale, wanted[1], 1e-3)  # 16 bits
    found = numbers(face.dequantize(codes, scale, low, kind=bits, **kind(face)))
    expected = reference.dequantize(*wanted, kind=bits)
    off = np.abs(found - expected)
    if dtype == "float64":
        assert (off <= 1e-10 * (1 + np.abs(expected))).all()
    else:  # now and then a code falls on the other side of a tie, or a scale of 16 bits
        step = np.abs(expected) / 8 if bits == "fp8" else wanted[1]
        assert (off <= 1.01 * step + 2e-3 * np.abs(x).max(axis, keepdims=True)).all()
        assert (off > 1e-6 * (1 + np.abs(expected))).mean() < 0.05


@FACE
@KINDS
@pytest.mark.parametrize("axis", [-1, -2])
@pytest.mark.parametrize("seed", range(3))
def test_how_far_off_a_code_may_be(face, bits, axis, seed):
    """And it comes near to that."""
    x = hard(seed)
    codes, scale, low = face.quantize(tensor(face, x), kind=bits, axis=axis)
    found = numbers(face.dequantize(codes, scale, low, kind=bits, **kind(face)))
    scale, low = numbers(scale), 0.0 if low is None else numbers(low)
    off, most = np.abs(found - x), bound(x, scale, low, bits)
    assert (off <= most).all() and (off / most).max() > 0.6


@FACE
@KINDS
def test_what_16_bits_and_fp8_have_no_number_for(face, bits):
    """Zeros and tiny numbers give no NaN, for no scale is 0; huge ones are cut before they are cast."""
    x = np.array([[0.0] * 4, [1e-9, -1e-9, 1e-12, 0.0], [1e9, -1e9, 1.0, 0.0], [3e-5, 1e-5, 0.0, -2e-5]])
    found = numbers(face.dequantize(*face.quantize(tensor(face, x), kind=bits), kind=bits, **kind(face)))
    assert np.isfinite(found).all()
    assert np.abs(found[:2]).max() < 1e-5 and (found[0] == 0).all()
    assert np.allclose(found[2, :2], [65504, -65504], rtol=2e-3)


def test_a_rotation_is_orthogonal_and_its_own_inverse():
    for width in (1, 2, 8, 64):
        turn = reference.hadamard(width)
        np.testing.assert_allclose(turn @ turn, np.eye(width), atol=1e-12)
        assert (turn == turn.T).all() and np.allclose(np.abs(turn), width**-0.5)
    outlier = np.zeros(8)
    outlier[3] = 8.0
    assert np.abs(outlier @ reference.hadamard(8)).max() == pytest.approx(8 / 8**0.5)


def read_back(x, per, end, rounding):
    """What the specification has of positions 0 .. end - 1: whole blocks rounded, the rest as it is."""
    options = {"kind": "int8", "rotate": False} | ROUNDINGS[rounding]
    block = P if per == "channel" else 1
    blocks = end // block
    full = blocks * block
    turn = reference.hadamard(x.shape[-1]) if options["rotate"] else np.eye(x.shape[-1])
    whole = (x[:, :, :full] @ turn).reshape(*x.shape[:2], blocks, block, x.shape[-1])
    codes = reference.quantize(whole, kind=options["kind"], axis=-2 if per == "channel" else -1)
    known = reference.dequantize(*codes, kind=options["kind"]).reshape(*x.shape[:2], full, x.shape[-1]) @ turn
    return np.concatenate([known, x[:, :, full:end]], axis=2)


def bytes_of(rounding, capacity, size):
    """The formula: codes, one or two numbers of 16 bits a scale, and of a block all but one position in full."""
    options = {"kind": "int8", "key_per": "token", "value_per": "token"} | ROUNDINGS[rounding]
    total, each = 0, 2 if options["kind"] == "fp8" else 4
    for width, per in ((K, options["key_per"]), (V, options["value_per"])):
        blocks, block = (capacity // P, P) if per == "channel" else (capacity, 1)
        scales = blocks * (width if per == "channel" else 1)
        total += blocks * block * width * BITS[options["kind"]] // 8 + each * scales + (block - 1) * width * size
    return B * G * total


@FACE
@ROUNDING
@pytest.mark.parametrize("chunks", [(1,) * 6 + (11,), (3, 7, 2, 5)], ids=str)
def test_what_a_chunk_may_see(face, rounding, chunks):
    """All positions so far, rounded block by block; twice, to see that ``reset`` forgets."""
    key, value = draw()
    options = ROUNDINGS[rounding]
    cache = make(face, rounding)
    for _ in range(2):
        start = 0
        for size in chunks:
            end = start + size
            found = cache.update(tensor(face, key[:, :, start:end]), tensor(face, value[:, :, start:end]))
            close(found[0], read_back(key, options.get("key_per", "token"), end, rounding))
            close(found[1], read_back(value, options.get("value_per", "token"), end, rounding))
            start = end
        assert int(cache.length) == S and cache.nbytes == bytes_of(rounding, S, 8)
        cache.reset()
        assert int(cache.length) == 0


@FACE
def test_codes_take_an_eighth_of_float64(face):
    """As int8, besides scales; of a long cache in 4 bits by channel, a sixteenth, besides a block."""
    plain = face.KVCache(B, G, 320, 32, **kind(face))
    small = face.QuantizedKVCache(B, G, 320, 32, **kind(face))
    assert small.nbytes == plain.nbytes / 8 + 4 * 2 * B * G * 320
    by_channel = {"kind": "int4", "key_per": "channel", "value_per": "channel"}
    least = face.QuantizedKVCache(B, G, 320, 32, **by_channel, **kind(face))
    assert least.nbytes == plain.nbytes / 16 + 2 * B * G * 32 * (4 * 10 + 31 * 8)


@FACE
@ROUNDING
def test_it_goes_back_and_on(face, rounding):
    """As far as nothing rounded would have to be in full: then as if the text had been another from there on."""
    key, value = draw()
    other = draw(seed=1)
    cache = make(face, rounding)
    cache.update(tensor(face, key[:, :, :13]), tensor(face, value[:, :, :13]))
    if "channel" in str(ROUNDINGS[rounding]):
        with pytest.raises(ValueError, match="length must be at least 10, as the blocks before are rounded, got 9"):
            cache.truncate(9)
    cache.truncate(11)
    found = cache.update(*(tensor(face, x[:, :, 11:]) for x in other))
    for x, new, per, seen in zip((key, value), other, ("key_per", "value_per"), found, strict=True):
        text = np.concatenate([x[:, :, :11], new[:, :, 11:]], axis=2)
        close(seen, read_back(text, ROUNDINGS[rounding].get(per, "token"), S, rounding))
    rows = np.array([1, 1])
    cache.take(tensor(face, rows))
    cache.truncate(16)
    last = cache.update(*(tensor(face, x[:, :, 16:]) for x in other))
    close(last[0][:, :, :15], numbers(found[0])[rows][:, :, :15])


@FACE
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_layer_decodes_with_it(face, dtype):
    """In chunks as at once, near what the whole cache gives, in the layer's dtype."""
    layer = face.GroupedQueryAttention(16, 4, num_kv_heads=2, key_dim=8, **kind(face, dtype))
    rng = np.random.default_rng(0)
    set_parameters(layer, {name: rng.normal(size=w.shape) / 8 for name, w in get_parameters(layer).items()})
    x = rng.normal(size=(B, 9, 16)).astype(dtype)

    def same_dtype(part, **options):
        found = layer(part, **options)
        assert found[0].dtype == part.dtype
        return found

    for bits, apart in (("int8", 0.02), ("int4", 0.3), ("fp8", 0.1)):
        found = []
        for chunks in ((9,), (4, 1, 1, 3)):
            cache = face.QuantizedKVCache(B, 2, 9, 8, kind=bits, **kind(face, dtype))
            found.append(in_chunks(face, same_dtype, x, chunks, causal=True, cache=cache))
        np.testing.assert_allclose(*found, atol=1e-2 if dtype == "float16" else 1e-5)
        off = np.abs(found[0] - numbers(layer(tensor(face, x), causal=True)[0])).max()
        assert (1e-5 if dtype == "float32" else 0) < off < apart


@FACE
def test_a_language_model_reads_with_it(face):
    """A tuple, one a layer: rotary keys are rounded as they are kept; 8 bits change a logit little, and 4 bits more."""
    model = face.LanguageModel(11, 2, 16, 2, 19, norm="pre", positions="rotary")
    tokens = np.random.default_rng(0).integers(0, 11, (1, 12))
    plain, off = numbers(model(tensor(face, tokens))[0]), {}
    for bits in BITS:
        cache = tuple(face.QuantizedKVCache(1, 2, 12, 8, kind=bits) for _ in range(2))
        off[bits] = np.abs(in_chunks(face, model, tokens, (9, 1, 2), cache=cache) - plain).max()
    assert 0 < off["int8"] < off["fp8"] < np.abs(plain).max() / 2 and off["int8"] < off["int4"]


@pytest.mark.parametrize("rounding", ["int4 rotated", "fp8 by channel, rotated"])
def test_inside_tf_function(rounding):
    """One graph for chunks of any size."""
    key, value = draw()
    cache, options = make(tf, rounding), ROUNDINGS[rounding]
    shapes = [(B, G, None, K), (B, G, None, V)]

    @tensorflow.function(input_signature=[tensorflow.TensorSpec(shape, "float64") for shape in shapes])
    def step(key, value):
        return cache.update(key, value)

    for start, end in ((0, 1), (1, 12), (12, 13), (13, S)):
        found = step(key[:, :, start:end], value[:, :, start:end])
        close(found[0], read_back(key, options.get("key_per", "token"), end, rounding))
        close(found[1], read_back(value, options.get("value_per", "token"), end, rounding))


@FACE
def test_what_is_refused(face):
    made = face.QuantizedKVCache
    for options, message in [
        ({"kind": "int3"}, "kind must be one of int8, int4, fp8, got 'int3'"),
        ({"key_per": "head"}, "key_per must be one of token, channel, got 'head'"),
        ({"value_per": None}, "value_per must be one of token, channel, got None"),
        ({"rotate": 1}, "rotate must be True or False, got 1"),
        ({"block_size": 1}, "block_size must be at least 2, got 1"),
        ({"rotate": True}, "value_dim must be a power of 2 for rotate, got 6"),
        ({"kind": "int4", "value_dim": 5}, "value_dim must have an even width for int4, got 5"),
        ({"value_dim": 0}, "value_dim must be at least 1, got 0"),
        ({"capacity": 0}, "capacity must be at least 1, got 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            made(**{"batch": 1, "num_kv_heads": 1, "capacity": 4, "key_dim": 4, "value_dim": 6} | options)
    x = tensor(face, np.ones((1, 1, 2, 4)))
    cache = made(1, 1, 2, 4, **kind(face))
    cache.update(x, x)
    with pytest.raises(ValueError, match="key must have at most 0 positions, as 2 of 2 are taken, got 2"):
        cache.update(x, x)
    with pytest.raises(ValueError, match="kind must be one of int8, int4, fp8, got 'bf16'"):
        face.quantize(x, kind="bf16")
    with pytest.raises(ValueError, match="x must have an even width for int4, got 3"):
        face.quantize(x[..., :3], kind="int4")
    with pytest.raises(ValueError, match="x must be floating, got int64"):
        face.quantize(tensor(face, np.ones((2, 2), "int64")), kind="int8")
    with pytest.raises(ValueError, match="width must be a power of 2 for a rotation, got 12"):
        reference.hadamard(12)
    if face is pytorch:
        grown = x.clone().requires_grad_()
        seen, _ = made(1, 1, 4, 4, **kind(face)).update(grown, x)
        with pytest.raises(ValueError, match="cache must not stand in a gradient's way"):
            seen.sum().backward()
