import numpy as np

from attn_course.exercises.engine.exercise import fixed_cases


def cases(rng):
    def draw(B, S, X, H):
        sizes = (B, X), (B, H), (B, H), (B, S, H), (X + H, H), (H, H), (2 * H, H)
        given = [rng.normal(size=size) for size in sizes]
        given[4:] = [weight / np.sqrt(len(weight)) for weight in given[4:]]
        return tuple(given)

    def large(x, state, fed, memory, W, U, C):
        return x, state, fed, 1500 * memory, W, U, C / 1500

    return fixed_cases(rng, draw, 4, long=(1,), large=large)
