"""Norm before or after: what it does to a deep stack before and while it learns."""

DEPTHS = (2, 4, 8, 16, 32)
# The model that is trained, on the bytes of help texts.
LAYERS, MODEL_DIM, HEADS, FF_DIM, LENGTH, BATCH = 6, 64, 4, 128, 32, 16
STEPS, WARM_UP = 600, 200
RATES = (0.001, 0.003)


def warm_up(step, steps, rate):
    """The rate of a step: it grows for the first WARM_UP steps, then stays."""
    return rate * min(1.0, step / WARM_UP)
