"""Every kind of positions, both frameworks, every seed; stores the record."""

from itertools import product

from attn_course.course.labs.positions import pytorch as torch_models, tf as tf_models
from attn_course.tasks.digits import load_digits
from experiments import draw_from, run_plan
from experiments.patches import KINDS, RATE, STEPS, batches, settings, to_patches


def run(framework, kind, seed):
    """Train one model and test it; returns the row of the record, alone in a list."""
    draw_from(seed)
    module = torch_models if framework == "pytorch" else tf_models
    model = module.PatchModel(**settings(kind))
    digits = batches(load_digits("train"), seed=seed)
    module.train(model, digits, steps=STEPS, rate=RATE)
    test = load_digits("test")
    _, right = module.score(model, to_patches(test.images), test.labels)
    row = {"framework": framework, "positions": kind, "seed": seed, "steps": STEPS}
    return [row | {"exact": round(float(right.mean()), 4)}]


if __name__ == "__main__":
    run_plan("patches", list(product(("pytorch", "tf"), KINDS)), run)
