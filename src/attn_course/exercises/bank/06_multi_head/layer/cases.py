import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, T, H, K):
        D = H * K
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        names = "query_weight", "key_weight", "value_weight", "output_weight"
        weights = {
            name: (rng.normal(size=(D, D)) / np.sqrt(D)).astype(np.float32)
            for name in names
        }
        return (D, H), (x,), weights

    def large(sizes, inputs, weights):
        query = 500 * weights["query_weight"]
        return sizes, inputs, {**weights, "query_weight": query}

    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 7, 3, 5)),
        Case("an axis of size 1", draw(1, 5, 2, 3)),
        Case("one head", draw(2, 5, 1, 3)),
        Case("heads of width 1", draw(2, 3, 5, 1)),
        Case("scores of several hundred", large(*draw(2, 5, 2, 3))),
    ]
