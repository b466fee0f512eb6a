from itertools import product

import numpy as np

from attn_course.exercises.engine.exercise import Case
from attn_course.exercises.engine.run import Refused

STRINGS = np.array([*product((1, 2, 13, 14), repeat=6)], np.float32)


def cases(rng):
    return [Case("4,096 strings", ())]


def measure(results):
    """How many strings end in a state of their own, and whether all do."""
    shapes = [each.shape for each in results]
    if shapes != [(2, 2), (2,)]:
        raise Refused(f"return U (2, 2) and W (2); these are {shapes}")
    U, W = (each.astype(np.float32) for each in results)
    state = np.zeros((len(STRINGS), 2), np.float32)
    for letter in STRINGS.T:
        state = state @ U.T + letter[:, None] * W
    if not np.isfinite(state).all():
        raise Refused("the state is no finite number")
    return np.array(len(np.unique(state, axis=0)))
