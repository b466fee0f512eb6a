"""Layers of patterns with the parts that every layer over heads takes: gpt-oss' window, and others."""

import numpy as np
import pytest
import torch
from support import FACE, build, close, draw, gradients, numbers, tensor

from attn_course import masks, pytorch, reference
from attn_course.parity import get_parameters, set_parameters

B, T, D, H, G, K = 2, 13, 12, 6, 3, 10
LAYERS = {
    "SlidingWindowAttention": ({"window": 4}, masks.sliding_window_mask),
    "DilatedWindowAttention": ({"window": 2, "dilation": 3}, masks.dilated_window_mask),
    "LongformerAttention": ({"window": 2, "positions": [0, 5]}, masks.longformer_mask),
    "StridedAttention": ({"stride": 3}, masks.strided_mask),
    "FixedAttention": ({"stride": 3, "summary": 1}, masks.fixed_mask),
    "BlockSparseAttention": ({"layout": np.tri(4, dtype=bool).tolist(), "block_size": 4}, masks.block_mask),
    "BigBirdAttention": ({"block_size": 2, "num_random": 1, "seed": 7}, masks.big_bird_mask),
}


def made(face, name, **sizes):
    """A layer with everything that can be handed to it."""
    place = {"dtype": torch.float64 if face is pytorch else "float64"}
    parts = {
        "softmax": face.SinkSoftmax(H, **place),
        "rotary": face.RotaryEncoding(K, **({} if face is pytorch else place)),
        "query_key_norm": face.QueryKeyNorm(K, **place),
        "output_gate": face.OutputGate(D, H, **place),
    }
    return getattr(face, name)(D, H, num_kv_heads=G, key_dim=K, scale=0.3, **sizes, **parts, **place)


@FACE
@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("causal", [True, False])
def test_a_pattern_with_parts_is_grouped_queries_under_its_mask(face, name, causal):
    """gpt-oss: a window, sinks, grouped queries and rotation in one layer; padding, and every gradient."""
    sizes, builder = LAYERS[name]
    if causal and name == "BigBirdAttention":
        return
    layer, dense = made(face, name, **sizes), made(face, "GroupedQueryAttention")
    parameters = {key: draw(*x.shape, seed=i) for i, (key, x) in enumerate(get_parameters(dense).items())}
    for one in (layer, dense):
        set_parameters(one, parameters)
    asked = {} if name == "BigBirdAttention" else {"causal": causal}
    pattern = builder(T, T, **sizes, **asked)
    padding = masks.padding_mask([T, T - 4], T)[:, None, None]
    seen, hidden = tensor(face, pattern & padding), tensor(face, padding)
    inputs = {"x": draw(B, T, D, seed=9)}
    found = gradients(face, lambda x: layer(x, mask=hidden, **asked)[0] ** 2, inputs, layer)
    expected = gradients(face, lambda x: dense(x, mask=seen)[0] ** 2, inputs, dense)
    assert found.keys() == expected.keys()
    for key, x in expected.items():
        np.testing.assert_allclose(found[key], x, 1e-8, 1e-8, err_msg=key)
    x = tensor(face, inputs["x"])
    close(layer(x, mask=hidden, **asked)[0], numbers(dense(x, mask=seen)[0]))


