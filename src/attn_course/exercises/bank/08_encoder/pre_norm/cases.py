import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(T, D, L):
        weights = rng.normal(size=(L, D, D)) / np.sqrt(D)
        return rng.normal(size=(T, D)), weights

    x, weights = draw(5, 7, 3)
    small = Case("differences of a thousandth", (x / 1000, weights))
    return [*fixed_cases(rng, draw, 3), small, Case("a deep stack", draw(3, 5, 17))]
