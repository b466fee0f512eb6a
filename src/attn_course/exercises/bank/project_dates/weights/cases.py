import numpy as np

from attn_course.exercises.engine.exercise import fixed_cases


def cases(rng):
    def draw(B, S):
        return rng.normal(size=(B, S)), rng.random((B, S)) < 0.6

    def large(score, mask):
        return score + 800 * (-1.0) ** np.arange(len(score))[:, None], mask

    def low(score, mask):
        return np.where(mask, score - 12000, score), mask

    def behind(score, mask):
        mask[:, 0], mask[:, -1], score[:, -1] = True, False, 900
        return score, mask

    def empty(score, mask):
        mask[0] = False
        return score, mask

    def full(score, mask):
        return score, np.ones_like(mask)

    more = {"large": large, "low": low, "behind": behind, "empty": empty, "full": full}
    return fixed_cases(rng, draw, 2, long=(1,), **more)
