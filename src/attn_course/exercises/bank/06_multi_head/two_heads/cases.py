import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(T, K, D):
        weights = rng.normal(size=(3, D, 2 * K)) / np.sqrt(D)
        return rng.normal(size=(T, D)), *weights, rng.normal(size=(2 * K, D))

    def square(T, K):
        return draw(T, K, 2 * K)

    def large(x, *weights):
        return 60 * x, *weights

    cases = fixed_cases(rng, draw, 3, long=(0,), large=large)
    return [Case("as many columns as the model is wide", square(4, 2)), *cases]
