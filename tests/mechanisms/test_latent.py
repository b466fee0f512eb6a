"""Latent attention: slow loops, the naive and the absorbed form, its small cache, and what must be caught."""

import math

import numpy as np
import pytest
from support import FACE, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.frameworks import tf as tensorflow
from attn_course.masks import causal_mask
from attn_course.parity import set_parameters

B, T, D, H, R, P, K, V, Q = 2, 7, 13, 3, 11, 4, 5, 2, 17
SIZES = {"latent_dim": R, "rope_dim": P, "key_dim": K, "value_dim": V}
QUERY = pytest.mark.parametrize("query_latent_dim", [None, Q])
FORM = pytest.mark.parametrize("absorbed", [False, True])
X = np.random.default_rng(0).normal(size=(B, T, D))
PADDING = (np.arange(T) >= np.array([[2], [0]]))[:, None, None]


def draw(query_latent_dim=None):
    shapes = {
        "latent_weight": (D, R + P),
        "latent_norm.scale": (R,),
        "key_value_weight": (R, H * (K + V)),
        "output_weight": (H * V, D),
    }
    if query_latent_dim is None:
        shapes["query_weight"] = (D, H * (K + P))
    else:
        shapes |= {"query_down_weight": (D, Q), "query_norm.scale": (Q,), "query_up_weight": (Q, H * (K + P))}
    rng = np.random.default_rng(1)
    return {name: rng.normal(size=shape) / math.sqrt(shape[0]) + (len(shape) == 1) for name, shape in shapes.items()}


def make(face, query_latent_dim=None, dtype="float64"):
    options = SIZES | {"query_latent_dim": query_latent_dim}
    if face is tf:
        layer = tf.LatentAttention(D, H, **options, dtype=dtype)
    else:
        layer = pytorch.LatentAttention(D, H, **options).to(getattr(torch, dtype))
    set_parameters(layer, draw(query_latent_dim))
    return layer


def specified(mask=None, query_latent_dim=None, causal=True, x=X):
    sizes = {"num_heads": H, "key_dim": K, "value_dim": V, "rope_dim": P}
    return reference.latent_attention(x, draw(query_latent_dim), mask, **sizes, causal=causal)


