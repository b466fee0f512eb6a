"""The layers of multi-head attention: dropout, rotary, Keras's masks, compilers, half precision."""

import numpy as np
import pytest
from multi_head_cases import PARAMETERS, ROWS, D, inputs, layer, run, scaled, specification, turn_of
from support import FACE, close, numbers, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.frameworks import tf as tensorflow
from attn_course.masks import causal_mask

# --- dropout and rotary ---------------------------------------------------------------


def seed(number):
    torch.manual_seed(number)
    keras.utils.set_random_seed(number)


@FACE
@pytest.mark.parametrize("need_weights", [True, False])
def test_dropout_drops_weights_in_training_only(face, need_weights):
    """With one key every weight is 1: in training a head's context is nothing or, at rate 1/2, twice the value."""
    eye, batch = np.eye(6), 40
    parameters = {f"{name}_weight": eye for name in ("query", "key", "value", "output")}
    sizes = {"model_dim": 6, "num_heads": 3, "key_dim": 2, "value_dim": 2, "memory_dim": 6, "use_bias": False}
    seed(1)
    item = layer(face, parameters, **sizes, dropout=0.5)
    rng = np.random.default_rng(0)
    arrays = to(face, rng.normal(size=(batch, 5, 6)), rng.normal(size=(batch, 1, 6)))

    def call(training):
        if face is tf:
            return item(*arrays, need_weights=need_weights, training=training)
        return item.train(training)(*arrays, need_weights=need_weights)

    value = np.broadcast_to(numbers(arrays[1]), (batch, 5, 6))
    close(call(False)[0], value)
    output, weights = call(True)
    share = (numbers(output) / value).reshape(batch, 5, 3, 2)
    assert np.allclose(share[..., 0], share[..., 1])  # a weight is dropped for the whole head
    close(np.sort(np.unique(share.round(6))), [0, 2])
    assert abs(share.mean() - 1) < 0.15
    assert (weights is None) != need_weights
    if need_weights:
        close(weights, np.ones((batch, 3, 5, 1)))  # as they were before
    assert not np.array_equal(numbers(call(True)[0]), numbers(output))


def test_rotary_meets_projected_queries_and_keys(tmp_path):
    def in_numpy(query, key):
        return tuple(x * change[:, None] for x, change in zip((query, key), scaled(query, key), strict=True))

    expected = specification(rotary=in_numpy)(*inputs())
    assert np.abs(expected[1] - specification()(*inputs())[1]).max() > 0.1
    found = [specification(attend=reference.multi_head_attention_at_once, rotary=in_numpy)(*inputs())]
    layers = {face: layer(face, PARAMETERS, rotary=turn_of(face)) for face in (pytorch, tf)}
    found += [run(face, item, inputs()) for face, item in layers.items()]
    entries = [keras.Input(x.shape[1:], dtype="float64") for x in inputs()]
    model = keras.Model(entries, layers[tf](*entries))
    model.save(tmp_path / "model.keras")
    found.append(keras.models.load_model(tmp_path / "model.keras")(inputs()))
    for output, weights in found:
        close(output, expected[0])
        close(weights, expected[1])


# --- what Keras carries along ---------------------------------------------------------


TOKENS = np.array([[3, 1, 2, 0, 0], [4, 0, 0, 0, 0], [1, 2, 3, 4, 1], [0, 2, 0, 3, 0], [0, 0, 0, 0, 0]])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("rows", [None, causal_mask(5, 5)[::-1].copy()])
def test_padding_that_keras_carries(causal, rows):
    """As many sentences as words: a padding (B, S) that is taken for (T, S) would break no shape."""
    embedding = keras.layers.Embedding(5, D, mask_zero=True, dtype="float64")
    item = layer(tf, memory_dim=None)
    words = embedding(TOKENS)
    plain = tensorflow.constant(words.numpy())
    padding = (TOKENS != 0)[:, None, None]
    expected = item(plain, mask=padding if rows is None else padding & rows, causal=causal)
    mask = None if rows is None else tensorflow.constant(rows[None, None])
    entry = keras.Input((5,), dtype="int64")
    embedded = embedding(entry)
    for found in (
        item(words, mask=mask, causal=causal),
        item(query=words, mask=mask, causal=causal),
        item(plain, words, mask=mask, causal=causal),
        item(plain, plain, words, mask=mask, causal=causal),
        item(plain, words, plain, mask=mask, causal=causal),
        keras.Model(entry, item(embedded, mask=mask, causal=causal))(TOKENS),
        tensorflow.function(lambda x: item(embedding(x), mask=mask, causal=causal))(TOKENS),
    ):
        close(found[0], expected[0])
        close(found[1], expected[1])
    carried = item(words, mask=mask, causal=causal)[0]._keras_mask  # for the layer behind
    assert np.array_equal(carried, TOKENS != 0) and not hasattr(item(plain)[0], "_keras_mask")
    # The padding of the query alone says nothing about keys.
    close(item(words, plain, mask=mask, causal=causal)[1], item(plain, mask=mask, causal=causal)[1])


# --- compilers and numbers of less precision ------------------------------------------


@pytest.mark.parametrize("need_weights", [True, False])
def test_torch_autocast(need_weights):
    """An input may be float32 or, from a layer before, bfloat16."""
    item = layer(pytorch, dtype="float32")
    query, key, value = (x.float() for x in to(pytorch, *inputs()))
    expected = specification()(*inputs(), mask=ROWS)[0]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        (mask,) = to(pytorch, ROWS)
        output, _ = item(query, key.bfloat16(), value, mask, need_weights=need_weights)
    assert output.dtype == torch.bfloat16
    assert np.abs(numbers(output.double()) - expected).max() < 0.1 * np.abs(expected).max()
    with pytest.raises(ValueError, match="key must be float32 like query, got bfloat16"):
        item(query, key.bfloat16(), value)
