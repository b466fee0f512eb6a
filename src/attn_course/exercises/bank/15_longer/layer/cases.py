import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, H, T, K):
        query = rng.normal(size=(B, H, T, K)).astype(np.float32)
        positions = rng.choice(90, size=T, replace=False)
        scale, bias = rng.normal(size=(2, H)).astype(np.float32)
        return (H,), (query, positions), {"scale": scale, "bias": bias}

    def zero(sizes, inputs, weights):
        return sizes, (inputs[0], np.zeros_like(inputs[1])), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 3, 5, 7)),
        Case("other sizes", draw(3, 5, 2, 11)),
        Case("an axis of size 1", draw(1, 1, 3, 5)),
        Case("an axis of size 1", draw(2, 3, 1, 1)),
        Case("position 0 alone", zero(*draw(2, 3, 5, 7))),
    ]
