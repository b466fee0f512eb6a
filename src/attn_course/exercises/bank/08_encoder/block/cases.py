import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, T, D, F):
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        drawn = {
            "scale": 1 + rng.normal(size=D) / 4,
            "bias": rng.normal(size=D) / 4,
            "inner": rng.normal(size=(D, F)) / np.sqrt(D),
            "outer": rng.normal(size=(F, D)) / np.sqrt(F),
        }
        return (D, F), (x,), {k: w.astype(np.float32) for k, w in drawn.items()}

    sizes, (x,), parameters = draw(2, 3, 5, 7)
    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 5, 7, 11)),
        Case("differences of a hundredth", (sizes, (x / 100,), parameters)),
        Case("an axis of size 1", draw(1, 3, 5, 7)),
        Case("an inner width of 1", draw(2, 3, 5, 1)),
    ]
