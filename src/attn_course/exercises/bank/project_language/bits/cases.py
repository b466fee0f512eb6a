import numpy as np

from attn_course.exercises.engine.exercise import fixed_cases


def cases(rng):
    def draw(B, T, N):
        N = max(N, 2)
        target = rng.integers(0, N, (B, T))
        return rng.normal(size=(B, T, N)), target, int(rng.integers(B * T, 5 * B * T))

    def large(logits, target, characters):
        return 800 * np.sign(logits) + logits, target, characters

    return fixed_cases(rng, draw, 3, long=(1,), large=large)
