"""Trains, merges heads of keys and values by every method, trains on.

Stores the record: what is tested on the way.

python -m experiments.uptrain --seeds 0 1 2
"""

from attn_course.course.labs import uptrain as shared
from attn_course.course.labs.generate import pytorch as torch_lab, tf as tf_lab
from attn_course.course.labs.positions import rate_at
from attn_course.course.training import pytorch as torch_loop, tf as tf_loop
from attn_course.tasks.topics import load_topics
from experiments import draw_from, run_plan

LABS = {"pytorch": torch_lab, "tf": tf_lab}
LOOPS = {"pytorch": torch_loop, "tf": tf_loop}
CURVES = []  # of every seed: the loss of the training, 100 steps a number


def watched(framework, model, data, tested, *, steps, rate, every):
    """Train on at a constant rate; (step, loss, share right) every so many steps.

    The first line is from before the first step. tested: tokens and targets.
    """
    lab, found = LABS[framework], []

    def look(step):
        nats, right = lab.score(model, *tested)
        found.append((step, *(round(float(x.mean()), 4) for x in (nats, right))))

    def schedule(step, steps, rate):
        if step % every == 1:
            look(step - 1)
        return rate

    options = {"rate": rate, "clip": 1.0, "schedule": schedule, "every": steps}
    LOOPS[framework].train(model, data, lab.loss, steps=steps, **options)
    look(steps)
    return found


def run(framework, seed):
    """One model, and all that is made of it: the rows of the record."""
    draw_from(seed)
    lab = LABS[framework]
    text, tested = load_topics("train"), shared.windows(load_topics("test"))
    model = lab.build(**shared.SMALL)
    options = {"rate": shared.RATE, "clip": 1.0, "schedule": rate_at, "every": 100}
    data = shared.batches(text, seed=seed)
    log = LOOPS[framework].train(model, data, lab.loss, steps=shared.STEPS, **options)
    CURVES.append([round(line.loss, 3) for line in log])
    made = {(6, "none"): lab.convert(model, 6, "mean")}  # a copy: no head is merged
    for heads in (2, 1):
        for method in shared.METHODS:
            made[heads, method] = lab.convert(model, heads, method)
    rows = []
    for (heads, method), small in made.items():
        data = shared.batches(text, seed=1000 + seed)
        options = {
            "steps": shared.MORE,
            "rate": shared.MORE_RATE,
            "every": shared.EVERY,
        }
        for step, nats, right in watched(framework, small, data, tested, **options):
            row = {"framework": framework, "kv_heads": heads, "method": method}
            row |= {"seed": seed, "trained": shared.STEPS, "step": step}
            rows.append(row | {"loss": nats, "exact": right})
        print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    run_plan("uptrain", [("pytorch",)], run, [("tf",)], curves=lambda: CURVES)
