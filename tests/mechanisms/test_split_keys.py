"""Keys in parts: the same attention as over all keys at once, in every layer and call that may cut them."""

from types import SimpleNamespace

import numpy as np
import pytest
from support import FACE, build, close, draw, drawn, gradients, numbers, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.core.paged.shared import count_turns
from attn_course.core.split_keys import pytorch as split_torch, shared, tf as split_tf
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.masks import causal_mask

SPLIT = {pytorch: split_torch, tf: split_tf}
PARTS = pytest.mark.parametrize("parts", [1, 2, 3, 13, 40])
B, H, G, T, S, K, V = 2, 6, 3, 4, 13, 5, 7


@pytest.fixture
def cut(monkeypatch):
    """Makes every call on the CPU cut its keys, in so many parts; counts the calls."""

    def cut(face, parts):
        calls, whole = [], SPLIT[face].attend_in_parts

        def counted(*inputs, **options):
            calls.append(options["parts"])
            return whole(*inputs, **options)

        monkeypatch.setattr(SPLIT[face], "parts_of", lambda *inputs: parts)
        monkeypatch.setattr(SPLIT[face], "attend_in_parts", counted)
        return calls

    return cut


def heads(seed=0, large=1.0):
    shapes = ((B, H, T, K), (B, G, S, K), (B, G, S, V))
    return [large * draw(*shape, seed=seed + n) for n, shape in enumerate(shapes)]


def masks():
    """No mask, of each rank and size; the last ones leave parts, and a row, without a key."""
    some = np.random.default_rng(7).random((B, H, T, S)) < 0.5
    padding = np.arange(S) < np.array([[9], [2]])
    yield from (None, some[0, 0], some[:, :1], some, padding[:, None, None])
    blind = some.copy()
    blind[0, :, 1] = False
    yield blind


@FACE
@PARTS
@pytest.mark.parametrize("large", [1.0, 30.0])
def test_parts_are_the_whole(face, parts, large, cut):
    """Lengths that parts don't divide, parts and rows that see nothing, one part, more parts than keys."""
    calls, inputs = cut(face, parts), heads(large=large)
    for count, mask in enumerate(masks(), 1):
        for causal in (False, True):
            expected, _ = reference.grouped_query_attention(*inputs, mask, causal=causal)
            options = {"causal": causal, "need_weights": False}
            found, weights = face.grouped_query_attention(*to(face, *inputs, mask), **options)
            close(found, expected)
            assert weights is None
        assert calls == [parts] * 2 * count


@FACE
@PARTS
def test_a_bias_and_a_scale(face, parts, cut):
    """Also a bias of minus infinity, which blocks, for each head and for all."""
    calls, inputs = cut(face, parts), to(face, *heads())
    bias = draw(B, H, T, S, seed=5)
    bias[..., :6] = -np.inf
    bias[0, 0, 2] = -np.inf
    for own in (bias, bias[:1], bias[:1, :1], bias[0], bias[0, 0], bias[..., :1, :]):
        options = {"bias": tensor(face, own), "scale": 0.7, "causal": True}
        expected, _ = face.grouped_query_attention(*inputs, **options)
        found, _ = face.grouped_query_attention(*inputs, need_weights=False, **options)
        close(found, expected)
    assert len(calls) == 6


@FACE
def test_what_cannot_be_merged_stays_whole(face, cut):
    calls, inputs = cut(face, 3), to(face, *heads())
    softmax = torch.softmax if face is pytorch else tensorflow.nn.softmax
    expected, weights = face.grouped_query_attention(*inputs)
    close(weights, reference.grouped_query_attention(*heads())[1])
    for option in ({"softmax": lambda score, _: softmax(score, -1)}, {"dropout": lambda weights: weights}):
        close(face.grouped_query_attention(*inputs, need_weights=False, **option)[0], expected)
    assert not calls


@FACE
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_rounded_once(face, dtype, cut):
    cut(face, 3)
    rounded = to(face, *heads(large=3.0), dtype=dtype)
    exact, _ = reference.grouped_query_attention(*map(numbers, rounded), causal=True)
    found, _ = face.grouped_query_attention(*rounded, causal=True, need_weights=False)
    assert found.dtype == rounded[0].dtype
    step = {"float16": 2**-11, "bfloat16": 2**-8}[dtype]
    assert (np.abs(numbers(found) - exact) <= step * np.abs(exact) + 1e-6).all()


def test_autocast_leaves_the_products_wide():
    inputs = [x.float() for x in to(pytorch, *heads(large=3.0))]
    options = {"parts": 3}
    inputs[0] = inputs[0][:, :G]
    expected = split_torch.attend_in_parts(*inputs, **options)
    with torch.autocast("cpu", torch.bfloat16):
        found = split_torch.attend_in_parts(*inputs, **options)
    close(found, expected, 1e-6)


@FACE
def test_gradients(face, cut):
    """Not only those of the whole: finite too for a row that sees nothing."""
    mask, found = tensor(face, list(masks())[-1]), []
    for need_weights in (True, False):
        cut(face, 3)

        def squared(*inputs, need_weights=need_weights):
            return face.grouped_query_attention(*inputs, mask, need_weights=need_weights)[0] ** 2

        found.append(gradients(face, squared, dict(zip("qkv", heads(), strict=True))))
    for name, x in found[0].items():
        assert np.isfinite(x).all()
        close(found[1][name], x)


