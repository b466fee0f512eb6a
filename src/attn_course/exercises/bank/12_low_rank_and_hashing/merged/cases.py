import numpy as np

from attn_course.exercises.engine.exercise import fixed_cases


def cases(rng):
    def draw(R, T, V):
        return rng.normal(size=(R, T, V)), 2 * rng.normal(size=(R, T))

    def large(outputs, log_sums):
        signs = (-1.0) ** np.arange(log_sums.shape[1])  # by turns: one maximum won't do
        return outputs, log_sums + rng.choice([-900.0, 900.0]) * signs

    def empty(outputs, log_sums):
        outputs, log_sums = outputs.copy(), log_sums.copy()
        outputs[1:, 0], log_sums[1:, 0] = 0, -np.inf  # one round alone found something
        return outputs, log_sums

    return fixed_cases(rng, draw, 3, long=(1,), large=large, empty=empty)
