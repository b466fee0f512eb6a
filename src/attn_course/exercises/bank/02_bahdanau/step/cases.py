import numpy as np

from attn_course.exercises.engine.exercise import fixed_cases


def cases(rng):
    def draw(B, S, D):
        state, memory = rng.normal(size=(B, D)), rng.normal(size=(B, S, D))
        return state, memory, *(rng.normal(size=(2, D, D)) / np.sqrt(D))

    def large(state, memory, W, C):
        memory[:, 0] = 30 * np.sign(state)
        return 30 * np.sign(state), memory, W / 30, C / 30

    return fixed_cases(rng, draw, 3, long=(1,), large=large)
