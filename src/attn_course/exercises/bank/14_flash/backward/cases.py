import numpy as np

from attn_course.exercises.engine.exercise import fixed_cases, softmax


def cases(rng):
    def draw(T, S, K, V):
        query, key, value, grad = (
            rng.normal(size=size) for size in ((T, K), (S, K), (S, V), (T, V))
        )
        return with_forward(query, key, value, grad)

    def with_forward(query, key, value, grad):
        score = query @ key.T / np.sqrt(key.shape[1])
        highest = score.max(axis=1)
        log_total = highest + np.log(np.exp(score - highest[:, None]).sum(axis=1))
        return query, key, value, softmax(score) @ value, log_total, grad

    def large(query, key, value, output, log_total, grad):
        # Scores of hundreds of one sign: their exp alone is out of range.
        query, key = query.copy(), key.copy()
        query[:, 0], key[:, 0] = 900 * np.sqrt(key.shape[1]), 1
        return with_forward(query, key, value, grad)

    return fixed_cases(rng, draw, 4, long=(0, 1), large=large)
