"""Step by step with a cache = the whole sequence at once, for every setting of a layer, in both frameworks."""

import numpy as np
import pytest
from both_frameworks import first_weights  # noqa: F401
from support import FACE, build, numbers, tensor
from torch._dynamo.testing import CompileCounter

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
LATENT = {"latent_dim": 11, "rope_dim": 4, "query_latent_dim": 17}
LAYERS = {6: ("MultiHeadAttention", {})} | {n: ("GroupedQueryAttention", {"num_kv_heads": n}) for n in (3, 1)}
LAYERS |= {
    "latent": ("LatentAttention", LATENT),
    # With one small head, where most scores are tied at 0.
    "indexed": ("IndexedAttention", LATENT | {"index_heads": 1, "index_dim": 6, "top_k": 3, "scale": 0.5}),
}
GRAPHS = [*((3, "rotary", kind) for kind in CACHES), ("latent", "none", "whole"), ("indexed", "none", "whole")]


def make(face, groups, position):
    """A layer with the weights that the other framework's has, and what makes its bias."""
    (name, options), bias = LAYERS[groups], None
    if position in ("rotary", "yarn"):
        steps = face.rotary_frequencies(K, method="yarn", factor=4.0, trained_length=29)
        more = {"frequencies": steps[0], "scale": steps[1]} if position == "yarn" else {}
        options = options | {"rotary": build(face, "RotaryEncoding", K, **more)}
    elif position == "log":
        options = options | {"rotary": build(face, "LogLengthScale", 3, strength=0.7)}
    layer = build(face, name, D, H, key_dim=K, value_dim=V, **options)
    if position == "alibi":
        bias = build(face, "AlibiBias", H)
    elif position == "t5":
        bias = build(face, "RelativeBias", H, num_buckets=8, max_distance=9, bidirectional=False)
    for part in filter(None, (layer, bias)):
        rng = np.random.default_rng(4)
        set_parameters(part, {name: rng.normal(size=x.shape) for name, x in get_parameters(part).items()})
    return layer, bias


def make_cache(face, kind, layer):
    if kind != "paged":
        return layer.new_cache(B, S, **CACHES[kind])
    whole = layer.new_cache(B, S)
    rows, heads, *widths = whole.sizes
    return face.PagedKVCache(rows, heads, S, *widths, dtype=whole.key.dtype, **CACHES[kind])


def forms(groups):
    """Options of a call: what has latents reads them as they are, or unfolded."""
    return [
        {"need_weights": True},
        {"need_weights": False} | ({"absorbed": True} if groups in ("latent", "indexed") else {}),
    ]


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
        *((6, "none", position) for position in ("yarn", "log")),
        *((groups, "left", "none") for groups in ("latent", "indexed")),
    ],
)
@pytest.mark.parametrize("kind", CACHES)
def test_step_by_step_is_the_whole_pass(face, groups, position, padded, kind):
    layer, bias = make(face, groups, position)
    cache = make_cache(face, kind, layer)
    if position == "rotary" and padded == "right":
        with pytest.raises(ValueError, match="mask must not block keys between others"):
            decode(face, layer, bias, cache, padded)
        return
    options = {"mask": tensor(face, allowed(kind, padded)), "bias": None if bias is None else bias(S, S)}
    expected = numbers(layer(tensor(face, X), **options)[0])
    for form in forms(groups)[padded != "left" :]:
        found = decode(face, layer, bias, cache, padded, **form)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
        assert int(cache.length) == S
        cache.reset()


@FACE
def test_the_weights_stand_at_the_keys_that_are_left(face):
    layer, _ = make(face, 3, "rotary")
    expected = numbers(layer(tensor(face, X), mask=tensor(face, allowed("window", "none")))[1])
    cache = make_cache(face, "window", layer)
    for start, end in spans():
        weights = numbers(layer(tensor(face, X[:, start:end]), causal=True, cache=cache)[1])
        seen = [j for j in range(end) if j < 2 or j > start - 4]
        np.testing.assert_allclose(weights, expected[:, :, start:end][..., seen], rtol=1e-9, atol=1e-12)


@FACE
def test_a_mask_must_cover_all_keys_so_far(face):
    layer, _ = make(face, 3, "none")
    for kind in ("whole", "window"):
        cache = make_cache(face, kind, layer)
        layer(tensor(face, X[:, :5]), causal=True, cache=cache)
        for columns in (5, 1):
            short = np.ones((B, 1, 1, columns), bool)
            with pytest.raises(ValueError, match="mask must have a column for each of the 6"):
                layer(tensor(face, X[:, 5:6]), mask=tensor(face, short), cache=cache)


@pytest.mark.parametrize(("groups", "position", "kind"), GRAPHS)
@torch.no_grad()
def test_inside_torch_compile(groups, position, kind):
    """Compiled once for the prompt, once for a step, once for a chunk; not once per length."""
    layer, _ = make(pytorch, groups, position)
    cache = make_cache(pytorch, kind, layer)
    for form in forms(groups)[groups == "indexed" :]:
        expected = decode(pytorch, layer, None, cache, "left", **form)
        cache.reset()
        graphs = CompileCounter()
        compiled = torch.compile(layer, backend=graphs, fullgraph=True)
        found = decode(pytorch, compiled, None, cache, "left", **form)
        cache.reset()
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
        # The last position fills the cache: a shape of its own.
        assert 1 <= graphs.frame_count <= 4
        torch.compiler.reset()


@pytest.mark.parametrize(("groups", "position", "kind"), [*GRAPHS, *((3, "t5", kind) for kind in CACHES)])
def test_inside_tf_function(groups, position, kind):
    """One graph for chunks of any size; a full cache is an error when the graph runs."""
    layer, bias = make(tf, groups, position)
    cache = make_cache(tf, kind, layer)
    shapes = ((B, None, D), "float64"), ((B, 1, 1, None), "bool"), ((None, None, None, None), "float64")
    signature = [tensorflow.TensorSpec(*shape) for shape in shapes[: 2 if bias is None else 3]]
    for form in forms(groups):
        expected = decode(tf, layer, bias, cache, "left", **form)
        cache.reset()

        @tensorflow.function(input_signature=signature)
        def graph(x, mask, bias=None, form=form):
            return layer(x, mask=mask, bias=bias, causal=True, cache=cache, **form)[0]

        def step(x, *, mask, bias, graph=graph, **options):
            return [graph(x, mask) if bias is None else graph(x, mask, bias)]

        np.testing.assert_allclose(decode(tf, step, bias, cache, "left"), expected, rtol=1e-10, atol=1e-12)
        assert graph.experimental_get_tracing_count() == 1
        words = "cache is full" if groups == 3 else None  # of several wrong things a graph names any
        with pytest.raises(tensorflow.errors.InvalidArgumentError, match=words):
            graph(X[:, :1], np.ones((B, 1, 1, S + 1), bool), *([] if bias is None else [bias(1, S + 1)]))
        cache.reset()


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
    cache = make_cache(face, "whole", layer)
    np.testing.assert_allclose(decode(face, layer, None, cache, "none"), expected, rtol=1e-9, atol=1e-11)
    cache.reset()
    cache.__class__ = fault(type(cache))
    assert np.abs(decode(face, layer, None, cache, "none") - expected).max() > 1e-3
