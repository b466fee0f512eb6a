"""How a language model is trained on, and tested while it is, in PyTorch."""

from attn_course.course.labs.generate import pytorch as lab
from attn_course.course.training import pytorch as loop


def watched(model, data, tested, *, steps, rate, every):
    """Train on at a constant rate; (step, loss, share right) every so many steps.

    The first line is from before the first step. tested: tokens and targets.
    """
    found = []

    def look(step):
        nats, right = lab.score(model, *tested)
        found.append((step, *(round(float(x.mean()), 4) for x in (nats, right))))

    def schedule(step, steps, rate):
        if step % every == 1:
            look(step - 1)
        return rate

    options = {"rate": rate, "clip": 1.0, "schedule": schedule, "every": steps}
    loop.train(model, data, lab.loss, steps=steps, **options)
    look(steps)
    return found