def latent_layer(face):
    sizes = {"latent_dim": 7, "rope_dim": 4, "key_dim": 5, "value_dim": 3}
    return build(face, "LatentAttention", 11, H, **sizes)


def grouped_layer(face, **parts):
    return build(face, "GroupedQueryAttention", 11, H, key_dim=4, value_dim=3, num_kv_heads=2, **parts)


@FACE
@pytest.mark.parametrize("make", [latent_layer, grouped_layer])
@pytest.mark.parametrize("parts", [1, 2, 5, 40])
def test_layers_decode_in_parts(face, make, parts, cut):
    """A prompt, steps and a chunk behind a cache, with padding, a mask of heads and a bias: the whole sequence."""
    layer, x, lengths = drawn(make(face)), draw(B, S, 11), np.array([[0], [3]])
    seen, bias, share = np.arange(S) >= lengths, draw(H, S, S, seed=9), tensor(face, draw(H, seed=8))
    mask = causal_mask(S, S) & seen[:, None, None]
    expected = layer(tensor(face, x), mask=tensor(face, mask), bias=tensor(face, bias), head_mask=share)[0]
    absorbed = {"absorbed": True} if make is latent_layer else {}
    calls, cache, outputs = cut(face, parts), layer.new_cache(B, S), []
    for a, b in ((0, 5), (5, 6), (6, 7), (7, 11), (11, S)):
        own = tensor(face, seen[:, None, None, :b]), tensor(face, bias[:, a:b, :b])
        options = {"bias": own[1], "head_mask": share, "causal": True, "cache": cache, "need_weights": False}
        outputs.append(numbers(layer(tensor(face, x[:, a:b]), mask=own[0], **options, **absorbed)[0]))
    close(np.concatenate(outputs, axis=1), numbers(expected))
    assert calls == [parts] * 5


@pytest.mark.parametrize("xla", [False, True])
def test_a_graph_of_tensorflow_with_an_unknown_length(xla, monkeypatch):
    """The number of parts is decided where the length is known; 1 and 3 of them."""
    monkeypatch.setattr(tensorflow.config, "list_physical_devices", lambda kind: ["a GPU"])
    for name, value in {"FEWEST_KEYS": 6, "PART": 4}.items():
        for module in (shared, split_tf):
            monkeypatch.setattr(module, name, value)
    shapes = (B, H, 1, K), (B, G, None, K), (B, G, None, V)
    signature = [tensorflow.TensorSpec(shape, "float64") for shape in shapes]

    @tensorflow.function(input_signature=signature, jit_compile=xla)
    def graph(query, key, value):
        return tf.grouped_query_attention(query, key, value, causal=True, need_weights=False)[0]

    for length in (1, 5, 13):
        query, key, value = heads()
        inputs = query[:, :, :1], key[:, :, :length], value[:, :, :length]
        close(graph(*to(tf, *inputs)), reference.grouped_query_attention(*inputs)[0])
    operations = {node.type for node in graph.get_concrete_function().graph.get_operations()}
    assert "Minimum" in operations


def test_when_keys_are_cut():
    """Where few programs would read many keys: an H100 has 132 multiprocessors."""
    assert shared.count_parts(8, 32, 65536) == 33  # multi-query, 8 sequences: 264 programs
    assert shared.count_parts(8, 128, 65536) == 17  # latents for 128 heads: 16 programs
    assert shared.count_parts(64, 4, 65536) == 5
    assert shared.count_parts(1, 32, 65536) == 128  # no part has fewer than 512 keys
    whole = ((256, 1, 65536), (8, 32, 4096), (8, 129, 65536), (132, 1, 65536))
    assert [shared.count_parts(*sizes) for sizes in whole] == [None] * 4
    turns = (1, 16, False), (125, 16, False), (4096, 16, False), (4096, 16, True), (1, 1024, False)
    assert [count_turns(*sizes) for sizes in turns] == [1, 4, 128, 16, 1]
    for face, split in SPLIT.items():  # a CPU stays as it is
        query, key = to(face, np.zeros((1, 4, 1, 2)), np.zeros((1, 1, 16384, 2)))
        assert split.parts_of(query, key, key) is None


@pytest.mark.parametrize("kernel", [None, "one"])
def test_what_is_cut_on_a_gpu(kernel, monkeypatch):
    """Several heads of keys by the kernel alone, and nothing where a gradient is asked for."""
    monkeypatch.setattr(split_torch, "kernel_for", lambda *inputs: kernel)
    for heads_of_keys, expected in ((1, 33), (8, 5 if kernel else None), (32, None)):
        key = SimpleNamespace(is_cuda=True, requires_grad=False, shape=(8, heads_of_keys, 65536, 64))
        query = SimpleNamespace(requires_grad=True, shape=(8, 32, 1, 64))
        assert split_torch.parts_of(query, key, key) is None
        with torch.no_grad():
            assert split_torch.parts_of(query, key, key) == expected
