"""Sparse patterns: the fast paths of both frameworks are dense attention with the pattern's mask."""

import sys
from pathlib import Path

import numpy as np
import pytest

from attn_course import masks, pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow
from attn_course.frameworks import torch
from attn_course.mechanisms.blocks import pytorch as blocks_torch
from attn_course.mechanisms.blocks import tf as blocks_tf
from attn_course.parity import set_parameters

sys.path.insert(0, str(Path(__file__).parent))
from sparse_cases import LENGTHS, RUN, B, H, K, dense, draw, layout_of, patterns

NAMES = sorted({name for name, _, _ in patterns(5, 5)})
FACE = pytest.mark.parametrize("face", RUN)
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
        close(RUN[face](name, given, inputs)[0], dense(inputs, pattern)[0])
    close(RUN[face](name, given, inputs, padding)[0], dense(inputs, pattern, padding)[0])


@NAME
@pytest.mark.parametrize(("T", "S"), SMALL)
def test_the_reference_is_dense_attention_with_the_mask(name, T, S):
    inputs, padding = draw(T, S)
    for given, pattern in of(name, T, S):
        for mask in (None, padding):
            found = getattr(reference, name)(*inputs, mask=mask, **given)
            for one, other in zip(found, dense(inputs, pattern, mask), strict=True):
                close(one, other)


@NAME
@pytest.mark.parametrize(("T", "S"), LENGTHS[1:])
def test_gradients_are_those_of_dense_attention(name, T, S):
    inputs, padding = draw(T, S)
    weight = np.random.default_rng(1).normal(size=(B, H, T, inputs[2].shape[-1]))
    for given, pattern in of(name, T, S)[-3:]:
        mask = torch.tensor(pattern.reshape((1,) * (4 - pattern.ndim) + pattern.shape) & padding)
        tensors = [torch.tensor(x, requires_grad=True) for x in inputs]
        found, _ = pytorch.scaled_dot_product_attention(*tensors, mask)
        (found * torch.tensor(weight)).sum().backward()
        for run in RUN.values():
            output, gradients = run(name, given, inputs, padding, weight)
            close(output, found.detach().numpy())
            for one, other in zip(gradients, tensors, strict=True):
                np.testing.assert_allclose(one, other.grad.numpy(), rtol=1e-10, atol=1e-10)


def parts(face):
    """Softmaxes that tell heads apart, and others, in a framework."""
    sinks = face.SinkSoftmax(H, dtype=torch.float64 if face is pytorch else "float64")
    set_parameters(sinks, {"sink": np.array([-1.0, 0.5, 2.0, 0.0])})
    cap = face.CappedSoftmax(0.7, **({} if face is pytorch else {"dtype": "float64"}))
    return sinks, cap


@NAME
@FACE
@pytest.mark.parametrize(("T", "S"), [(7, 41), (53, 53)])
def test_another_softmax_is_that_of_dense_attention(name, face, T, S):
    """Sinks of one number a head, a cap, a scale; gradients too."""
    inputs, padding = draw(T, S)
    weight = np.random.default_rng(1).normal(size=(B, H, T, inputs[2].shape[-1]))
    for given, pattern in of(name, T, S)[1::3]:
        mask = torch.tensor(pattern.reshape((1,) * (4 - pattern.ndim) + pattern.shape) & padding)
        for own, theirs in zip(parts({"pytorch": pytorch, "tf": tf}[face]), parts(pytorch), strict=True):
            tensors = [torch.tensor(x, requires_grad=True) for x in inputs]
            found, _ = pytorch.scaled_dot_product_attention(*tensors, mask, softmax=theirs, scale=0.3)
            (found * torch.tensor(weight)).sum().backward()
            options = given | {"softmax": own if face == "pytorch" else own.call, "scale": 0.3}
            output, gradients = RUN[face](name, options, inputs, padding, weight)
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
            close(RUN[face](name, given, inputs, padding)[0], dense(inputs, pattern, padding)[0])


@NAME
@FACE
def test_keys_outside_the_pattern_have_no_influence(name, face):
    """Neither in the output of other queries nor in the gradient: no future through an edge of a block."""
    T = S = 53
    inputs, _ = draw(T, S)
    for given, pattern in of(name, T, S):
        if given.get("heads") == "split":
            continue
        far = 29
        changed = [x.copy() for x in inputs]
        for x in changed[1:]:
            x[..., far, :] += 1e3
        before, after = (RUN[face](name, given, x)[0] for x in (inputs, changed))
        same = (before == after).all(axis=(0, 1, 3))
        np.testing.assert_array_equal(same, ~pattern[:, far], err_msg=f"{name} {given}")


@NAME
@FACE
def test_no_key_may_be_seen(name, face):
    inputs, _ = draw(7, 7)
    weight = np.ones((B, H, 7, inputs[2].shape[-1]))
    given, _ = of(name, 7, 7)[0]
    output, gradients = RUN[face](name, given, inputs, np.zeros((B, 1, 1, 7), bool), weight)
    assert not output.any()
    assert not any(x.any() for x in gradients)


