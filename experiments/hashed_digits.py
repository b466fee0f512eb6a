"""LSH attention and none on digits, with other rates and longer; stores the record."""

from attn_course.core.frameworks import torch
from attn_course.course.labs.shortcuts import batches
from attn_course.course.labs.shortcuts.pytorch import Reader, guess, train
from experiments import run_plan

# Kind, rate, steps; ``experiments.shortcuts`` has 500 steps at 3e-3.
PLAN = [("LSH 1", 3e-3, 1500), ("none", 3e-3, 1500)]
PLAN += [("LSH 1", 1e-3, 500), ("LSH 1", 1e-2, 500)]
TESTED = 445


def run(kind, rate, steps, seed):
    """Train one reader and test it; returns a row."""
    torch.manual_seed(seed)
    model = Reader("digits", kind, seed)
    log = train(model, steps=steps, seed=seed, rate=rate)
    inputs, right = next(batches("digits", "test", seed=7, size=TESTED))
    exact = float((guess(model.eval(), inputs) == right).mean())
    losses = [
        sum(line.loss for line in log[a:b]) / 2 for a, b in ((-4, -2), (-2, None))
    ]
    row = {"kind": kind, "rate": rate, "steps": steps, "seed": seed}
    return [row | {"exact": round(exact, 4), "loss": [round(x, 4) for x in losses]}]


if __name__ == "__main__":
    run_plan("hashed_digits", PLAN, run)
