import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, T, D, more, R):
        names = ("query_weight", "key_weight", "value_weight")
        parameters = {name: rng.normal(size=(D, D)) / 2 for name in names}
        for name in ("key_projection", "value_projection"):
            parameters[name] = rng.normal(size=(R, T + more)) / 2
        parameters = {k: x.astype(np.float32) for k, x in parameters.items()}
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        return (D, T + more, R), (x,), parameters

    return [
        Case("equal sizes", draw(3, 3, 3, 0, 3)),
        Case("sizes of different primes", draw(2, 7, 5, 0, 3)),
        Case("shorter than the projections", draw(2, 5, 3, 6, 2)),
        Case("an axis of size 1", draw(2, 5, 3, 2, 1)),
        Case("an axis of size 1", draw(1, 1, 3, 4, 2)),
    ]
