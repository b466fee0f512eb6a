"""A learned dictionary look-up with attention alone: what the scale is good for.

``look_up.pytorch`` and ``look_up.tf``; the first parameters are the same in both. Each
name has a vector to ask with and another to be found by; each value has a vector. All
are drawn as the paper assumes, with mean 0 and variance 1, and learned.
"""

import numpy as np

from attn_course.tasks.look_up import NAMES, VALUES

BATCH, RATE, VALUE_DIM = 64, 3e-3, 32


def start(width, seed):
    """The first parameters: queries and keys (names, width), values, output."""
    rng = np.random.default_rng(seed)
    sizes = {
        "query": (NAMES, width),
        "key": (NAMES, width),
        "value": (VALUES, VALUE_DIM),
        "output": (VALUE_DIM, VALUES),
    }
    drawn = {k: rng.normal(size=size).astype(np.float32) for k, size in sizes.items()}
    drawn["output"] /= np.sqrt(VALUE_DIM, dtype=np.float32)
    return drawn
