"""Training with and without warm-up, per seed."""

from itertools import product

from attn_course.course.labs.norms import RATES, warm_up
from experiments import run_plan
from experiments.norms.pytorch import train


def run(rate, norm, warm, seed):
    loss = train(norm, rate, warm_up if warm else None, seed)
    setting = {"norm": norm, "warm_up": warm, "rate": rate, "seed": seed}
    return [{**setting, "loss": loss}]


if __name__ == "__main__":
    plan = list(product(RATES, ("post", "pre"), (False, True)))
    run_plan("norms", plan, run)
