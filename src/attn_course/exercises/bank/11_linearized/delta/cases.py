import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(T, K, V):
        query, key = rng.normal(size=(2, T, K))
        key = key / np.linalg.norm(key, axis=1, keepdims=True)
        beta, decay = rng.uniform(0.2, 0.95, size=(2, T))
        return query, key, rng.normal(size=(T, V)), beta, decay

    cases = fixed_cases(rng, draw, 3, long=(0,))
    query, key, value, beta, decay = draw(7, 3, 2)
    same = np.tile(key[:1], (7, 1))
    cases.append(
        Case("one key, written again and again", (same, same, value, beta, decay))
    )
    ones = np.ones(7)
    cases.append(Case("nothing fades", (query, key, value, beta, ones)))
    return [*cases, Case("everything is written", (query, key, value, ones, decay))]
