"""Every kind of attention on both tasks with every seed; stores the record."""

import time
from itertools import product

from attn_course.core.frameworks import torch
from attn_course.course.labs.shortcuts import KINDS, STEPS, batches
from attn_course.course.labs.shortcuts.pytorch import Reader, guess, rehashed, train
from experiments import run_plan

TESTED = {"digits": 445, "twins": 200}
ROUNDS = (1, 2, 4, 8)


def run(task, kind, seed):
    """Train one reader and test it; returns a row, of hashed twins more."""
    torch.manual_seed(seed)
    model = Reader(task, kind, seed)
    started = time.process_time()
    log = train(model, steps=STEPS[task], seed=seed)
    seconds = time.process_time() - started
    model.eval()
    row = {"task": task, "kind": kind, "seed": seed, "steps": STEPS[task]}
    late = round(sum(line.loss for line in log[-2:]) / 2, 4)
    earlier = round(sum(line.loss for line in log[-4:-2]) / 2, 4)
    found = {"loss": [earlier, late], "cpu_seconds": round(seconds, 1)}
    rows = [row | {"tested": "as trained", "exact": exact(model)} | found]
    if kind.startswith("LSH") and task == "twins":
        for rounds in ROUNDS:
            score = exact(rehashed(model, rounds))
            rows.append(row | {"tested": f"{rounds} new rounds", "exact": score})
    return rows


def exact(model):
    """The share of right answers on the test's digits, or on new cards."""
    data = batches(model.task, "test", seed=7, size=TESTED[model.task])
    inputs, right = next(data)
    return round(float((guess(model, inputs) == right).mean()), 4)


if __name__ == "__main__":
    run_plan("shortcuts", list(product(STEPS, KINDS)), run)
