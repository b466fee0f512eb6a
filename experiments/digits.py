"""Handwritten digits, read pixel by pixel with attention, or row by row with an LSTM.

Every reader with every seed, in both frameworks; stores the record.

python -m experiments.digits --seeds 0 1 2
"""

import numpy as np

from attn_course import pytorch, tf as in_tf
from attn_course.core.frameworks import keras, tf, torch
from attn_course.course.training import pytorch as torch_loop, tf as tf_loop
from attn_course.tasks.digits import load_digits
from experiments import draw_from, run_plan

CHANNELS, KEY_DIM, HIDDEN_DIM, ATTENTION_DIM = 32, 8, 32, 16
BATCH, RATE = 64, 1e-2
STEPS = 400
# What a pixel may look at: every pixel, or its own alone, with the same parameters.
LOOKS = ("all", "own", "none")


def may_look(look, pixels=64):
    """The mask (T, T) of a way of looking."""
    return np.ones((pixels, pixels), bool) if look == "all" else np.eye(pixels) > 0


def batches(digits, *, seed):
    """An endless iterator of images (B, 8, 8) and labels (B)."""
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(len(digits.labels))
        for rows in order[: len(order) // BATCH * BATCH].reshape(-1, BATCH):
            yield digits.images[rows], digits.labels[rows]


def attention_over_pixels(face, look):
    """Over a map of features; face: ``attn_course.pytorch`` or ``.tf``."""
    if look == "none":
        return None
    return face.FeatureMapAttention(CHANNELS, key_dim=KEY_DIM, value_dim=CHANNELS)


def reader_of_rows(face, plain, attends):
    """An LSTM over eight rows that attends to its past, or a plain one."""
    if not attends:
        return plain()
    return face.IntraAttentionLSTM(8, HIDDEN_DIM, attention_dim=ATTENTION_DIM)


class TorchPixels(torch.nn.Module):
    """One convolution of 3 by 3, attention over its map, a mean over all pixels.

    Shapes:
        images (B, 8, 8) -> logits (B, 10).
    """

    def __init__(self, look):
        super().__init__()
        self.look = look
        self.convolution = torch.nn.Conv2d(1, CHANNELS, 3, padding=1)
        self.attention = attention_over_pixels(pytorch, look)
        self.output = torch.nn.Linear(CHANNELS, 10)

    def forward(self, images):
        x = torch.relu(self.convolution(images[:, None]))
        if self.attention is not None:
            mask = torch.from_numpy(may_look(self.look))
            x = torch.relu(self.attention(x, mask, need_weights=False)[0])
        return self.output(x.mean(dim=(2, 3)))


class TorchRows(torch.nn.Module):
    """Eight rows in turn: images (B, 8, 8) -> logits (B, 10)."""

    def __init__(self, attends):
        super().__init__()
        self.reader = reader_of_rows(
            pytorch, lambda: torch.nn.LSTM(8, HIDDEN_DIM, batch_first=True), attends
        )
        self.output = torch.nn.Linear(HIDDEN_DIM, 10)

    def forward(self, images):
        states, _ = self.reader(images)
        return self.output(states[:, -1])


class KerasPixels(keras.Model):
    """``TorchPixels`` in TensorFlow."""

    def __init__(self, look):
        super().__init__()
        self.look = look
        self.convolution = keras.layers.Conv2D(CHANNELS, 3, padding="same")
        self.attention = attention_over_pixels(in_tf, look)
        self.output_layer = keras.layers.Dense(10)

    def call(self, images):
        x = tf.nn.relu(self.convolution(images[..., None]))
        if self.attention is not None:
            mask = may_look(self.look)
            x = tf.nn.relu(self.attention(x, mask, need_weights=False)[0])
        return self.output_layer(tf.reduce_mean(x, axis=(1, 2)))


class KerasRows(keras.Model):
    """``TorchRows`` in TensorFlow."""

    def __init__(self, attends):
        super().__init__()
        self.attends = attends
        self.reader = reader_of_rows(
            in_tf, lambda: keras.layers.LSTM(HIDDEN_DIM, return_sequences=True), attends
        )
        self.output_layer = keras.layers.Dense(10)

    def call(self, images):
        found = self.reader(images)
        return self.output_layer((found[0] if self.attends else found)[:, -1])


FACES = {
    "pytorch": (torch_loop, {"pixels": TorchPixels, "rows": TorchRows}),
    "tf": (tf_loop, {"pixels": KerasPixels, "rows": KerasRows}),
}


def run(framework, reader, setting, seed):
    """Train one reader and test it; returns the row of the record, alone in a list."""
    draw_from(seed)
    loop, readers = FACES[framework]
    model, data = readers[reader](setting), batches(load_digits("train"), seed=seed)

    def loss(model, images, labels):
        return loop.class_loss(model(images), labels)

    loop.train(model, data, loss, steps=STEPS, rate=RATE, every=40)
    test = load_digits("test")
    right = loop.read(model, test.images).argmax(axis=-1) == test.labels
    row = {"framework": framework, "reader": reader, "looks": setting, "seed": seed}
    return [row | {"steps": STEPS, "exact": round(float(right.mean()), 4)}]


if __name__ == "__main__":
    readers = [("pixels", look) for look in LOOKS]
    readers += [("rows", attends) for attends in (True, False)]
    run_plan("digits", [(name, *each) for name in FACES for each in readers], run)