@FACE
@pytest.mark.parametrize(("length", "T"), [(T, T), (T, 9)])
@pytest.mark.parametrize("causal", [True, False])
def test_global_projections_are_those_of_the_reference(face, length, T, causal):
    """The rows of global queries from heads of their own, also where there are fewer queries than keys."""
    sizes = {"window": 2, "positions": [0, 5, 7], "global_projections": True}
    layer = build(face, "LongformerAttention", D, H, num_kv_heads=G, key_dim=K, **sizes)
    parameters = {key: draw(*x.shape, seed=i) for i, (key, x) in enumerate(get_parameters(layer).items())}
    set_parameters(layer, parameters)
    query, memory = draw(B, T, D, seed=8), draw(B, length, D, seed=9)
    hidden = masks.padding_mask([length, length - 4], length)[:, None, None]

    def heads(end):
        for name, x, count in (("query", query, H), ("key", memory, G), ("value", memory, G)):
            mapped = x @ parameters[f"{name}{end}_weight"] + parameters[f"{name}{end}_bias"]
            yield np.repeat(reference.split_heads(mapped, count), H // count, axis=1)

    given = {"window": 2, "positions": [0, 5, 7], "causal": causal, "global_heads": tuple(heads("_global"))}
    context = reference.longformer_attention(*heads(""), hidden, **given)[0]
    expected = reference.merge_heads(context) @ parameters["output_weight"] + parameters["output_bias"]
    found = layer(*(tensor(face, x) for x in (query, memory)), mask=tensor(face, hidden), causal=causal)[0]
    close(found, expected)
    seen = masks.longformer_mask(T, length, window=2, positions=[0, 5, 7], causal=causal) & hidden
    local = reference.scaled_dot_product_attention(*heads(""), seen)[0]
    own = reference.scaled_dot_product_attention(*heads("_global"), seen)[0]
    rows = [position - (length - T) for position in (0, 5, 7) if position >= length - T]
    local[:, :, rows] = own[:, :, rows]
    close(context, local)


@FACE
@pytest.mark.parametrize("own", [False, True])
def test_a_cache_of_its_own_holds_the_heads_of_global_queries_too(face, own):
    """Whole or in blocks, chunk by chunk, once the first chunk reaches behind the last global position."""
    layer = build(face, "LongformerAttention", D, H, num_kv_heads=G, window=2, positions=[0, 3], global_projections=own)
    x = draw(B, T, D, seed=8)
    expected = numbers(layer(tensor(face, x), causal=True)[0])
    heads = G * (2 if own else 1)
    pool = face.BlockPool(12, heads, D // H, block_size=3, dtype=layer.new_cache(1, 1).key.dtype)
    for cache in (layer.new_cache(B, T), layer.new_cache(B, T, pool=pool)):
        assert cache.sizes[:2] == (B, heads)
        with torch.no_grad():
            chunks = np.split(x, [4, 5, T - 2], axis=1)
            found = [layer(tensor(face, chunk), causal=True, cache=cache)[0] for chunk in chunks]
        close(np.concatenate([numbers(each) for each in found], axis=1), expected)


@FACE
def test_global_heads_of_another_shape_are_named(face):
    heads = [tensor(face, draw(B, H, T, K)) for _ in range(3)]
    wrong = tuple(tensor(face, draw(B, H, T - 1, K)) for _ in range(3))
    for module in (face, reference):
        with pytest.raises(ValueError, match="global_heads"):
            module.longformer_attention(*heads, window=2, positions=[0], global_heads=wrong)
    with pytest.raises(ValueError, match="global_projections"):
        face.LongformerAttention(D, H, window=2, positions=[0], global_projections=1)


@FACE
@pytest.mark.parametrize("name", ["StridedAttention", "FixedAttention"])
def test_the_sparse_transformers_layers_are_causal_unless_told(face, name):
    sizes, _ = LAYERS[name]
    layer = made(face, name, **sizes)
    x = tensor(face, draw(B, T, D))
    close(layer(x)[0], numbers(layer(x, causal=True)[0]))
    assert np.abs(numbers(layer(x)[0]) - numbers(layer(x, causal=False)[0])).max() > 1e-3


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # PyTorch itself, at its first jvp
def test_derivatives_that_the_fused_kernel_does_not_have():
    """torch.func leaves the kernel by itself; a second derivative by a softmax that is handed over."""
    for name, (sizes, _) in LAYERS.items():
        layer = getattr(pytorch, name)(D, H, **sizes, dtype=torch.float64)
        plain = getattr(pytorch, name)(D, H, **sizes, softmax=pytorch.masked_softmax, dtype=torch.float64)
        plain.load_state_dict(layer.state_dict())
        x, along = (torch.tensor(draw(B, T, D, seed=seed)) for seed in (1, 2))
        value, slope = torch.func.jvp(lambda x, layer=layer: layer(x)[0], (x,), (along,))
        torch.testing.assert_close(value, layer(x)[0])
        step = 1e-6
        central = (layer(x + step * along)[0] - layer(x - step * along)[0]) / (2 * step)
        torch.testing.assert_close(slope, central, rtol=1e-6, atol=1e-7)
        leaf = x.clone().requires_grad_()
        (first,) = torch.autograd.grad((plain(leaf)[0] ** 2).sum(), leaf, create_graph=True)
        (second,) = torch.autograd.grad((first * along).sum(), leaf)
        by_func = torch.func.jvp(torch.func.grad(lambda x, layer=layer: (layer(x)[0] ** 2).sum()), (x,), (along,))
        torch.testing.assert_close(second, by_func[1], rtol=1e-8, atol=1e-8)


def test_big_bird_compiles_anew_for_every_length():
    """Its layout depends on the length: a graph that has a symbol for it by then must not keep it."""
    layer = pytorch.BigBirdAttention(D, H, **LAYERS["BigBirdAttention"][0], dtype=torch.float64)
    graph = torch.compile(layer, fullgraph=True, backend="eager")
    for length in (11, 13, 17):
        x = torch.tensor(draw(B, length, D))
        close(graph(x)[0], numbers(layer(x)[0]))
