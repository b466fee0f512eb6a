"""Step by step with a cache = the whole sequence at once, for every setting of a layer, in both frameworks."""

import numpy as np
import pytest
from both_frameworks import first_weights  # noqa: F401
from support import FACE, build, numbers, tensor

from attn_course import pytorch, tf
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.masks import causal_mask
from attn_course.parity import get_parameters, set_parameters

B, S, D, H, K, V = 2, 13, 11, 6, 4, 3
CHUNKS = (5, 1, 1, 1, 3, 1, 1)
CACHES = {"whole": {}, "window": {"window": 4, "sinks": 2}, "paged": {"block_size": 3}}
X = np.random.default_rng(0).normal(size=(B, S, D))
PADDED = {
    "none": None,
    "left": np.arange(S) >= np.array([[3], [0]]),
    "right": (np.arange(S) < 2) | (np.arange(S) >= np.array([[5], [2]])),  # of the prompt; then its answer
}


def make(face, groups, position):
    """A layer with the weights that the other framework's has, and what makes its bias."""
    options = {"rotary": build(face, "RotaryEncoding", K)} if position == "rotary" else {}
    name = "MultiHeadAttention" if groups == H else "GroupedQueryAttention"
    options |= {} if groups == H else {"num_kv_heads": groups}
    layer, bias = build(face, name, D, H, key_dim=K, value_dim=V, **options), None
    if position == "alibi":
        bias = build(face, "AlibiBias", H)
    elif position == "t5":
        bias = build(face, "RelativeBias", H, num_buckets=8, max_distance=9, bidirectional=False)
    for part in filter(None, (layer, bias)):
        rng = np.random.default_rng(4)
        set_parameters(part, {name: rng.normal(size=x.shape) for name, x in get_parameters(part).items()})
    return layer, bias


def make_cache(face, kind, groups):
    name = "PagedKVCache" if kind == "paged" else "KVCache"
    dtype = torch.float64 if face is pytorch else "float64"
    return getattr(face, name)(B, groups, S, K, V, dtype=dtype, **CACHES[kind])


def allowed(kind, padded):
    """Causal, in the window or a sink, and no padding: (B, 1, S, S)."""
    mask = causal_mask(S, S)
    if "window" in CACHES[kind]:
        window, sinks = CACHES[kind]["window"], CACHES[kind]["sinks"]
        mask = mask & np.array([[i - j < window or j < sinks for j in range(S)] for i in range(S)])
    padding = PADDED[padded]
    return mask[None, None] if padding is None else mask & padding[:, None, None]


def spans(chunks=CHUNKS):
    ends = np.cumsum(chunks)
    return list(zip(ends - chunks, ends, strict=True))


def decode(face, layer, bias, cache, padded, **options):
    """The output of all chunks, one behind the other."""
    outputs = []
    for start, end in spans():
        padding = PADDED[padded]
        mask = None if padding is None else tensor(face, padding[:, None, None, :end])
        own_bias = None if bias is None else bias(int(end - start), int(end))
        step = {"mask": mask, "bias": own_bias, "causal": True, "cache": cache} | options
        outputs.append(numbers(layer(tensor(face, X[:, start:end]), **step)[0]))
    return np.concatenate(outputs, axis=1)


@FACE
@pytest.mark.parametrize(
    ("groups", "padded", "position"),
    [
        *((3, padded, position) for padded in PADDED for position in ("none", "rotary", "alibi", "t5")),
        *((groups, "left", "rotary") for groups in (6, 1)),
    ],
)
@pytest.mark.parametrize("kind", CACHES)
def test_step_by_step_is_the_whole_pass(face, groups, position, padded, kind):
    layer, bias = make(face, groups, position)
    cache = make_cache(face, kind, groups)
    if position == "rotary" and padded == "right":
        with pytest.raises(ValueError, match="mask must not block keys between others"):
            decode(face, layer, bias, cache, padded)
        return
    options = {"mask": tensor(face, allowed(kind, padded)), "bias": None if bias is None else bias(S, S)}
    expected = numbers(layer(tensor(face, X), **options)[0])
    for need_weights in (True, False) if padded == "left" else (False,):
        found = decode(face, layer, bias, cache, padded, need_weights=need_weights)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
        assert int(cache.length) == S
        cache.reset()


