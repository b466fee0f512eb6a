"""The libraries' own layers, with their weights moved into ours: independent witnesses for all three."""

import numpy as np
import pytest
from support import build, numbers, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.masks import causal_mask, from_blocked, padding_mask
from attn_course.parity import get_parameters, set_parameters

B, T, S, H, D, E, F = 3, 5, 7, 2, 22, 13, 17
PADDING = padding_mask([7, 4, 1], S)  # no empty row: there the libraries give NaN, or an average of everything
CAUSAL = causal_mask(T, S)
MASKS = pytest.mark.parametrize("masked", ["", "padding", "causal", "padding causal"])
BIASES = pytest.mark.parametrize("use_bias", [True, False])
WIDTHS = pytest.mark.parametrize("memory_dim", [(D, D), (E, F)], ids=["one width", "three widths"])


def draw(memory_dim, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in ((B, T, D), (B, S, memory_dim[0]), (B, S, memory_dim[1]))]


def ours(arrays, parameters, memory_dim, *, num_heads=H, mask=None, **sizes):
    """Output and weights of all three from one dict of parameters; the framework's layers also without weights."""
    yield reference.multi_head_attention(*arrays, parameters, num_heads=num_heads, mask=mask)
    sizes |= {"memory_dim": memory_dim, "use_bias": "query_bias" in parameters}
    for face in (pytorch, tf):
        layer = build(face, "MultiHeadAttention", D, num_heads, **sizes)
        set_parameters(layer, parameters)
        for need_weights in (True, False):
            options = {"mask": tensor(face, mask), "need_weights": need_weights}
            yield [x if x is None else numbers(x) for x in layer(*to(face, *arrays), **options)]


def full(masked):
    """Our mask (B, 1, T, S), or None."""
    mask = np.ones((B, 1, T, S), bool)
    mask &= PADDING[:, None, None] if "padding" in masked else True
    mask &= CAUSAL if "causal" in masked else True
    return mask if masked else None


