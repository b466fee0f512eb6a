"""The learned look-up with three scales: at four widths, and at four learning rates.

Each run answers new questions all the time; ``exact`` is the share of right answers in
the 50 steps up to ``step``.
"""

from experiments import run_plan
from experiments.look_up import BATCH, RATE
from experiments.look_up.pytorch import train

STEPS, EVERY, SHOWN = 400, 50, (200, 400)
POWERS = {"no scale": 0.0, "1/√d": -0.5, "1/d": -1.0}
SETTINGS = [(width, RATE) for width in (4, 16, 64, 256)]
SETTINGS += [(256, rate) for rate in (1e-3, 1e-2, 3e-2)]


def run(width, rate, name, seed):
    """The rows of one training: its right answers after 200 and after 400 steps."""
    options = {"width": width, "steps": STEPS, "rate": rate, "seed": seed}
    right = train(float(width) ** POWERS[name], **options, every=EVERY)
    row = {"framework": "pytorch", "scale": name, "batch": BATCH, **options}
    return [
        row | {"step": step, "exact": round(float(right[step // EVERY - 1]), 4)}
        for step in SHOWN
    ]


if __name__ == "__main__":
    plan = [(*setting, name) for setting in SETTINGS for name in POWERS]
    run_plan("look_up", plan, run)
