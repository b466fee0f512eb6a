"""Independent witnesses: PyTorch's and Keras's grouped attention; Hugging Face's modules: tests/clients."""

import numpy as np
import pytest
from support import build, numbers

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.parity import get_parameters, set_parameters

B, S, D, H, K = 2, 7, 18, 6, 4


@pytest.mark.parametrize("groups", [1, 3, 6])
@pytest.mark.parametrize("masked", [False, True])
def test_pytorch_s_enable_gqa(groups, masked):
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(B, H, 5, K)), *rng.normal(size=(2, B, groups, S, K))
    mask = rng.random((B, H, 5, S)) < 0.7 if masked else None
    inputs = [torch.from_numpy(x) for x in (query, key, value)]
    torch_mask = None if mask is None else torch.from_numpy(mask)
    expected = torch.nn.functional.scaled_dot_product_attention(*inputs, torch_mask, enable_gqa=True).numpy()
    for found in (
        reference.grouped_query_attention(query, key, value, mask),
        pytorch.grouped_query_attention(*inputs, torch_mask),
        pytorch.grouped_query_attention(*inputs, torch_mask, need_weights=False),
        tf.grouped_query_attention(query, key, value, mask),
    ):
        np.testing.assert_allclose(numbers(found[0]), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("groups", [1, 3, 6])
def test_keras_s_grouped_layer(groups):
    theirs = keras.layers.GroupQueryAttention(K, H, groups, dtype="float64")
    rng = np.random.default_rng(0)
    x, memory = rng.normal(size=(B, 5, D)), rng.normal(size=(B, S, D))
    theirs(x, memory)
    for variable in theirs.trainable_variables:
        variable.assign(rng.normal(size=variable.shape) / 3)
    converted = tf.GroupedQueryAttention.from_keras(theirs)
    parameters = get_parameters(converted)
    mask = rng.random((B, 5, S)) < 0.8
    expected = numbers(theirs(x, memory, attention_mask=mask))
    sizes = {"num_heads": H, "num_kv_heads": groups}
    layer = build(pytorch, "GroupedQueryAttention", D, H, num_kv_heads=groups, key_dim=K)
    set_parameters(layer, parameters)
    found = [reference.grouped_query_layer(x, memory, memory, parameters, **sizes, mask=mask[:, None])[0]]
    found.append(numbers(layer(*(torch.from_numpy(y) for y in (x, memory, memory, mask[:, None])))[0]))
    found.append(numbers(converted(x, memory, memory, mask[:, None])[0]))
    for one in found:
        np.testing.assert_allclose(one, expected, rtol=1e-6, atol=1e-6)


def test_a_grouped_layer_that_is_not_ours_is_refused():
    for make, words in (
        (lambda: keras.layers.MultiHeadAttention(H, K), "layer must be a GroupedQueryAttention of the library"),
        (lambda: keras.layers.GroupQueryAttention(K, H, 2), "layer must be built"),
        (lambda: keras.layers.GroupQueryAttention(K, H, 2, use_gate=True), "layer must have use_gate"),
        (lambda: keras.layers.GroupQueryAttention(K, H, 2, sliding_window=3), "layer must have sliding_window=None"),
    ):
        layer = make()
        if "must have" in words:
            layer(*2 * [np.ones((1, S, D), "float32")])
        with pytest.raises(ValueError, match=words):
            tf.GroupedQueryAttention.from_keras(layer)
