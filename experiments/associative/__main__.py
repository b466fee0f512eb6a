"""Every memory, size of state and seed, in PyTorch; stores the record."""

from attn_course.core.frameworks import torch
from experiments import run_plan
from experiments.associative import (
    AGAIN,
    KEY_DIMS,
    MEMORIES,
    PAIRS,
    STATES,
    STEPS,
    VALUE_DIM,
)
from experiments.associative.pytorch import Memory, test, train


def run(memory, key_dim, times, seed):
    """Train one model; a row of the record for each number of pairs."""
    torch.manual_seed(seed)
    model = Memory(memory, key_dim)
    log = train(model, steps=STEPS, times=times, seed=seed)
    row = {"memory": memory, "key_dim": key_dim, "times": times, "steps": STEPS}
    row |= {"state": None if "softmax" in memory else key_dim * VALUE_DIM}
    rows = []
    for pairs in PAIRS:
        exact, first, recent = test(model, pairs=pairs, times=times)
        found = {"exact": exact, "first": first, "recent": recent}
        found["loss"] = [round(line.loss, 3) for line in log[-3:]]
        rows.append(row | {"pairs": pairs, "seed": seed} | found)
    return rows


if __name__ == "__main__":
    plan = [(memory, key_dim, 1) for key_dim in KEY_DIMS for memory in STATES]
    plan += [("softmax", AGAIN, 1)]
    plan += [(memory, AGAIN, 2) for memory in MEMORIES]
    run_plan("associative", plan, run)
