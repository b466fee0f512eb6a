import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def _mask(rng, B, S):
    """Lengths of at least 1; in some batches none reaches the end."""
    lengths = rng.integers(1, S + 1, B)
    return np.arange(S) < lengths[:, None]


def cases(rng):
    def draw(B, S, H):
        return rng.normal(size=(B, S, H)), _mask(rng, B, S)

    def full(states, mask):
        return states, np.ones_like(mask)

    cases = fixed_cases(rng, draw, 3, long=(1,), full=full)
    # In a batch padded to a multiple of 8 no sentence needs to reach the end.
    short = np.arange(8) < rng.integers(1, 7, 5)[:, None]
    return [
        *cases,
        Case("no sentence reaches the end", (rng.normal(size=(5, 8, 3)), short)),
    ]
