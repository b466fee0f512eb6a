"""Handwritten digits, read pixel by pixel with attention, or row by row with an LSTM.

Every reader with every seed, in both frameworks; stores the record.

python -m experiments.digits --seeds 0 1 2
"""

import numpy as np

from attn_course.core.frameworks import keras, tf, torch
from attn_course.tasks.digits import load_digits
from experiments import draw_from, run_plan
from experiments.models import in_both

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


# A map of features: where its one channel stands, and the axes of its pixels.
PYTORCH, TF = (np.s_[:, None], (2, 3)), (np.s_[..., None], (1, 2))
LAYOUTS = {"pytorch": PYTORCH, "tf": TF}
CONVOLUTIONS = {
    "pytorch": lambda: torch.nn.Conv2d(1, CHANNELS, 3, padding=1),
    "tf": lambda: keras.layers.Conv2D(CHANNELS, 3, padding="same"),
}
RELU = {"pytorch": torch.relu, "tf": tf.nn.relu}
LSTM = {
    "pytorch": lambda: torch.nn.LSTM(8, HIDDEN_DIM, batch_first=True),
    "tf": lambda: keras.layers.LSTM(HIDDEN_DIM, return_sequences=True),
}


class Pixels:
    """One convolution of 3 by 3, attention over its map, a mean over all pixels.

    Shapes:
        images (B, 8, 8) -> logits (B, 10).
    """

    def __init__(self, look):
        super().__init__()
        self.look = look
        self.convolution = CONVOLUTIONS[self.framework]()
        sizes = {"key_dim": KEY_DIM, "value_dim": CHANNELS}
        make = self.face.FeatureMapAttention
        self.attention = None if look == "none" else make(CHANNELS, **sizes)
        self.logits = self.linear(CHANNELS, 10)

    def call(self, images):
        (channel, pixels), relu = LAYOUTS[self.framework], RELU[self.framework]
        x = relu(self.convolution(images[channel]))
        if self.attention is not None:
            mask = self.tensor(may_look(self.look))
            x = relu(self.attention(x, mask, need_weights=False)[0])
        return self.logits(self.mean(x, pixels))


class Rows:
    """Eight rows in turn, by an LSTM that attends to its past, or by a plain one.

    Shapes:
        images (B, 8, 8) -> logits (B, 10).
    """

    def __init__(self, attends):
        super().__init__()
        sizes = {"attention_dim": ATTENTION_DIM}
        make = self.face.IntraAttentionLSTM
        self.reader = (
            make(8, HIDDEN_DIM, **sizes) if attends else LSTM[self.framework]()
        )
        self.logits = self.linear(HIDDEN_DIM, 10)

    def call(self, images):
        found = self.reader(images)
        states = found[0] if isinstance(found, tuple) else found
        return self.logits(states[:, -1])


READERS = {"pixels": in_both(Pixels), "rows": in_both(Rows)}


def run(framework, reader, setting, seed):
    """Train one reader and test it; returns the row of the record, alone in a list."""
    draw_from(seed)
    model = READERS[reader][framework](setting)
    loop, data = model.loop, batches(load_digits("train"), seed=seed)

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
    run_plan("digits", [(name, *each) for name in LAYOUTS for each in readers], run)
