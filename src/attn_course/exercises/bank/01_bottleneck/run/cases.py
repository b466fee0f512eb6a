import numpy as np

from attn_course.exercises.engine.exercise import fixed_cases


def _mask(rng, B, S):
    """Lengths of at least 1; in some batches none reaches the end."""
    lengths = rng.integers(1, S + 1, B)
    return np.arange(S) < lengths[:, None]


def cases(rng):
    def draw(B, S, E, H):
        sizes = (B, S, E), (E, H), (H, H)
        x, first, second = (rng.normal(size=size) for size in sizes)
        return x, first / np.sqrt(E), second / np.sqrt(H), _mask(rng, B, S)

    def full(x, W, U, mask):
        return x, W, U, np.ones_like(mask)

    def empty(x, W, U, mask):
        mask[0] = False
        return x, W, U, mask

    return fixed_cases(rng, draw, 4, long=(1,), full=full, empty=empty)
