"""One head that is needed at one position of eight, and where its weight goes.

Plain, with a sink, with a gate on each column and with a gate on the head; each tested
as it is, and without the first key, as when a cache forgets the oldest. PyTorch.

python -m experiments.idle --seeds 0 1 2
"""

from attn_course.core.frameworks import torch
from attn_course.labs import one_layer
from attn_course.labs.one_layer import pytorch as lab
from experiments import run_plan


def run(kind, seed):
    """One kind with one seed: a row with the first key and a row without."""
    model, rows = lab.train(kind, seed), []
    for first in (True, False):
        mask = None if first else torch.from_numpy(one_layer.evicted())
        found = lab.measured(model, mask)
        row = {"framework": "pytorch", "kind": kind, "seed": seed, "first": first}
        row |= {"steps": one_layer.STEPS}
        rows.append(row | {name: round(x, 4) for name, x in found.items()})
    return rows


if __name__ == "__main__":
    torch.set_num_threads(1)
    run_plan("idle", [(kind,) for kind in one_layer.KINDS], run)
