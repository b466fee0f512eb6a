"""Every kind at every width and rate; in TensorFlow with one seed."""

from itertools import product

from attn_course.course.labs.uptrain import batches
from attn_course.tasks.topics import load_topics
from experiments import draw_from, run_plan
from experiments.taming import (
    BATCH,
    CAP,
    EVERY,
    KINDS,
    LENGTH,
    RATES,
    STEPS,
    WIDTHS,
    pytorch,
    tf,
)


def run(framework, width, rate, kind, seed):
    """One training: the loss of its last tenth, and the largest scores on its way."""
    draw_from(seed)
    module = pytorch if framework == "pytorch" else tf
    model, options = module.Model(width, kind), {"steps": STEPS, "rate": rate}
    data = batches(load_topics("train"), seed=seed, length=LENGTH, count=BATCH)
    log = module.train(model, data, module.loss, **options, every=1)
    largest = [round(line.score, 2) for line in log[EVERY - 1 :: EVERY]]
    row = {"framework": framework, "width": width, "rate": rate, "kind": kind}
    last = sum(line.loss for line in log[-STEPS // 10 :]) / (STEPS // 10)
    return [row | {"seed": seed, "loss": round(last, 4), "largest": largest}]


if __name__ == "__main__":
    plan = list(product(["pytorch"], WIDTHS, RATES, KINDS))
    beside = list(product(["tf"], [32], (3e-3, 3e-2, 1e-1), KINDS))
    beside += product(["tf"], [96], RATES, KINDS)
    sizes = {"steps": STEPS, "length": LENGTH, "batch": BATCH, "every": EVERY}
    run_plan("taming", plan, run, beside, sizes=lambda: sizes | {"cap": CAP})
