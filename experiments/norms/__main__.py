"""Training with and without warm-up, per seed; in TensorFlow with one seed."""

import math
from itertools import product

from attn_course.course.labs.norms import RATES, STEPS, warm_up
from attn_course.tasks.topics import load_topics
from experiments import draw_from, run_plan
from experiments.norms import pieces, pytorch, tf


def run(framework, rate, norm, warm, seed):
    """The log of one training; a loss that is no number ends it."""
    draw_from(seed)
    module = pytorch if framework == "pytorch" else tf
    data, schedule = pieces(load_topics("train"), seed), warm_up if warm else None
    options = {"steps": STEPS, "rate": rate, "schedule": schedule, "every": 10}
    log = module.train(module.ByteModel(norm), data, module.next_byte, **options)
    setting = {"framework": framework, "norm": norm, "warm_up": warm, "rate": rate}
    losses = [round(x.loss, 4) if math.isfinite(x.loss) else None for x in log]
    return [{**setting, "seed": seed, "loss": losses}]


if __name__ == "__main__":
    plan = list(product(["pytorch"], RATES, ("post", "pre"), (False, True)))
    beside = list(product(["tf"], RATES[1:], ("post", "pre"), (False, True)))
    run_plan("norms", plan, run, beside)