def slow(x, parameters, causal, *, shrink=K + P, first=0):
    """One number after the other, for one example; the query straight or by its own latent."""

    def norm(vector, scale):
        return vector / math.sqrt(sum(v * v for v in vector) / len(vector) + 1e-6) * scale

    def turn(vector, position):
        out = vector.copy()
        for pair in range(P // 2):
            angle = position * 10000.0 ** (-2 * pair / P)
            a, b = vector[2 * pair], vector[2 * pair + 1]
            out[2 * pair] = a * math.cos(angle) - b * math.sin(angle)
            out[2 * pair + 1] = a * math.sin(angle) + b * math.cos(angle)
        return out

    queries, latents, turned = [], [], []
    for t, row in enumerate(x):
        small = row @ parameters["latent_weight"]
        latents.append(norm(small[:R], parameters["latent_norm.scale"]))
        turned.append(turn(small[R:], t + first))
        if "query_weight" in parameters:
            query = row @ parameters["query_weight"]
        else:
            down = norm(row @ parameters["query_down_weight"], parameters["query_norm.scale"])
            query = down @ parameters["query_up_weight"]
        queries.append(query.reshape(H, K + P))
    output = np.zeros((len(x), H * V))
    weights = np.zeros((H, len(x), len(x)))
    for h in range(H):
        up = parameters["key_value_weight"][:, h * (K + V) : (h + 1) * (K + V)]
        for t in range(len(x)):
            seen = range(t + 1 if causal else len(x))
            score = []
            for s in seen:
                plain = queries[t][h, :K] @ (latents[s] @ up[:, :K])
                score.append((plain + turn(queries[t][h, K:], t + first) @ turned[s]) / math.sqrt(shrink))
            exponential = [math.exp(one) for one in score]
            for s in seen:
                weights[h, t, s] = exponential[s] / sum(exponential)
                output[t, h * V : (h + 1) * V] += weights[h, t, s] * (latents[s] @ up[:, K:])
    return output @ parameters["output_weight"], weights


@QUERY
@pytest.mark.parametrize("causal", [False, True])
def test_the_reference_is_the_slow_loop(query_latent_dim, causal):
    output, weights = specified(query_latent_dim=query_latent_dim, causal=causal)
    for b in range(B):
        found = slow(X[b], draw(query_latent_dim), causal)
        np.testing.assert_allclose(output[b], found[0], rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(weights[b], found[1], rtol=1e-11, atol=1e-13)


def test_wrong_loops_are_other_numbers():
    """A scale of 1 / sqrt(key_dim) forgets the rotated part; only distances count, so a later start changes nothing."""
    output, _ = specified()
    assert np.abs(slow(X[0], draw(), True, shrink=K)[0] - output[0]).max() > 0.01
    np.testing.assert_allclose(slow(X[0], draw(), True, first=5)[0], output[0], rtol=1e-9, atol=1e-12)


@FACE
@QUERY
@FORM
@pytest.mark.parametrize("mask", [None, PADDING, causal_mask(T, T)[::-1]], ids=["none", "padding", "rows"])
def test_agrees_with_the_reference(face, query_latent_dim, absorbed, mask):
    layer = make(face, query_latent_dim)
    for causal in (True, False):
        expected = specified(mask, query_latent_dim, causal)
        for need_weights in (True, False):
            options = {"causal": causal, "absorbed": absorbed, "need_weights": need_weights}
            output, weights = layer(tensor(face, X), tensor(face, mask), **options)
            np.testing.assert_allclose(numbers(output), expected[0], rtol=1e-10, atol=1e-12)
            assert (weights is None) == (not need_weights)
            if need_weights:
                np.testing.assert_allclose(numbers(weights), expected[1], rtol=1e-10, atol=1e-12)


@FACE
@FORM
@pytest.mark.parametrize("chunks", [(1,) * T, (4, 1, 2)], ids=str)
def test_step_by_step_is_the_whole_pass(face, absorbed, chunks):
    """With padding on the left, a window with sinks, and in blocks."""
    layer = make(face, Q)
    wide = {"dtype": torch.float64 if face is pytorch else "float64"}
    window = np.array([[i - j < 3 or j < 1 for j in range(T)] for i in range(T)])
    for cache, mask in (
        (layer.new_cache(B, T), PADDING),
        (layer.new_cache(B, None, window=3, sinks=1), PADDING & window),
        (face.PagedKVCache(B, 1, T, R + P, 0, block_size=2, **wide), PADDING),
    ):
        expected, start = specified(mask & causal_mask(T, T), Q)[0], 0
        for size in chunks:
            end = start + size
            options = {"cache": cache, "absorbed": absorbed, "need_weights": not absorbed}
            found, _ = layer(tensor(face, X[:, start:end]), tensor(face, PADDING[..., :end]), **options)
            np.testing.assert_allclose(numbers(found), expected[:, start:end], rtol=1e-10, atol=1e-12)
            start = end


@FACE
def test_the_cache_keeps_one_latent_for_all_heads(face):
    """(R + P) numbers per position, not 2 * H * width."""
    for dtype, size in (("float32", 4), ("float64", 8), ("bfloat16", 2)):
        assert make(face, dtype=dtype).new_cache(3, 19).nbytes == 3 * 19 * (R + P) * size
    layer = make(face)
    cache = layer.new_cache(B, T)
    layer(tensor(face, X), cache=cache)
    with pytest.raises(ValueError, match="key must have at most 0 positions, as 7 of 7 are taken, got 1"):
        layer(tensor(face, X[:, :1]), cache=cache)


@FACE
def test_planted_faults_are_caught(face):
    """Positions that restart in decoding give other numbers."""
    layer = make(face)
    expected = specified()[0]

    def steps(cache):
        rows = [layer(tensor(face, X[:, t : t + 1]), cache=cache, absorbed=True)[0] for t in range(T)]
        return np.concatenate([numbers(row) for row in rows], axis=1)

    right = layer.new_cache(B, T)
    np.testing.assert_allclose(steps(right), expected, rtol=1e-10, atol=1e-12)
    restarted = layer.new_cache(B, T)
    restarted.next_position = lambda mask=None: 0
    assert np.abs(steps(restarted) - expected).max() > 1e-3


@FACE
def test_gradients_of_both_forms_agree(face):
    """So does their training; PyTorch and TensorFlow by the same numbers."""
    gradients = []
    for one in (pytorch, tf):
        for absorbed in (False, True):
            layer = make(one, Q)
            if one is pytorch:
                layer(torch.from_numpy(X), absorbed=absorbed)[0].sin().sum().backward()
                parts = {n: p.grad.numpy() for n, p in layer.named_parameters()}
                found = [parts["latent.weight"].T, parts["key_value.weight"].T, parts["query_norm.weight"]]
            else:
                with tensorflow.GradientTape() as tape:
                    total = tensorflow.reduce_sum(tensorflow.sin(layer(X, absorbed=absorbed)[0]))
                sources = [layer.latent.kernel.value, layer.key_value.kernel.value, layer.query_norm.scale.value]
                found = [x.numpy() for x in tape.gradient(total, sources)]
            gradients.append(found)
    for other in gradients[1:]:
        for one, two in zip(gradients[0], other, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-11)


@FACE
def test_what_is_refused(face):
    build = face.LatentAttention
    for changes, words in (
        ({"rope_dim": 3}, "rope_dim must be even, got 3"),
        ({"latent_dim": 0}, "latent_dim must be at least 1, got 0"),
        ({"query_latent_dim": 1.5}, "query_latent_dim must be a whole number, got 1.5"),
        ({"base": 0.0}, "base must be a positive, finite number, got 0.0"),
    ):
        with pytest.raises(ValueError, match=words):
            build(D, H, **SIZES | changes)
    layer = make(face)
    for x, words in ((X[0], "x must have shape"), (X[..., 1:], "x must have shape .* with D = 13")):
        with pytest.raises(ValueError, match=words):
            layer(tensor(face, x))
    with pytest.raises(ValueError, match="mask must have shape"):
        layer(tensor(face, X), tensor(face, np.ones((B, T), bool)))
    with pytest.raises(ValueError, match="module must be a DeepseekV3Attention, got"):
        build.from_huggingface(layer)


def test_pytorch_keeps_its_state():
    layer = make(pytorch, Q)
    twin = pytorch.LatentAttention(D, H, **SIZES, query_latent_dim=Q, dtype=torch.float64, device="meta")
    twin = twin.to_empty(device="cpu")
    twin.reset_parameters()
    assert (twin.latent_norm.weight == 1).all() and not torch.equal(twin.latent.weight, layer.latent.weight)
    twin.load_state_dict(layer.state_dict())
    assert torch.equal(twin(torch.from_numpy(X))[0], layer(torch.from_numpy(X))[0])
    assert "latent_dim=11" in repr(layer)


@FORM
@torch.no_grad()
def test_decoding_inside_torch_compile(absorbed):
    """In chunks, with padding on the left: one graph for a prompt, one for a chunk, one for a step."""
    layer = make(pytorch, Q)
    compiled = torch.compile(layer, backend="eager", fullgraph=True)
    cache, x, mask = layer.new_cache(B, T), torch.from_numpy(X), torch.from_numpy(PADDING)
    ends = (3, 4, 5, 7)
    found = [
        compiled(x[:, a:b], mask[..., :b], absorbed=absorbed, cache=cache)[0]
        for a, b in zip((0, *ends), ends, strict=False)
    ]
    expected = specified(PADDING & causal_mask(T, T), Q)[0]
    np.testing.assert_allclose(torch.cat(found, dim=1), expected, rtol=1e-10, atol=1e-12)


@FORM
def test_one_graph_of_tensorflow(absorbed, tmp_path):
    """For any batch and length under XLA; saved, loaded, and with a cache in a graph of its own."""
    layer = make(tf, Q)
    kinds = tensorflow.TensorSpec((None, None, D), "float64"), tensorflow.TensorSpec((None, 1, 1, None), "bool")

    @tensorflow.function(input_signature=kinds, jit_compile=True)
    def graph(x, mask):
        return layer(x, mask, absorbed=absorbed)[0]

    for batch, length in ((B, T), (1, 3)):
        expected = specified(PADDING[:batch, ..., :length], Q, x=X[:batch, :length])[0]
        np.testing.assert_allclose(graph(X[:batch, :length], PADDING[:batch, ..., :length]), expected, rtol=1e-9)
    cache = layer.new_cache(B, T)

    @tensorflow.function(input_signature=kinds)
    def step(x, mask):
        return layer(x, mask, absorbed=absorbed, cache=cache)[0]

    ends = (3, 4, 5, 7)
    found = [step(X[:, a:b], PADDING[..., :b]) for a, b in zip((0, *ends), ends, strict=False)]
    np.testing.assert_allclose(np.concatenate(found, axis=1), specified(PADDING, Q)[0], rtol=1e-9, atol=1e-12)
    entry = keras.Input((None, D), dtype="float64")
    model = keras.Model(entry, layer(entry, absorbed=absorbed)[0])
    model.save(tmp_path / "model.keras")
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "model.keras")(X), model(X))


def test_padding_that_keras_carries():
    layer, tokens = make(tf), np.where(PADDING[:, 0, 0], 1, 0)
    words = keras.layers.Embedding(2, D, mask_zero=True, dtype="float64")(tokens)
    plain = tensorflow.constant(words.numpy())
    expected = layer(plain, PADDING)[0]
    found = layer(words)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(found._keras_mask, tokens == 1)


@FACE
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float16", 0.02), ("bfloat16", 0.15)])
@FORM
def test_dtypes(face, dtype, tolerance, absorbed):
    layer, expected = make(face, dtype=dtype), specified()[0]
    x = torch.from_numpy(X).to(getattr(torch, dtype)) if face is pytorch else tensorflow.cast(X, dtype)
    found = layer(x, absorbed=absorbed)[0]
    assert dtype in str(found.dtype)
    np.testing.assert_allclose(numbers(found), expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())
