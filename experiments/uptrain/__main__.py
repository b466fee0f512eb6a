"""Trains, merges heads by every method, trains on; stores the record."""

from attn_course.course.labs.positions import rate_at
from attn_course.course.labs.uptrain import (
    EVERY,
    METHODS,
    MORE,
    MORE_RATE,
    RATE,
    SMALL,
    STEPS,
    batches,
    windows,
)
from attn_course.tasks.topics import load_topics
from experiments import draw_from, run_plan
from experiments.uptrain import LABS, LOOPS, watched

CURVES = []  # of every seed: the loss of the training, 100 steps a number


def run(framework, seed):
    """One model, and all that is made of it: the rows of the record."""
    draw_from(seed)
    lab = LABS[framework]
    text, tested = load_topics("train"), windows(load_topics("test"))
    model = lab.build(**SMALL)
    options = {"rate": RATE, "clip": 1.0, "schedule": rate_at, "every": 100}
    data = batches(text, seed=seed)
    log = LOOPS[framework].train(model, data, lab.loss, steps=STEPS, **options)
    CURVES.append([round(line.loss, 3) for line in log])
    made = {(6, "none"): lab.convert(model, 6, "mean")}  # a copy: no head is merged
    for heads in (2, 1):
        for method in METHODS:
            made[heads, method] = lab.convert(model, heads, method)
    rows = []
    for (heads, method), small in made.items():
        data = batches(text, seed=1000 + seed)
        options = {"steps": MORE, "rate": MORE_RATE, "every": EVERY}
        for step, nats, right in watched(framework, small, data, tested, **options):
            row = {"framework": framework, "kv_heads": heads, "method": method}
            row |= {"seed": seed, "trained": STEPS, "step": step}
            rows.append(row | {"loss": nats, "exact": right})
        print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    run_plan("uptrain", [("pytorch",)], run, [("tf",)], curves=lambda: CURVES)
