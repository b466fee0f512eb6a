"""Which byte can be copied: the one some positions back, asked of every pattern.

The model is that of ``patterns``, small, with one layer and with two. One model is
trained for one distance. "seen": the share of the bytes asked for that the mask lets
their query reach in so many layers, counted on the masks.

python -m experiments.copies --seeds 0 1 2
"""

from itertools import product

import numpy as np

from attn_course.course.labs.patterns import (
    KINDS,
    PATTERNS,
    mask_of,
    pytorch as torch_models,
    tf as tf_models,
)
from attn_course.course.labs.positions import rate_at
from attn_course.tasks.topics import load_topics
from experiments import draw_from, run_plan

LENGTH, BATCH, STEPS, RATE = 128, 8, 300, 1e-2
SIZES = {"symbols": 256, "width": 32, "heads": 2}
DISTANCES = (8, 40, 80)
LAYERS = (1, 2)
NOTHING = -1
# Dense attention reaches everything with one layer.
PLAN = [plan for plan in product(KINDS, DISTANCES, LAYERS) if plan[::2] != ("dense", 2)]
FEW = [(kind, 40, layers) for kind in ("window", "fixed") for layers in LAYERS]
FEW += [("strided", 80, 1)]  # in TensorFlow


def pieces(text, back, *, seed, count=BATCH):
    """Endless batches: bytes (B, T), and for every position the byte so far back.

    The first have none; NOTHING stands there.
    """
    rng = np.random.default_rng(seed)
    while True:
        starts = rng.integers(len(text) - LENGTH, size=(count, 1))
        letters = text[starts + np.arange(LENGTH)]
        targets = np.full_like(letters, NOTHING)
        targets[:, back:] = letters[:, :-back]
        yield letters, targets


def seen_share(kind, back, layers):
    """The share of the bytes asked for that a query reaches in so many layers."""
    mask = reach = mask_of("text", kind, LENGTH)
    for _ in range(layers - 1):
        reach = reach @ mask
    return float(np.diagonal(reach, -back).mean())


LABS = {"pytorch": torch_models, "tf": tf_models}


def run(framework, kind, back, layers, seed):
    """Train one model and test it; returns the row of a record, alone in a list."""
    draw_from(seed)
    pattern = PATTERNS["text"].get(kind, {})
    sizes = {**SIZES, "layers": layers, "length": LENGTH}
    models = LABS[framework]
    model = models.PatternModel(**sizes, kind=kind, **pattern)
    data = pieces(load_topics("train"), back, seed=seed)
    options = {"steps": STEPS, "rate": RATE, "clip": 1.0, "schedule": rate_at}

    def loss(model, inputs, targets):
        return model.loop.class_loss(model(inputs)[0], targets, skip=NOTHING)

    model.loop.train(model, data, loss, **options)
    letters, _ = next(pieces(load_topics("test"), back, seed=1, count=64))
    wanted = np.concatenate([letters[:, :1].repeat(back, 1), letters[:, :-back]], 1)
    _, right = models.score(model, letters, wanted)
    row = {"framework": framework, "pattern": kind, "back": back, "layers": layers}
    row |= {"seen": round(seen_share(kind, back, layers), 4), "seed": seed}
    return [row | {"steps": STEPS, "exact": round(float(right[:, back:].mean()), 4)}]


if __name__ == "__main__":
    plan = [("pytorch", *each) for each in PLAN]
    run_plan("copies", plan, run, [("tf", *each) for each in FEW])