@NAME
@FACE
def test_any_leading_axes_and_half_precision(name, face):
    inputs, _ = draw(41, 41, K)
    for given, pattern in of(name, 41, 41):
        if given.get("heads") == "split":
            continue
        one = [x[0, 0] for x in inputs]
        close(RUN[face](name, given, one)[0], reference.scaled_dot_product_attention(*one, pattern)[0])
        # Queries as large as keys: rounded once, at the end, and not in between.
        if face == "pytorch":
            halves = [torch.tensor(x, dtype=torch.bfloat16) for x in inputs]
            found = getattr(pytorch, name)(*halves, **given)[0]
            assert found.dtype == torch.bfloat16
            exact = dense([x.double().numpy() for x in halves], pattern)[0]
            found = found.double().numpy()
        else:
            halves = [tensorflow.cast(x, tensorflow.bfloat16) for x in inputs]
            found = getattr(tf, name)(*halves, **given)[0]
            assert found.dtype == tensorflow.bfloat16
            exact = dense([tensorflow.cast(x, tensorflow.float64).numpy() for x in halves], pattern)[0]
            found = tensorflow.cast(found, tensorflow.float64).numpy()
        assert np.abs(found - exact).max() < 0.02


@NAME
@FACE
def test_wrong_arguments_are_named(name, face):
    module = {"pytorch": pytorch, "tf": tf}[face]
    inputs, _ = draw(7, 7)
    convert = torch.tensor if face == "pytorch" else tensorflow.constant
    call = getattr(module, name)
    given, _ = of(name, 7, 7)[-1]
    query, key, value = (convert(x) for x in inputs)
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


def test_patterns_of_wrong_sizes_are_named():
    inputs, _ = draw(7, 7)
    with pytest.raises(ValueError, match="layout"):
        reference.block_sparse_attention(*inputs, np.ones((2, 2), bool), 3)
    with pytest.raises(ValueError, match="layout"):
        reference.block_sparse_attention(*inputs, np.ones((3, 3)), 3)
    with pytest.raises(ValueError, match="summary"):
        reference.fixed_attention(*inputs, stride=3, summary=4)
    with pytest.raises(ValueError, match="positions"):
        reference.longformer_attention(*inputs, window=2, positions=[7])
    with pytest.raises(ValueError, match="heads"):
        reference.strided_attention(*(x[:, :3] for x in inputs), stride=2, heads="split")
    with pytest.raises(ValueError, match="heads"):
        reference.strided_attention(*inputs, stride=2, heads="both")


DYNAMIC = [name for name in NAMES if name != "big_bird_attention"]  # its layout depends on the length


