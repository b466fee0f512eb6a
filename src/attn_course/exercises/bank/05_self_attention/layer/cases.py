import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, T, D, K, V):
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        sizes = {"query_weight": (D, K), "key_weight": (D, K), "value_weight": (D, V)}
        weights = {
            name: (rng.normal(size=size) / np.sqrt(D)).astype(np.float32)
            for name, size in sizes.items()
        }
        return (D, K, V), (x,), weights

    def large(sizes, inputs, weights):
        query = 500 * weights["query_weight"]
        return sizes, inputs, {**weights, "query_weight": query}

    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 7, 5, 3, 11)),
        Case("an axis of size 1", draw(1, 5, 3, 2, 7)),
        Case("an axis of size 1", draw(2, 5, 3, 1, 3)),
        Case("scores of several hundred", large(*draw(2, 5, 7, 3, 2))),
    ]
