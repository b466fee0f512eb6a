import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, T, L, D):
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        positions = rng.permutation(L)[:T] if L >= T else rng.integers(0, L, T)
        return (
            (L, D),
            (x, positions),
            {"table": rng.normal(size=(L, D)).astype(np.float32)},
        )

    def repeated(sizes, inputs, weights):
        return sizes, (inputs[0], np.zeros_like(inputs[1])), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("positions with gaps", draw(2, 5, 13, 7)),
        Case("sizes of different primes", draw(3, 2, 7, 5)),
        Case("an axis of size 1", draw(1, 1, 5, 3)),
        Case("an axis of size 1", draw(2, 3, 5, 1)),
        Case("a position that comes more than once", repeated(*draw(2, 3, 5, 7))),
    ]
