"""Sparse patterns: the fast paths of both frameworks are dense attention with the pattern's mask."""

import sys
from itertools import product

import numpy as np
import pytest
from support import FACE, Largest, gradients, numbers, sizes_in_a_graph, tensor, to

from attn_course import masks, pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.mechanisms.blocks import pytorch as blocks_torch, tf as blocks_tf
from attn_course.parity import set_parameters

B, H, K, V = 2, 4, 3, 5
LENGTHS = ((1, 1), (53, 53), (7, 41), (41, 7))


def layout_of(T, S, block_size, seed=0):
    """A layout with an empty row, a full one and others between."""
    layout = np.random.default_rng(seed).random((-(-T // block_size), -(-S // block_size))) < 0.4
    layout[0], layout[-1] = False, True
    return layout


def patterns(T, S):
    """Name, arguments, and the mask, for T queries and S keys: causal and not."""
    for causal in (False, True):
        either = {"causal": causal}
        for window in (1, 17, 200):
            yield (
                "sliding_window_attention",
                {"window": window} | either,
                masks.sliding_window_mask(T, S, window, causal),
            )
        for window, dilation in ((3, 1), (3, 5), (2, 150)):
            given = {"window": window, "dilation": dilation} | either
            yield "dilated_window_attention", given, masks.dilated_window_mask(T, S, **given)
        for positions in ((), (0,), (S - 1, S // 2, 0, 0)):
            given = {"window": 4, "positions": positions} | either
            yield "longformer_attention", given, masks.longformer_mask(T, S, **given)
        for stride in (1, 5, 150):
            given = {"stride": stride} | either
            yield "strided_attention", given, masks.strided_mask(T, S, **given)
            row = masks.sliding_window_mask(T, S, stride + 1, causal)
            column = masks.dilated_window_mask(T, S, max(T, S), stride, causal)
            split = np.stack([row] * (H // 2) + [column] * (H // 2))
            yield "strided_attention", given | {"heads": "split"}, split
            for summary in {1, (stride + 1) // 2, stride}:
                given = {"stride": stride, "summary": summary} | either
                yield "fixed_attention", given, masks.fixed_mask(T, S, **given)
        for block_size in (1, 4, 150):
            given = {"layout": layout_of(T, S, block_size), "block_size": block_size} | either
            yield "block_sparse_attention", given, masks.block_mask(T, S, **given)
    for block_size, num_random in ((2, 3), (5, 0), (5, 2), (150, 1)):
        given = {"block_size": block_size, "num_random": num_random, "seed": 3}
        yield "big_bird_attention", given, masks.big_bird_mask(T, S, **given)


def draw(T, S, value_dim=V):
    """Query, key, value, and a padding with a hole, one whose row sees nothing."""
    rng = np.random.default_rng(T + 7 * S)
    inputs = [rng.normal(size=(B, H, *shape)) for shape in ((T, K), (S, K), (S, value_dim))]
    padding = np.arange(S) < np.array([[S], [0]])
    padding[0, S // 3 :: 4] = False
    return inputs, padding[:, None, None]


def dense(inputs, pattern, padding=None):
    """Attention with a mask: forms all scores."""
    mask = pattern.reshape((1,) * (4 - pattern.ndim) + pattern.shape)
    mask = mask if padding is None else mask & padding
    return reference.scaled_dot_product_attention(*inputs, mask)


def run(face, name, given, inputs, padding=None, weight=None, dtype=None):
    """The output, and with a weight the gradients of its weighted sum."""

    def attend(*heads):
        found, weights = getattr(face, name)(*heads, mask=padding, **given)
        assert weights is None
        return found

    found = attend(*to(face, *inputs, dtype=dtype))
    assert dtype is None or dtype in str(found.dtype)
    if weight is None:
        return numbers(found), None
    slopes = gradients(
        face, lambda *heads: attend(*heads) * tensor(face, weight), dict(zip("qkv", inputs, strict=True))
    )
    return numbers(found), list(slopes.values())


NAMES = sorted({name for name, _, _ in patterns(5, 5)})
NAME = pytest.mark.parametrize("name", NAMES)
SMALL = LENGTHS[1:]


def of(name, T, S):
    return [(given, mask) for found, given, mask in patterns(T, S) if found == name]


def close(found, expected):
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@NAME
@FACE
@pytest.mark.parametrize(("T", "S"), LENGTHS)
def test_the_fast_path_is_dense_attention_with_the_mask(name, face, T, S):
    inputs, padding = draw(T, S)
    for given, pattern in of(name, T, S):
        close(run(face, name, given, inputs)[0], dense(inputs, pattern)[0])
    close(run(face, name, given, inputs, padding)[0], dense(inputs, pattern, padding)[0])


@NAME
@pytest.mark.parametrize(("T", "S"), SMALL)
def test_the_reference_is_dense_attention_with_the_mask(name, T, S):
    inputs, padding = draw(T, S)
    for given, pattern in of(name, T, S):
        for mask in (None, padding):
            found = getattr(reference, name)(*inputs, mask=mask, **given)
            for one, other in zip(found, dense(inputs, pattern, mask), strict=True):
                close(one, other)


def softmaxes(face):
    """The usual one; sinks that tell heads apart, and a cap, with a scale; each as an option."""
    sinks = face.SinkSoftmax(H, dtype=torch.float64 if face is pytorch else "float64")
    set_parameters(sinks, {"sink": np.array([-1.0, 0.5, 2.0, 0.0])})
    cap = face.CappedSoftmax(0.7, **({} if face is pytorch else {"dtype": "float64"}))
    others = (sinks, cap) if face is pytorch else (sinks.call, cap.call)
    return {}, *({"softmax": softmax, "scale": 0.3} for softmax in others)


@NAME
@FACE
@pytest.mark.parametrize(("T", "S"), SMALL)
def test_gradients_are_those_of_dense_attention(name, face, T, S):
    inputs, padding = draw(T, S)
    weight = np.random.default_rng(1).normal(size=(B, H, T, inputs[2].shape[-1]))
    usual, *others = zip(softmaxes(face), softmaxes(pytorch), strict=True)
    cases = of(name, T, S)[-3:]
    for (given, pattern), (own, theirs) in [*product(cases, [usual]), *product(cases[-1:], others)]:
        mask = torch.tensor(pattern.reshape((1,) * (4 - pattern.ndim) + pattern.shape) & padding)
        tensors = [torch.tensor(x, requires_grad=True) for x in inputs]
        found, _ = pytorch.scaled_dot_product_attention(*tensors, mask, **theirs)
        (found * torch.tensor(weight)).sum().backward()
        output, gradients = run(face, name, given | own, inputs, padding, weight)
        close(output, found.detach().numpy())
        for one, other in zip(gradients, tensors, strict=True):
            np.testing.assert_allclose(one, other.grad.numpy(), rtol=1e-10, atol=1e-10)


@NAME
@FACE
def test_few_queries_at_a_time_are_all_queries(name, face, monkeypatch):
    """What saves memory on long sequences, made visible on short ones."""
    for module in (pytorch, tf):
        for topic in ("blocks", "window", "strided", "block_sparse"):
            part = sys.modules[f"attn_course.mechanisms.{topic}.{module.__name__.rpartition('.')[2]}"]
            for size in {"BLOCK", "MEMORY_GROUP", "CACHE_GROUP", "ROWS"} & vars(part).keys():
                monkeypatch.setattr(part, size, 8 if size == "BLOCK" else 1)
    for T, S in SMALL:
        inputs, padding = draw(T, S, K)
        for given, pattern in of(name, T, S)[::2]:
            close(run(face, name, given, inputs, padding)[0], dense(inputs, pattern, padding)[0])


@NAME
@FACE
def test_any_leading_axes_and_half_precision(name, face):
    inputs, _ = draw(41, 41, K)
    for given, pattern in of(name, 41, 41):
        if given.get("heads") == "split":
            continue
        one = [x[0, 0] for x in inputs]
        close(run(face, name, given, one)[0], reference.scaled_dot_product_attention(*one, pattern)[0])
        # Queries as large as keys: rounded once, at the end, and not in between.
        exact = dense([numbers(tensor(face, x, "bfloat16")) for x in inputs], pattern)[0]
        found, _ = run(face, name, given, inputs, dtype="bfloat16")
        assert np.abs(found - exact).max() < 0.02


@NAME
@FACE
def test_wrong_arguments_are_named(name, face):
    inputs, _ = draw(7, 7)
    call = getattr(face, name)
    given, _ = of(name, 7, 7)[-1]
    query, key, value = to(face, *inputs)
    with pytest.raises(ValueError, match="padding"):
        call(query, key, value, mask=np.ones((7, 7), bool), **given)
    with pytest.raises(ValueError, match="value"):
        call(query, key, value[:, :, 1:], **given)
    with pytest.raises(ValueError, match="mask"):
        call(query, key, value, mask=np.ones((B, 1, 1, 7)), **given)
    for size in ("window", "dilation", "stride", "summary", "block_size"):
        for wrong in (0, -1, 1.5):
            if size in given:
                with pytest.raises(ValueError, match=size):
                    call(query, key, value, **given | {size: wrong})


def test_big_bird_needs_a_known_length_in_tensorflow():
    unknown = tensorflow.TensorSpec((None, H, None, K), tensorflow.float64)
    graph = tensorflow.function(
        lambda *inputs: tf.big_bird_attention(*inputs, block_size=2, num_random=1, seed=0)[0],
        input_signature=[unknown] * 3,
    )
    with pytest.raises(ValueError, match="known lengths"):
        graph(*[tensorflow.constant(x) for x in draw(7, 7, K)[0]])


LONG = {
    "sliding_window_attention": {"window": 17},
    "dilated_window_attention": {"window": 9, "dilation": 3},
    "longformer_attention": {"window": 17, "positions": (0, 5)},
    "strided_attention": {"stride": 45},
    "fixed_attention": {"stride": 64, "summary": 1},
    "block_sparse_attention": {"layout": np.eye(64, dtype=bool), "block_size": 32},
    "big_bird_attention": {"block_size": 16, "num_random": 2, "seed": 0},
}  # for 2,048 positions


def test_the_scores_of_all_pairs_are_never_formed():
    """The largest tensor of a run is far smaller than T x S: also with gradients, and where no kernel is fused."""
    T = 2048
    assert LONG.keys() == set(NAMES)
    inputs = [torch.randn(1, 1, T, width, requires_grad=True) for width in (4, 4, 8)]  # V differs: nothing is fused
    for name, given in LONG.items():
        with Largest() as watch:
            getattr(pytorch, name)(*inputs, **given)[0].sum().backward()
        assert watch.found < T * T / 4, f"{name} forms {watch.found} numbers of {T * T}"
    assert blocks_torch.BLOCK == blocks_tf.BLOCK


@pytest.mark.parametrize("name", [*NAMES, "scaled_dot_product_attention"])
def test_nor_are_they_in_a_graph_of_tensorflow(name):
    """By the sizes that the graph itself says; dense attention forms them all."""
    T, given = 2048, LONG.get(name, {})
    specs = [tensorflow.TensorSpec((1, 1, T, width), "float32") for width in (4, 4, 8)]
    sizes = sizes_in_a_graph(lambda *inputs: getattr(tf, name)(*inputs, **given)[0], *specs)
    assert max(sizes) < T * T / 4 if name in LONG else max(sizes) == T * T
