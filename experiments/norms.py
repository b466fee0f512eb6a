"""Norm before or after, trained with and without warm-up; in TensorFlow with one seed.

python -m experiments.norms --seeds 0 1 2
"""

import math
from itertools import product

from attn_course import pytorch, tf as in_tf
from attn_course.core.frameworks import keras, tf, torch
from attn_course.course.labs.norms import (
    BATCH,
    FF_DIM,
    HEADS,
    LAYERS,
    LENGTH,
    MODEL_DIM,
    RATES,
    STEPS,
    warm_up,
)
from attn_course.course.training import pytorch as torch_loop, tf as tf_loop
from attn_course.tasks.topics import load_topics
from experiments import draw_from, run_plan


def pieces(text, seed):
    """Endless batches of random pieces of the text, (BATCH, LENGTH + 1)."""
    generator = torch.Generator().manual_seed(seed)
    places = torch.arange(LENGTH + 1)
    while True:
        start = torch.randint(len(text) - LENGTH - 1, (BATCH, 1), generator=generator)
        yield (text[(start + places).numpy()],)


class TorchModel(torch.nn.Module):
    """A deep stack that predicts the next byte: tokens (B, T) -> logits (B, T, 256)."""

    def __init__(self, norm):
        super().__init__()
        self.embedding = torch.nn.Embedding(256, MODEL_DIM)
        self.encoder = pytorch.Encoder(LAYERS, MODEL_DIM, HEADS, FF_DIM, norm=norm)
        self.logits = torch.nn.Linear(MODEL_DIM, 256)

    def forward(self, tokens):
        places = pytorch.sinusoidal_encoding(tokens.shape[1], MODEL_DIM)
        x = self.embedding(tokens) + places.float()
        x, _ = self.encoder(x, causal=True, need_weights=False)
        return self.logits(x)


class KerasModel(keras.Model):
    """The same in Keras."""

    def __init__(self, norm):
        super().__init__()
        start = keras.initializers.RandomNormal(stddev=1.0)  # PyTorch's
        self.embedding = keras.layers.Embedding(256, MODEL_DIM, start)
        self.encoder = in_tf.Encoder(LAYERS, MODEL_DIM, HEADS, FF_DIM, norm=norm)
        self.logits = keras.layers.Dense(256)

    def call(self, tokens):
        places = in_tf.sinusoidal_encoding(tokens.shape[1], MODEL_DIM)
        x = self.embedding(tokens) + tf.cast(places, "float32")
        x, _ = self.encoder(x, causal=True, need_weights=False)
        return self.logits(x)


FACES = {"pytorch": (TorchModel, torch_loop), "tf": (KerasModel, tf_loop)}


def run(framework, rate, norm, warm, seed):
    """The log of one training; a loss that is no number ends it."""
    draw_from(seed)
    make, loop = FACES[framework]
    data, schedule = pieces(load_topics("train"), seed), warm_up if warm else None
    options = {"steps": STEPS, "rate": rate, "schedule": schedule, "every": 10}

    def loss(model, text):
        return loop.class_loss(model(text[:, :-1]), text[:, 1:])

    log = loop.train(make(norm), data, loss, **options)
    setting = {"framework": framework, "norm": norm, "warm_up": warm, "rate": rate}
    losses = [round(x.loss, 4) if math.isfinite(x.loss) else None for x in log]
    return [{**setting, "seed": seed, "loss": losses}]


if __name__ == "__main__":
    plan = list(product(["pytorch"], RATES, ("post", "pre"), (False, True)))
    beside = list(product(["tf"], RATES[1:], ("post", "pre"), (False, True)))
    run_plan("norms", plan, run, beside)
