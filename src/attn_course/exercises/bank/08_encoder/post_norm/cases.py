import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(T, D, F):
        weights = rng.random((T, T))
        weights /= weights.sum(axis=1, keepdims=True)
        maps = ((D, D), (D, F), (F, D))
        drawn = (rng.normal(size=size) / np.sqrt(size[0]) for size in maps)
        return rng.normal(size=(T, D)), weights, *drawn

    x, *rest = draw(5, 7, 3)
    small = Case("differences of a thousandth", (x / 1000, *rest))
    return [*fixed_cases(rng, draw, 3), small]
