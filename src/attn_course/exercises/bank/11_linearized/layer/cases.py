import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, T, D, K, V):
        shapes = (D, K), (D, K), (D, V), (D,)
        names = "query_weight", "key_weight", "value_weight", "gate_weight"
        weights = {
            name: (rng.normal(size=shape) / np.sqrt(D)).astype(np.float32)
            for name, shape in zip(names, shapes, strict=True)
        }
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        return (D, K, V), (x,), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 7, 5, 3, 11)),
        Case("an axis of size 1", draw(1, 5, 3, 2, 7)),
        Case("an axis of size 1", draw(2, 1, 3, 5, 7)),
        Case("an axis of size 1", draw(2, 3, 5, 1, 1)),
    ]
