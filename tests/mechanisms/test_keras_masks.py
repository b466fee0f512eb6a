"""The padding that Keras carries, given once more as a mask: it counts once, and nothing is taken for it in silence."""

import numpy as np
import pytest
from support import close, draw, numbers

from attn_course import tf
from attn_course.frameworks import keras, tf as tensorflow

D, H = 12, 3
SIZES = {"FlashAttention": {"block_size": 4}, "SlidingWindowAttention": {"window": 3}, "LinearAttention": {}}
SIZES |= {"PerformerAttention": {"num_features": 8}}
LENGTHS = pytest.mark.parametrize("length", [5, 7])  # 5 is the batch's size too


def words(length, B=5):
    """Tokens of rows that end early, 0 behind their end."""
    return np.where(np.arange(length) < np.arange(2, 2 + B)[:, None], 1 + np.arange(length) % 4, 0)


def embedding():
    made = keras.layers.Embedding(6, D, mask_zero=True, dtype="float64")
    made.build()
    made.embeddings.assign(draw(6, D))
    return made


class First(keras.layers.Layer):
    """The output of a pair, without the weights, which are None."""

    supports_masking = True

    def compute_mask(self, pair, previous_mask=None):
        return None

    def call(self, pair):
        return pair[0]


@LENGTHS
@pytest.mark.parametrize("name", SIZES)
def test_sequential_counts_padding_once(name, length):
    embed, layer = embedding(), getattr(tf, name)(D, H, **SIZES[name], dtype="float64")
    tokens = words(length)
    expected = layer(embed(tokens))[0]
    plain = layer(tensorflow.constant(numbers(embed(tokens))), mask=(tokens != 0)[:, None, None])[0]
    close(expected, numbers(plain))
    model = keras.Sequential([embed, layer, First()])
    close(model(tokens), numbers(plain), 1e-6)  # the last layer is of float32


@LENGTHS
@pytest.mark.parametrize("name", ["MultiHeadAttention", "EncoderLayer", "LatentAttention", "SelfAttention"])
def test_what_compute_mask_gives_counts_once(name, length):
    sizes = {"EncoderLayer": (D, H, 7), "SelfAttention": (D,)}.get(name, (D, H))
    widths = {"key_dim": 3, "value_dim": 2}
    more = {"SelfAttention": widths, "LatentAttention": {"latent_dim": 5, "rope_dim": 2, **widths}}.get(name, {})
    embed, layer, tokens = embedding(), getattr(tf, name)(*sizes, **more, dtype="float64"), words(length)
    expected = numbers(layer(embed(tokens))[0])
    x = embed(tokens)
    close(layer(x, mask=x._keras_mask)[0], expected)
    close(layer(x, mask=embed.compute_mask(tokens))[0], expected)
    close(layer(x, mask=tokens != 0)[0], expected)

    @tensorflow.function(input_signature=[tensorflow.TensorSpec((None, None), "int64")])
    def graph(tokens):
        return layer(embed(tokens), mask=embed.compute_mask(tokens))[0]

    close(graph(tokens), expected)
    entry = keras.Input((None,), dtype="int64")
    model = keras.Model(entry, keras.tree.flatten(layer(embed(entry), mask=embed.compute_mask(entry)))[0])
    close(model(tokens), expected)
    close(model.predict(tokens, verbose=0), expected)


def test_rows_beside_padding():
    """(T, S) is what it was where it can't be padding; where it could, the way out is named."""
    embed, layer = embedding(), tf.MultiHeadAttention(D, H, dtype="float64")
    rows = np.tril(np.ones((7, 7), bool))
    x = embed(words(7))
    close(layer(x, mask=rows)[0], numbers(layer(x, causal=True)[0]))
    other = words(7)[::-1] != 0
    with pytest.raises(ValueError, match=r"mask must have shape \(T, S\) with T = 7.* got \(5, 7\)\. Padding"):
        layer(x, mask=other)
    x, rows = embed(words(5)), np.tril(np.ones((5, 5), bool))
    for mask in (rows, words(5)[::-1] != 0):
        with pytest.raises(ValueError, match=r"mask beside .* could be rows \(T, S\) or other padding \(B, S\)"):
            layer(x, mask=mask)
    close(layer(x, mask=rows[None, None])[0], numbers(layer(x, causal=True)[0]))
    plain = tensorflow.constant(numbers(x))
    close(layer(plain, mask=rows)[0], numbers(layer(plain, causal=True)[0]))  # nothing carried: always (T, S)
    x = embed(words(7))

    @tensorflow.function
    def graph(mask):
        return layer(x, mask=mask)[0]

    with pytest.raises(ValueError, match="could be rows"):
        graph.get_concrete_function(tensorflow.TensorSpec((None, 7), "bool"))


def test_padding_gets_its_axes_one_by_one():
    """TFLite has no operator for an index that makes two new axes; it has one for ``expand_dims``."""
    embed, layer = embedding(), tf.MultiHeadAttention(D, H, dtype="float64")

    @tensorflow.function(input_signature=[tensorflow.TensorSpec((None, 7), "int64")])
    def graph(tokens):
        return layer(embed(tokens))[0]

    steps = graph.get_concrete_function().graph.get_operations()
    new_axes = [step.get_attr("new_axis_mask") for step in steps if step.type == "StridedSlice"]
    assert any(step.type == "ExpandDims" for step in steps)
    assert all(bin(number).count("1") < 2 for number in new_axes)


@pytest.mark.filterwarnings("ignore")  # the library's own: its interpreter has moved to another package
def test_tflite_behind_an_embedding_that_masks():
    entry = keras.Input((7,), 1, dtype="int32")
    x = keras.layers.Embedding(6, D, mask_zero=True)(entry)
    x, _ = tf.Encoder(1, D, H, 7, norm="pre")(tf.SinusoidalEncoding(D)(x), need_weights=False)
    model = keras.Model(entry, keras.layers.GlobalAveragePooling1D()(x))
    written = tensorflow.lite.TFLiteConverter.from_keras_model(model).convert()
    light = tensorflow.lite.Interpreter(model_content=written)
    light.allocate_tensors()
    for row in words(7).astype("int32"):
        light.set_tensor(light.get_input_details()[0]["index"], row[None])
        light.invoke()
        close(light.get_tensor(light.get_output_details()[0]["index"]), model(row[None]), 1e-5)
