"""Gradients, dtypes and compilers: both frameworks, and central differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow
from attn_course.frameworks import torch

B, H, T, S, K, V = 2, 3, 5, 7, 11, 13
SHAPES = {
    "query": (B, H, T, K),
    "key": (B, H, S, K),
    "value": (B, H, S, V),
    "bias": (T, S),
}
PROBE = np.random.default_rng(9).normal(size=(B, H, T, V))  # makes a loss that asks for every output


def draw(seed=0):
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=shape) for name, shape in SHAPES.items()}


def draw_mask(empty_row=True):
    mask = np.random.default_rng(5).random((B, 1, T, S)) < 0.6
    mask[..., 0] = True
    mask[0, :, 1] = not empty_row
    mask[1, ..., 3] = False  # a key that no query may see
    return mask


def torch_gradients(arrays, mask, **options):
    leaves = {name: torch.from_numpy(array).requires_grad_() for name, array in arrays.items()}
    mask = None if mask is None else torch.from_numpy(mask)
    output, _ = pytorch.scaled_dot_product_attention(**leaves, mask=mask, **options)
    (output * torch.from_numpy(PROBE)).sum().backward()
    return {name: leaf.grad.numpy() for name, leaf in leaves.items()}


def tf_gradients(arrays, mask, **options):
    leaves = {name: tensorflow.Variable(array) for name, array in arrays.items()}
    with tensorflow.GradientTape() as tape:
        output, _ = tf.scaled_dot_product_attention(**leaves, mask=mask, **options)
        loss = tensorflow.reduce_sum(output * PROBE)
    return {name: gradient.numpy() for name, gradient in tape.gradient(loss, leaves).items()}


OPTIONS = pytest.mark.parametrize(
    ("mask", "causal"),
    [(None, False), (None, True), (draw_mask(), False), (draw_mask(False), True)],
)


@OPTIONS
def test_both_frameworks_and_both_paths(mask, causal):
    arrays = draw()
    expected = torch_gradients(arrays, mask, causal=causal)
    for found in (
        tf_gradients(arrays, mask, causal=causal),
        tf_gradients(arrays, mask, causal=causal, need_weights=False),
        torch_gradients(arrays, mask, causal=causal, need_weights=False),
    ):
        for name in SHAPES:
            assert_allclose(found[name], expected[name], rtol=1e-10, atol=1e-13, err_msg=name)


@OPTIONS
@pytest.mark.parametrize("name", SHAPES)
def test_central_differences_of_the_reference(name, mask, causal):
    arrays = draw()
    found = torch_gradients(arrays, mask, causal=causal)[name]

    def loss(array):
        output, _ = reference.scaled_dot_product_attention(**{**arrays, name: array}, mask=mask, causal=causal)
        return (output * PROBE).sum()

    # Along whole directions, so that every entry takes part in every comparison.
    for seed in range(3):
        direction = np.random.default_rng(seed).normal(size=SHAPES[name])
        direction /= np.linalg.norm(direction)
        slope = (loss(arrays[name] + 1e-5 * direction) - loss(arrays[name] - 1e-5 * direction)) / 2e-5
        assert_allclose((found * direction).sum(), slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("gradients", [torch_gradients, tf_gradients])
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("bad", [0.0, 1e30, -1e200])
def test_empty_rows_and_unseen_keys_have_zero_gradients(gradients, need_weights, bad):
    arrays, mask = draw(), draw_mask()
    clean = gradients(arrays, mask, need_weights=need_weights)
    arrays["key"][1, :, 3], arrays["value"][1, :, 3] = bad, bad
    found = gradients(arrays, mask, need_weights=need_weights)
    for name in SHAPES:
        assert np.isfinite(found[name]).all(), name
        assert_allclose(found[name], clean[name], rtol=1e-12, atol=1e-15, err_msg=name)
    assert not found["query"][0, :, 1].any()
    assert not found["key"][1, :, 3].any() and not found["value"][1, :, 3].any()


@pytest.mark.parametrize("gradients", [torch_gradients, tf_gradients])
@pytest.mark.parametrize("need_weights", [True, False])
def test_nothing_at_all_may_be_seen(gradients, need_weights):
    for gradient in gradients(draw(), np.zeros((T, S), bool), need_weights=need_weights).values():
        assert not gradient.any()  # and so no NaN


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_narrow_dtypes(dtype, need_weights):
    """Inputs are rounded first, so that only our own rounding is measured.

    The bound: one rounding of a score of size M changes a weight by M * eps relatively,
    the weights and the output are rounded once each, and sums of K and S terms in at
    least float32 stay far below that.
    """
    arrays, mask = draw(), draw_mask()
    narrow = {name: torch.from_numpy(array).to(getattr(torch, dtype)) for name, array in arrays.items()}
    exact = {name: array.double().numpy() for name, array in narrow.items()}
    expected, _ = reference.scaled_dot_product_attention(**exact, mask=mask)
    score = exact["query"] @ exact["key"].swapaxes(-1, -2)
    eps = torch.finfo(getattr(torch, dtype)).eps
    bound = eps * (3 * abs(score).max() + 8) * abs(exact["value"]).max()
    assert bound < 1000 * eps  # a bound that would let anything pass is none
    output, weights = pytorch.scaled_dot_product_attention(
        **narrow, mask=torch.from_numpy(mask), need_weights=need_weights
    )
    assert output.dtype == narrow["query"].dtype and (weights is None or weights.dtype == output.dtype)
    assert abs(output.double().numpy() - expected).max() < bound
    in_tf = {name: tensorflow.cast(array, dtype) for name, array in exact.items()}
    output, weights = tf.scaled_dot_product_attention(**in_tf, mask=mask, need_weights=need_weights)
    assert output.dtype == dtype and (weights is None or weights.dtype == dtype)
    assert abs(tensorflow.cast(output, "float64").numpy() - expected).max() < bound


@pytest.mark.parametrize("width", [K, None])
def test_sizes_that_tensorflow_does_not_know_yet(width):
    """One graph for any batch, length and width; the scale waits for the width."""
    spec = [tensorflow.TensorSpec((None, H, None, size), "float64") for size in (width, width, V)]
    graph = tensorflow.function(
        lambda *arrays: tf.scaled_dot_product_attention(*arrays, causal=True),
        input_signature=spec,
    )
    for queries in (T, S):
        arrays = [array[:, :, :queries] if i == 0 else array for i, array in enumerate(draw().values()) if i < 3]
        expected, weights = reference.scaled_dot_product_attention(*arrays, causal=True)
        output, found = graph(*map(tensorflow.constant, arrays))
        assert_allclose(output, expected, rtol=1e-10, atol=1e-13)
        assert_allclose(found, weights, rtol=1e-10, atol=1e-13)
