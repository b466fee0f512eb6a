import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(T, K, V):
        query, key = rng.normal(size=(2, T, K))
        return query, key, rng.normal(size=(T, V))

    def large(query, key, value):
        # One feature of each query is large: elsewhere elu(x) + 1 rounds to 0.
        query = 30 * query
        query[:, 0] = np.abs(query[:, 0]) + 1
        return query, key, value

    return [
        *fixed_cases(rng, draw, 3, long=(0,), large=large),
        Case("2,048 positions", draw(2048, 4, 4), most=3 * 2**20),
    ]
