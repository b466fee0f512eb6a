import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases, strong


def cases(rng):
    def draw(T, S, K, V):
        sizes = (T, K), (S, K), (S, V)
        return *(rng.normal(size=size) for size in sizes), 3

    def large(query, key, value, size):
        return *strong(query, key), value, size

    cases = fixed_cases(rng, draw, 4, long=(0, 1), large=large)
    query, key, value, _ = draw(5, 7, 3, 2)
    falling = 800 * np.ones((5, 3)), key - 3 * np.arange(7)[:, None]
    many = draw(2048, 2048, 4, 4)[:3]
    return [
        *cases,
        Case("scores that fall from block to block", (*falling, value, 2)),
        Case("one key at a time", (query, key, value, 1)),
        Case("one block of all keys", (query, key, value, 7)),
        Case("2,048 keys in blocks of 16", (*many, 16), most=3 * 2**20),
    ]
