import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, T, G, group, K):
        D = G * group * K
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        widths = {"query": D, "key": G * K, "value": G * K, "output": D}
        weights = {
            f"{name}_weight": (rng.normal(size=(D, n)) / np.sqrt(D)).astype(np.float32)
            for name, n in widths.items()
        }
        return (D, G * group, G), (x,), weights

    def large(sizes, inputs, weights):
        """With one head alone."""
        (x,), query = inputs, weights["query_weight"]
        score = x @ query @ (x @ weights["key_weight"]).swapaxes(1, 2)
        most = score.max() / np.sqrt(np.float32(sizes[0]))
        return sizes, inputs, {**weights, "query_weight": 900 * query / most}

    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 7, 3, 2, 5)),
        Case("an axis of size 1", draw(1, 5, 2, 2, 3)),
        Case("one key head", draw(2, 5, 1, 3, 2)),
        Case("as many key heads as heads", draw(2, 5, 3, 1, 2)),
        Case("heads of width 1", draw(2, 3, 2, 3, 1)),
        Case("scores of several hundred", large(*draw(2, 7, 1, 1, 5))),
    ]
