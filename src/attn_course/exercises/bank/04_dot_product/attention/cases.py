import numpy as np

from attn_course.exercises.engine.exercise import behind, fixed_cases, strong, weak


def cases(rng):
    def draw(T, S, K, V):
        mask = rng.random((T, S)) < 0.6
        mask[:, 0] |= ~mask.any(axis=1)
        query, key, value = (rng.normal(size=size) for size in ((T, K), (S, K), (S, V)))
        return query, key, value, mask

    def large(query, key, value, mask):
        return *strong(query, key), value, mask

    def low(query, key, value, mask):
        return *weak(query, key), value, mask

    def empty(query, key, value, mask):
        mask[-1] = False
        return query, key, value, mask

    def full(query, key, value, mask):
        return query, key, value, np.ones_like(mask)

    def blocked(query, key, value, mask):
        mask[:, -1] = False
        return *behind(query, key), value, mask

    changes = {
        "large": large,
        "behind": blocked,
        "low": low,
        "empty": empty,
        "full": full,
    }
    return fixed_cases(rng, draw, 4, long=(0, 1), **changes)