@pytest.mark.parametrize("name", DYNAMIC)
def test_torch_exports_with_any_batch_and_length(name):
    given, _ = of(name, 53, 53)[-1]
    if "layout" in given:
        given = {"layout": layout_of(53, 53, 16), "block_size": 16, "causal": True}
    if "positions" in given:  # which every length must have
        given = given | {"positions": [0, 5]}
    module = torch.nn.Module()
    module.forward = lambda query, key, value: getattr(pytorch, name)(query, key, value, **given)[0]
    low, high = (49, 64) if "layout" in given else (7, 512)
    dims = {0: torch.export.Dim("batch", min=1, max=64), 2: torch.export.Dim("length", min=low, max=high)}
    made = [torch.tensor(x) for x in draw(53, 53, K)[0]]
    exported = torch.export.export(module, tuple(made), dynamic_shapes=dict.fromkeys(("query", "key", "value"), dims))
    for length in (50, 61) if "layout" in given else (7, 131):
        inputs = [torch.tensor(x[:1]) for x in draw(length, length, K)[0]]
        torch.testing.assert_close(exported.module()(*inputs), module.forward(*inputs), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", DYNAMIC)
def test_tensorflow_compiles_for_any_batch_and_length(name):
    given, _ = of(name, 53, 53)[-1]
    if "layout" in given:
        given = {"layout": layout_of(53, 53, 16), "block_size": 16, "causal": True}
    if "positions" in given:  # which every length must have
        given = given | {"positions": [0, 5]}
    plain = getattr(tf, name)
    unknown = tensorflow.TensorSpec((None, H, None, K), tensorflow.float64)
    graph = tensorflow.function(
        lambda *inputs: plain(*inputs, **given)[0], jit_compile=True, input_signature=[unknown] * 3
    )
    for length in (50, 61) if "layout" in given else (7, 131):
        inputs = [tensorflow.constant(x) for x in draw(length, length, K)[0]]
        close(graph(*inputs).numpy(), plain(*inputs, **given)[0].numpy())


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
        largest = 0

        class Watch(torch.utils._python_dispatch.TorchDispatchMode):
            def __torch_dispatch__(self, function, types, arguments=(), options=None):
                nonlocal largest
                made = function(*arguments, **(options or {}))
                if torch.is_tensor(made):
                    largest = max(largest, made.untyped_storage().nbytes() // made.element_size())
                return made

        with Watch():
            getattr(pytorch, name)(*inputs, **given)[0].sum().backward()
        assert largest < T * T / 4, f"{name} forms {largest} numbers of {T * T}"
    assert blocks_torch.BLOCK == blocks_tf.BLOCK


@pytest.mark.parametrize("name", [*NAMES, "scaled_dot_product_attention"])
def test_nor_are_they_in_a_graph_of_tensorflow(name):
    """By the sizes that the graph itself says; dense attention forms them all."""
    T, given = 2048, LONG.get(name, {})
    specs = [tensorflow.TensorSpec((1, 1, T, width), "float32") for width in (4, 4, 8)]
    graph = tensorflow.function(lambda *inputs: getattr(tf, name)(*inputs, **given)[0])
    operations = graph.get_concrete_function(*specs).graph.get_operations()
    sizes = [x.shape.num_elements() for operation in operations for x in operation.outputs]
    assert None not in sizes and not any("While" in x.type or "If" in x.type for x in operations)
    assert max(sizes) < T * T / 4 if name in LONG else max(sizes) == T * T


# --- what must be caught --------------------------------------------------------------


@FACE
@pytest.mark.parametrize("positions", [(0,), (3, 11, 22)])
@pytest.mark.parametrize("causal", [False, True])
def test_global_positions_alone(face, positions, causal):
    """A window of 1 leaves each query itself: what is seen beyond that is global."""
    T = 23
    inputs, _ = draw(T, T)
    pattern = masks.global_mask(T, T, positions) | np.eye(T, dtype=bool)
    pattern = pattern & masks.causal_mask(T, T) if causal else pattern
    given = {"window": 1, "positions": positions, "causal": causal}
    close(RUN[face]("longformer_attention", given, inputs)[0], dense(inputs, pattern)[0])


def wrong_patterns(T):
    """Name, arguments, the right mask, and what a faulty implementation would compute, as a mask or as a bias."""
    given = {"window": 5, "causal": True}
    right = masks.sliding_window_mask(T, T, 5, True)
    for window in (4, 6):
        wrong = masks.sliding_window_mask(T, T, window, True)
        yield "window off by one", "sliding_window_attention", given, right, wrong
    given = {"block_size": 4, "num_random": 1, "seed": 0}
    right = masks.big_bird_mask(T, T, **given)
    plain = masks.big_bird_mask(T, T, **given | {"num_random": 0})
    twice = np.where(right, np.where(plain, 0.0, np.log(2.0)), -np.inf)
    yield "random block counted twice", "big_bird_attention", given, right, twice
    given = {"window": 3, "positions": [2, 9]}
    right = masks.longformer_mask(T, T, **given)
    wrong = masks.sliding_window_mask(T, T, 3, False)
    wrong[:, given["positions"]] = True
    yield "global rows not attending", "longformer_attention", given, right, wrong
    size = 5
    whole = T // size * size  # what full blocks hold
    for name, given, right in (
        ("fixed_attention", {"stride": size, "summary": 2, "causal": True}, masks.fixed_mask(T, T, size, 2)),
        ("big_bird_attention", {"block_size": size, "num_random": 0, "seed": 0}, None),
    ):
        right = masks.big_bird_mask(T, T, **given) if right is None else right
        wrong = right & (np.arange(T) < whole)
        yield "last partial block dropped", name, given, right, wrong
    given = {"stride": size, "summary": 1, "causal": True}
    right = masks.fixed_mask(T, T, size, 1)
    block = np.arange(T) // size
    yield "future leaked inside a block", "fixed_attention", given, right, right | (block[:, None] == block)
    given = {"layout": np.tri(-(-T // size), dtype=bool), "block_size": size, "causal": True}
    right = masks.block_mask(T, T, **given)
    wrong = masks.block_mask(T, T, **given | {"causal": False})
    yield "future leaked across a block's edge", "block_sparse_attention", given, right, wrong


@FACE
@pytest.mark.parametrize("case", list(wrong_patterns(23)), ids=lambda case: case[0])
def test_the_bank_of_wrong_patterns(face, case):
    """What each fault would compute is far from the fast path, which is right."""
    _, name, given, right, wrong = case
    inputs, _ = draw(23, 23)
    found = RUN[face](name, given, inputs)[0]
    close(found, dense(inputs, right)[0])
    if wrong.dtype == bool:
        other = dense(inputs, wrong)[0]
    else:
        other = reference.scaled_dot_product_attention(*inputs, bias=wrong)[0]
    assert np.abs(found - other).max() > 0.05