def same(found, output, weights, tolerance):
    np.testing.assert_allclose(found[0], output, rtol=tolerance, atol=tolerance)
    if found[1] is not None:
        np.testing.assert_allclose(found[1], weights, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("turned", [True, False])
def test_pytorch_s_transformer_layers_block_where_true(turned):
    """Their masks fit as they are, and then show what they should hide; ``from_blocked`` turns them round."""
    torch.manual_seed(0)
    theirs = torch.nn.TransformerEncoderLayer(D, H, dim_feedforward=E, dropout=0.0, batch_first=True).double()
    layer, x = pytorch.MultiHeadAttention.from_torch(theirs.self_attn), torch.from_numpy(draw((D, D))[1])
    blocked = torch.from_numpy(~PADDING)
    mask = from_blocked(blocked) if turned else blocked
    y = theirs.norm1(x + layer(x, mask=mask[:, None, None])[0])
    found = theirs.norm2(y + theirs.linear2(torch.relu(theirs.linear1(y))))
    expected = theirs(x, src_key_padding_mask=blocked)
    assert torch.allclose(found, expected, atol=1e-10) == turned
    assert from_blocked(blocked).any(dim=1).all() and blocked[1:].any(dim=1).all()


@MASKS
@BIASES
@WIDTHS
def test_pytorch(masked, use_bias, memory_dim):
    torch.manual_seed(0)
    kdim, vdim = memory_dim
    module = torch.nn.MultiheadAttention(D, H, bias=use_bias, kdim=kdim, vdim=vdim, batch_first=True).double()
    for parameter in module.parameters():  # biases begin as zeros
        torch.nn.init.normal_(parameter, std=0.3)
    arrays, layer = draw(memory_dim), pytorch.MultiHeadAttention.from_torch(module)
    assert ("key_bias" in get_parameters(layer)) == use_bias
    padding = torch.from_numpy(~PADDING) if "padding" in masked else None
    future = torch.from_numpy(~CAUSAL) if "causal" in masked else None
    inputs = [torch.from_numpy(x) for x in arrays]
    output, weights = module(*inputs, key_padding_mask=padding, attn_mask=future, average_attn_weights=False)
    theirs = numbers(output), numbers(weights)
    for found in ours(arrays, get_parameters(layer), memory_dim, mask=full(masked)):
        same(found, *theirs, 1e-10)
    # The layer itself, with their masks turned over
    mask = None if padding is None else from_blocked(padding)[:, None, None]
    mask = mask if future is None else from_blocked(future) if mask is None else mask & from_blocked(future)
    same([numbers(x) for x in layer(*inputs, mask)], *theirs, 1e-10)


def test_pytorch_on_a_row_that_may_see_nothing():
    """What the docstring says of ``nn.MultiheadAttention`` is still so: NaN there, our output bias here."""
    module = torch.nn.MultiheadAttention(D, H, batch_first=True).double()
    torch.nn.init.normal_(module.out_proj.bias)
    x = torch.from_numpy(draw((D, D))[0])
    blocked = torch.ones(B, T, dtype=torch.bool)
    assert module(x, x, x, key_padding_mask=blocked)[0].isnan().all()
    mask = from_blocked(blocked)[:, None, None]
    output = pytorch.MultiHeadAttention.from_torch(module)(x, mask=mask)[0]
    assert torch.equal(output, module.out_proj.bias.expand_as(output))


def test_from_torch_keeps_dtype_dropout_and_mode():
    module = torch.nn.MultiheadAttention(D, H, dropout=0.25).half().eval()
    layer = pytorch.MultiHeadAttention.from_torch(module)
    assert layer.config["dropout"] == 0.25 and not layer.training
    assert {x.dtype for x in layer.parameters()} == {torch.float16}
    with torch.no_grad():
        layer.query.weight.zero_()
    assert module.in_proj_weight.abs().max() > 0  # copies
    assert pytorch.MultiHeadAttention.from_torch(torch.nn.MultiheadAttention(D, H)).training


@MASKS
@BIASES
@WIDTHS
def test_keras(masked, use_bias, memory_dim):
    """Keras computes its softmax in the layer's dtype; a width of 3 for keys and 5 for values."""
    keras.utils.set_random_seed(0)
    layer = keras.layers.MultiHeadAttention(H, 3, value_dim=5, use_bias=use_bias, dtype="float64")
    query, key, value = arrays = draw(memory_dim)
    layer(query, value, key)
    for variable in layer.trainable_variables:
        variable.assign(np.random.default_rng(len(variable.path)).normal(size=variable.shape) / 3)
    converted = tf.MultiHeadAttention.from_keras(layer)
    parameters = get_parameters(converted)
    assert parameters["query_weight"].shape == (D, 3 * H) and parameters["value_weight"].shape == (memory_dim[1], 5 * H)
    mask = full(masked)
    output, weights = layer(
        query, value, key, attention_mask=None if mask is None else mask[:, 0], return_attention_scores=True
    )
    theirs = np.asarray(output), np.asarray(weights)
    for found in ours(arrays, parameters, memory_dim, mask=mask, key_dim=3, value_dim=5):
        same(found, *theirs, 1e-6)
    same([np.asarray(x) for x in converted(*arrays, mask)], *theirs, 1e-6)


@MASKS
def test_keras_with_the_masks_that_it_carries(masked):
    """The same embedding into both layers; rows of padded queries are Keras's own affair."""
    tokens = np.where(PADDING, np.random.default_rng(0).integers(1, 9, (B, S)), 0)
    embed = keras.layers.Embedding(9, D, mask_zero="padding" in masked, dtype="float64")
    layer = keras.layers.MultiHeadAttention(H, 5, dtype="float64")
    causal = "causal" in masked
    words = embed(tokens)
    expected = layer(words, words, use_causal_mask=causal).numpy()
    # Embedded once more: Keras's layer takes the mask away from what it was given.
    found = tf.MultiHeadAttention.from_keras(layer)(embed(tokens), causal=causal)[0].numpy()
    np.testing.assert_allclose(found[PADDING], expected[PADDING], rtol=1e-6, atol=1e-6)


def test_from_keras_keeps_dtype_and_dropout():
    layer = keras.layers.MultiHeadAttention(H, 5, dropout=0.25, dtype="mixed_bfloat16")
    with pytest.raises(ValueError, match="layer must be built"):
        tf.MultiHeadAttention.from_keras(layer)
    x = draw((D, D))[0]
    layer(x, x)
    converted = tf.MultiHeadAttention.from_keras(layer)
    assert converted.config["dropout"] == 0.25 and converted.dtype_policy.name == "mixed_bfloat16"
    for options, words in (
        ({"output_shape": 3}, "output_shape=22, got 3"),
        ({"attention_axes": (1, 2)}, r"attention_axes=\(1,\), got \(1, 2\)"),
    ):
        other = keras.layers.MultiHeadAttention(H, 5, **options)
        values = np.ones((2, 3, 4, D) if "attention_axes" in options else (2, 3, D), "float32")
        other(values, values)
        with pytest.raises(ValueError, match=f"layer must have {words}"):
            tf.MultiHeadAttention.from_keras(other)
