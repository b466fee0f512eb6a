"""Every mix with every seed; in TensorFlow with one."""

import numpy as np

from attn_course.core.parity import get_parameters
from attn_course.course.labs.positions import rate_at
from experiments import draw_from, run_plan
from experiments.mixes import (
    LENGTH,
    MIXES,
    RATE,
    STEPS,
    TESTED,
    WINDOW,
    pytorch,
    questions,
    tf,
    training,
)


def run(framework, mix, seed):
    """One mix: a row per length and distance, with the share of keys found there."""
    draw_from(seed)
    module = pytorch if framework == "pytorch" else tf
    model, rows = module.Model(mix), []
    options = {"rate": RATE, "clip": 1.0, "schedule": rate_at, "every": 100}
    module.train(model, training(seed), module.loss, steps=STEPS, **options)
    row = {"framework": framework, "mix": mix, "layers": MIXES[mix], "seed": seed}
    row |= {"parameters": sum(x.size for x in get_parameters(model).values())}
    for length, distances in TESTED.items():
        for distance in distances:
            rng = np.random.default_rng(10_000 + seed)
            place = {"length": length, "distance": distance}
            given = rng, 200, length, length - 1 - distance
            tokens, wanted = questions(*given, asked=1)
            right = module.guess(model, tokens) == wanted[:, -1]
            rows.append(row | place | {"found": round(float(right.mean()), 4)})
    return rows


if __name__ == "__main__":
    sizes = {"window": WINDOW, "steps": STEPS, "trained_length": LENGTH}
    plan = [("pytorch", mix) for mix in MIXES]
    beside = [("tf", "4 windows"), ("tf", "3 : 1")]
    run_plan("mixes", plan, run, beside, sizes=lambda: sizes)
