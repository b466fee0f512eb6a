import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, H, T, V, D):
        context = rng.normal(size=(B, H, T, V)).astype(np.float32)
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        weight = rng.normal(size=(D, H)).astype(np.float32)
        bias = rng.normal(size=H).astype(np.float32)
        return (D, H), (context, x), {"weight": weight, "bias": bias}

    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 3, 5, 7, 11)),
        Case("other sizes", draw(3, 5, 2, 3, 7)),
        Case("an axis of size 1", draw(1, 1, 3, 5, 2)),
        Case("an axis of size 1", draw(2, 3, 1, 1, 5)),
    ]