@FACE
def test_the_weights_stand_at_the_keys_that_are_left(face):
    layer, _ = make(face, 3, "rotary")
    expected = numbers(layer(tensor(face, X), mask=tensor(face, allowed("window", "none")))[1])
    cache = make_cache(face, "window", 3)
    for start, end in spans():
        weights = numbers(layer(tensor(face, X[:, start:end]), causal=True, cache=cache)[1])
        seen = [j for j in range(end) if j < 2 or j > start - 4]
        np.testing.assert_allclose(weights, expected[:, :, start:end][..., seen], rtol=1e-9, atol=1e-12)


@FACE
def test_a_mask_must_cover_all_keys_so_far(face):
    layer, _ = make(face, 3, "none")
    for kind, words in (("whole", "mask must have shape"), ("window", "mask must have a column for each of the 6")):
        cache = make_cache(face, kind, 3)
        layer(tensor(face, X[:, :5]), causal=True, cache=cache)
        with pytest.raises(ValueError, match=words):
            short = np.ones((B, 1, 1, 5), bool)
            layer(tensor(face, X[:, 5:6]), mask=tensor(face, short), cache=cache)


@pytest.mark.parametrize("kind", CACHES)
@torch.no_grad()
def test_inside_torch_compile(kind):
    """Compiled once for the prompt, once for a step, once for a chunk; not once per length."""
    layer, _ = make(pytorch, 3, "rotary")
    cache = make_cache(pytorch, kind, 3)
    expected = decode(pytorch, layer, None, cache, "left")
    cache.reset()
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph

    compiled = torch.compile(layer, backend=backend, fullgraph=True)
    found = decode(pytorch, compiled, None, cache, "left")
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    assert len(graphs) <= 4  # the last position fills the cache: a shape of its own


@pytest.mark.parametrize("kind", CACHES)
@pytest.mark.parametrize("position", ["rotary", "t5"])
def test_inside_tf_function(kind, position):
    """One graph for chunks of any size."""
    layer, bias = make(tf, 3, position)
    cache = make_cache(tf, kind, 3)
    expected = decode(tf, layer, bias, cache, "left")
    cache.reset()
    shapes = ((B, None, D), "float64"), ((B, 1, 1, None), "bool"), ((None, None, None, None), "float64")
    signature = [tensorflow.TensorSpec(*shape) for shape in shapes[: 2 if bias is None else 3]]

    @tensorflow.function(input_signature=signature)
    def graph(x, mask, bias=None):
        return layer(x, mask=mask, bias=bias, causal=True, cache=cache)

    def step(x, *, mask, bias, **options):
        return graph(x, mask) if bias is None else graph(x, mask, bias)

    np.testing.assert_allclose(decode(tf, step, bias, cache, "left"), expected, rtol=1e-10, atol=1e-12)
    assert graph.experimental_get_tracing_count() == 1


def restarted(base):
    class Wrong(base):
        def next_position(self, mask=None):  # every chunk begins at position 0
            return super().next_position(mask) * 0

    return Wrong


@FACE
@pytest.mark.parametrize("fault", [restarted], ids=["positions restart at decode"])
def test_planted_faults_are_caught(face, fault):
    """The comparison of ``test_step_by_step_is_the_whole_pass``, with a cache that is wrong."""
    layer, _ = make(face, 3, "rotary")
    expected = numbers(layer(tensor(face, X), causal=True)[0])
    cache = make_cache(face, "whole", 3)
    np.testing.assert_allclose(decode(face, layer, None, cache, "none"), expected, rtol=1e-9, atol=1e-11)
    cache.reset()
    cache.__class__ = fault(type(cache))
    assert np.abs(decode(face, layer, None, cache, "none") - expected).max() > 1e-3
