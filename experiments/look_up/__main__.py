"""The learned look-up with three scales: at four widths, and at four learning rates.

At the largest rate also ten times as long, and with a fourth scale.

Each run answers new questions all the time; ``exact`` is the share of right answers in
the 50 steps up to ``step``.
"""

from experiments import run_plan
from experiments.look_up import BATCH, RATE, pytorch, tf

EVERY, SHOWN = 50, {400: (200, 400), 4000: (1200, 4000)}
POWERS = {"no scale": 0.0, "1/√d": -0.5, "1/d": -1.0, "1/d²": -2.0}
SETTINGS = [(width, RATE) for width in (4, 16, 64, 256)]
SETTINGS += [(256, rate) for rate in (1e-3, 1e-2, 3e-2)]
SHORT = [(*setting, name, 400) for setting in SETTINGS for name in [*POWERS][:3]]
LONG = [(256, 3e-2, name, 4000) for name in POWERS]


def run(framework, width, rate, name, steps, seed):
    """The rows of one training: its right answers on the way and at the end."""
    options = {"width": width, "steps": steps, "rate": rate, "seed": seed}
    train = (pytorch if framework == "pytorch" else tf).train
    right = train(float(width) ** POWERS[name], **options, every=EVERY)
    row = {"framework": framework, "scale": name, "batch": BATCH, **options}
    return [
        row | {"step": step, "exact": round(float(right[step // EVERY - 1]), 4)}
        for step in SHOWN[steps]
    ]


if __name__ == "__main__":
    plan = [("pytorch", *each) for each in SHORT + LONG]
    beside = [("tf", *each) for each in SHORT if each[0] == 256]
    run_plan("look_up", plan, run, beside)
