"""Our models are models of Keras: compiled, fitted, evaluated, saved and loaded themselves, as others are."""

import inspect

import numpy as np
import pytest
from support import close

from attn_course import tf
from attn_course.frameworks import keras, tf as tensorflow

B, S, T, N = 6, 7, 5, 11
RNG = np.random.default_rng(0)
SOURCE, TARGET, WANTED = (RNG.integers(1, N, (B, length)) for length in (S, T, T))
CROSSING = {"source": SOURCE, "target": TARGET}
TRANSFORMER = lambda **more: tf.Transformer(N, 1, 8, 2, 16, **more)  # noqa: E731
MODELS = {
    "language model": (lambda **more: tf.LanguageModel(N, 1, 8, 2, 16, **more), TARGET),
    "window": (
        lambda **more: tf.LanguageModel(
            N, 1, 8, 2, 16, positions=None, attention=lambda _: tf.SlidingWindowAttention(8, 2, window=3), **more
        ),
        TARGET,
    ),
    "by place": (TRANSFORMER, (SOURCE, TARGET)),
    "by name": (TRANSFORMER, CROSSING),
    "recurrent": (
        lambda: tf.EncoderDecoder(
            tf.RecurrentEncoder(N, 3, 4), tf.BahdanauDecoder(N, 3, 4, memory_dim=8, attention_dim=5)
        ),
        (SOURCE, TARGET),
    ),
}
MODEL = pytest.mark.parametrize("name", MODELS)
REPEATS = "by place", "by name", "window"  # models that XLA compiles in other tests


@pytest.fixture
def eagerly():
    """Says whether TensorFlow shall take steps without their graph, which takes longer than a few steps."""
    yield tensorflow.config.run_functions_eagerly
    tensorflow.config.run_functions_eagerly(False)


def compiled(model, optimizer="adam"):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"])
    return model


def right(model, x):
    """Loss and accuracy, from the logits of a call."""
    inputs = x.values() if isinstance(x, dict) else x if isinstance(x, tuple) else (x,)
    logits = np.asarray(model(*map(keras.ops.convert_to_tensor, inputs))[0], dtype="float64")
    chance = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    loss = -np.take_along_axis(chance, WANTED[..., None], -1).mean()
    return logits, [loss, (logits.argmax(-1) == WANTED).mean()]


@MODEL
@pytest.mark.filterwarnings("ignore:Even though the .tf.config")  # the data have graphs all the same
def test_a_model_learns_and_goes_through_a_file(name, tmp_path, eagerly):
    make, x = MODELS[name]
    eagerly(name in REPEATS)
    model = compiled(make(), keras.optimizers.Adam(0.05))
    losses = model.fit(x, WANTED, epochs=6, batch_size=4, verbose=0).history["loss"]
    assert losses[-1] < losses[0] - 0.2
    eagerly(name != "language model")
    logits, expected = right(model, x)
    close(model.evaluate(x, WANTED, verbose=0), expected, 1e-5)
    close(model.predict(x, verbose=0), logits, 1e-5)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert type(loaded) is type(model) and loaded is not model
    close(loaded.evaluate(x, WANTED, verbose=0), expected, 1e-5)
    model.save_weights(tmp_path / "its.weights.h5")
    other = make()
    other.load_weights(tmp_path / "its.weights.h5")
    close(other.predict(x, verbose=0), logits, 1e-5)
    loaded.fit(x, WANTED, verbose=0)  # and goes on


@pytest.mark.parametrize("name", ["language model", "by place"])
def test_fit_tells_the_parts_that_they_train(name):
    """With a rate of 0 nothing changes but what dropout does."""
    make, x = MODELS[name]
    model = compiled(make(dropout=0.8), keras.optimizers.SGD(0.0))
    trained = model.fit(x, WANTED, verbose=0, shuffle=False).history["loss"][0]
    evaluated = model.evaluate(x, WANTED, verbose=0)[0]
    assert abs(trained - evaluated) > 1e-3
    close(evaluated, right(model, x)[1][0], 1e-5)


@pytest.mark.parametrize("name", ["language model", "by place"])
def test_what_is_exported_gives_the_logits(name, tmp_path):
    make, x = MODELS[name]
    model, x = make(), keras.tree.map_structure(lambda each: keras.ops.cast(each, "int32"), x)
    model.export(tmp_path / "model", verbose=False)
    loaded = tensorflow.saved_model.load(tmp_path / "model")
    for rows in (slice(None), slice(2)):  # of any batch, and length
        given = keras.tree.map_structure(lambda each, rows=rows: each[rows, 1:], x)
        close(loaded.serve(list(given) if isinstance(x, tuple) else given), model(given)[0], 1e-5)


@MODEL
def test_a_signature_keeps_the_place(name):
    """Between a model and a layer stands Keras's Trainer, which takes nothing."""
    assert {"name", "dtype"} <= inspect.signature(type(MODELS[name][0]())).parameters.keys()


def test_keras_applies_a_layer_to_more_axes():
    """``TimeDistributed`` takes one output; without it the axes in front are merged."""
    layer, x = tf.EncoderLayer(8, 2, 16), keras.random.normal((2, 3, 5, 8))
    expected = np.reshape(layer(np.reshape(x, (6, 5, 8)))[0], (2, 3, 5, 8))
    words = keras.Input((5, 8))
    each = keras.layers.TimeDistributed(keras.Model(words, layer(words)[0]))
    close(each(x), expected, 1e-6)
    for each in (layer, tf.MultiHeadAttention(8, 2), tf.SlidingWindowAttention(8, 2, window=3)):
        with pytest.raises(ValueError, match=r"got \(2, 3, 5, 8\). Merge the axes in front of T into B"):
            each(x)
