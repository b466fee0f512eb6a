import numpy as np

from attn_course.exercises.engine.exercise import fixed_cases


def cases(rng):
    def draw(B, T, S):
        mask = rng.random((B, T, S)) < 0.6
        mask[..., 0] |= ~mask.any(axis=-1)
        return rng.normal(size=(B, T, S)), mask

    def large(score, mask):
        # The blocked ones are the largest of all.
        score = score + 900 * (-1.0) ** np.arange(score.shape[1])[:, None]
        return np.where(mask, score, score + 4000), mask

    def behind(score, mask):
        return np.where(mask, score, score + 20000), mask

    def low(score, mask):
        return score - 12000, mask

    def empty(score, mask):
        mask[0, 0] = False
        return score, mask

    def full(score, mask):
        return score, np.ones_like(mask)

    changes = {
        "large": large,
        "low": low,
        "empty": empty,
        "full": full,
        "behind": behind,
    }
    return fixed_cases(rng, draw, 3, long=(2,), **changes)
