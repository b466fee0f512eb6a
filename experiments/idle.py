"""One head that is needed at one position of nine, and where its weight goes.

Plain, with a sink, with a gate on each column and with a gate on the head; each tested
as it is, and without the first key, as when a cache forgets the oldest. Both
frameworks.

python -m experiments.idle --seeds 0 1 2
"""

from attn_course.core.frameworks import tf, torch
from attn_course.course.labs import one_layer
from attn_course.course.labs.one_layer import pytorch as in_torch, tf as in_tf
from experiments import run_plan

LABS = {"pytorch": (in_torch, torch.from_numpy), "tensorflow": (in_tf, tf.constant)}


def run(framework, kind, seed):
    """One kind with one seed: a row with the first key and a row without."""
    lab, tensor = LABS[framework]
    model, rows = lab.train(kind, seed), []
    for first in (True, False):
        found = lab.measured(model, None if first else tensor(one_layer.evicted()))
        row = {"framework": framework, "kind": kind, "seed": seed, "first": first}
        row |= {"steps": one_layer.STEPS}
        rows.append(row | {name: round(x, 4) for name, x in found.items()})
    return rows


if __name__ == "__main__":
    run_plan("idle", [(f, kind) for kind in one_layer.KINDS for f in LABS], run)
