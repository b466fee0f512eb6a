import numpy as np

from attn_course.exercises.engine.exercise import fixed_cases


def cases(rng):
    def draw(H, T, S, K, V):
        sizes = (H, T, K), (H, S, K), (H, S, V), (H, K)
        return tuple(rng.normal(size=size) for size in sizes)

    def large(query, key, value, score_weight):
        return (
            query,
            key,
            value,
            900 * (1 + np.abs(score_weight)) * np.sign(score_weight),
        )

    def heads(query, key, value, score_weight):
        return draw(len(query) + 1, 5, 3, 2, 7)

    return fixed_cases(rng, draw, 5, equal=3, long=(2,), large=large, heads=heads)
