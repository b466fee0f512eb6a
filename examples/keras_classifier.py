"""A classifier of padded sequences in Keras (does a 7 stand somewhere behind a 3?): fit, saved, loaded, exported."""

import tempfile

import numpy as np

from attn_course.frameworks import keras  # says what to install where it is missing
from attn_course.tf import Encoder, SinusoidalEncoding


def main(folder, epochs=6, rows=4000):
    keras.utils.set_random_seed(0)
    tokens = np.random.default_rng(0).integers(1, 20, (rows, 24))
    tokens[np.arange(24) >= np.random.default_rng(1).integers(4, 25, (rows, 1))] = 0  # 0 is padding
    seen_3 = np.maximum.accumulate(tokens == 3, axis=1)
    labels = (seen_3 & (tokens == 7)).any(axis=1).astype("float32")
    entry = keras.Input((None,), dtype="int32")
    x = SinusoidalEncoding(32)(keras.layers.Embedding(20, 32, mask_zero=True)(entry))
    x, _ = Encoder(2, 32, 4, 64, norm="pre")(x, need_weights=False)
    x = keras.layers.GlobalAveragePooling1D()(x)  # of the tokens: the padding comes along
    model = keras.Model(entry, keras.layers.Dense(1, "sigmoid")(x))
    model.compile(keras.optimizers.Adam(2e-3), "binary_crossentropy", metrics=["accuracy"])
    history = model.fit(tokens, labels, 64, epochs, validation_split=0.2, verbose=0).history
    model.save(f"{folder}/classifier.keras")
    model.export(f"{folder}/served", verbose=False)
    return model, keras.models.load_model(f"{folder}/classifier.keras"), history["val_accuracy"][-1]


if __name__ == "__main__":
    print(f"right: {main(tempfile.mkdtemp())[2]:.2f}")
