import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(B, T, extra):
        S = T + extra
        return np.arange(S) < rng.integers(1, S + 1, B)[:, None], T

    def full(padding, T):
        return np.ones_like(padding), T

    def empty(padding, T):
        padding[0] = False
        return padding, T

    cases = fixed_cases(rng, draw, 3, long=(1, 2), full=full, empty=empty)
    return [*cases, Case("as many queries as keys", draw(3, 7, 0))]
