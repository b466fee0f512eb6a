"""Merging heads of keys and values, and training on: what is tested on the way."""

from attn_course.course.labs.generate import pytorch as torch_lab, tf as tf_lab
from attn_course.course.training import pytorch as torch_loop, tf as tf_loop

LABS = {"pytorch": torch_lab, "tf": tf_lab}
LOOPS = {"pytorch": torch_loop, "tf": tf_loop}


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
