"""Norm before or after, trained with and without warm-up; in TensorFlow with one seed.

python -m experiments.norms --seeds 0 1 2
"""

import math
from itertools import product

from attn_course.core.frameworks import torch
from attn_course.course.labs import norms as lab
from attn_course.tasks.topics import load_topics
from experiments import draw_from, run_plan
from experiments.models import in_both


def pieces(text, seed):
    """Endless batches of random pieces of the text, (BATCH, LENGTH + 1)."""
    generator = torch.Generator().manual_seed(seed)
    places = torch.arange(lab.LENGTH + 1)
    while True:
        shape = lab.BATCH, 1
        start = torch.randint(len(text) - lab.LENGTH - 1, shape, generator=generator)
        yield (text[(start + places).numpy()],)


class Model:
    """A deep stack that predicts the next byte: tokens (B, T) -> logits (B, T, 256)."""

    def __init__(self, norm):
        super().__init__()
        self.embedding = self.table(256, lab.MODEL_DIM)
        sizes = lab.LAYERS, lab.MODEL_DIM, lab.HEADS, lab.FF_DIM
        self.encoder = self.face.Encoder(*sizes, norm=norm)
        self.logits = self.linear(lab.MODEL_DIM, 256)

    def call(self, tokens):
        places = self.face.sinusoidal_encoding(tokens.shape[1], lab.MODEL_DIM)
        x = self.embedding(tokens) + places
        x, _ = self.encoder(x, causal=True, need_weights=False)
        return self.logits(x)


MODELS = in_both(Model)


def run(framework, rate, norm, warm, seed):
    """The log of one training; a loss that is no number ends it."""
    draw_from(seed)
    model = MODELS[framework](norm)
    data, schedule = pieces(load_topics("train"), seed), lab.warm_up if warm else None
    options = {"steps": lab.STEPS, "rate": rate, "schedule": schedule, "every": 10}

    def loss(model, text):
        return model.loop.class_loss(model(text[:, :-1]), text[:, 1:])

    log = model.loop.train(model, data, loss, **options)
    setting = {"framework": framework, "norm": norm, "warm_up": warm, "rate": rate}
    losses = [round(x.loss, 4) if math.isfinite(x.loss) else None for x in log]
    return [{**setting, "seed": seed, "loss": losses}]


if __name__ == "__main__":
    plan = list(product(["pytorch"], lab.RATES, ("post", "pre"), (False, True)))
    beside = list(product(["tf"], lab.RATES[1:], ("post", "pre"), (False, True)))
    run_plan("norms", plan, run, beside)
