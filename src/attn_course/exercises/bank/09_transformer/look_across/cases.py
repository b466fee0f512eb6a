import numpy as np

from attn_course.exercises.engine.exercise import fixed_cases


def cases(rng):
    def draw(T, S, D, K, V):
        sizes = (T, D), (S, D), (D, K), (D, K), (D, V)
        x, memory, *weights = (rng.normal(size=size) for size in sizes)
        return x, memory, *(weight / np.sqrt(D) for weight in weights)

    def large(x, memory, *weights):
        return 60 * x, 60 * memory, *weights

    return fixed_cases(rng, draw, 5, long=(1,), large=large)
