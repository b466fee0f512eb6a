"""Every memory, size of state and seed; stores the record."""

from experiments import draw_from, run_plan
from experiments.associative import (
    AGAIN,
    KEY_DIMS,
    MEMORIES,
    PAIRS,
    STATES,
    STEPS,
    VALUE_DIM,
    pytorch,
    test,
    tf,
    train,
)


def run(framework, memory, key_dim, times, seed):
    """Train one model; a row of the record for each number of pairs."""
    draw_from(seed)
    module = pytorch if framework == "pytorch" else tf
    model = module.Memory(memory, key_dim)
    log = train(module, model, steps=STEPS, times=times, seed=seed)
    row = {"framework": framework, "memory": memory, "key_dim": key_dim}
    row |= {"times": times, "steps": STEPS}
    row |= {"state": None if "softmax" in memory else key_dim * VALUE_DIM}
    rows = []
    for pairs in PAIRS:
        exact, first, recent = test(module, model, pairs=pairs, times=times)
        found = {"exact": exact, "first": first, "recent": recent}
        found["loss"] = [round(line.loss, 3) for line in log[-3:]]
        rows.append(row | {"pairs": pairs, "seed": seed} | found)
    return rows


if __name__ == "__main__":
    kinds = [(memory, key_dim, 1) for key_dim in KEY_DIMS for memory in STATES]
    kinds += [("softmax", AGAIN, 1)]
    kinds += [(memory, AGAIN, 2) for memory in MEMORIES]
    plan, beside = ([(name, *kind) for kind in kinds] for name in ("pytorch", "tf"))
    run_plan("associative", plan, run, beside)
