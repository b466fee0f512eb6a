import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, T, S, D, size=1.0):
        x, memory = rng.normal(size=(B, T, D)), size * rng.normal(size=(B, S, D))
        names = ("query_weight", "key_weight", "value_weight")
        drawn = {name: rng.normal(size=(D, D)) / np.sqrt(D) for name in names}
        inputs = tuple(each.astype(np.float32) for each in (x, memory))
        return (D,), inputs, {k: w.astype(np.float32) for k, w in drawn.items()}

    def large(sizes, inputs, weights):
        (x, memory), query = inputs, weights["query_weight"]
        score = x @ query @ (memory @ weights["key_weight"]).swapaxes(1, 2)
        most = score.max() / np.sqrt(np.float32(sizes[0]))
        return sizes, inputs, {**weights, "query_weight": 900 * query / most}

    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 5, 3, 7)),
        Case("a memory of size 3", draw(2, 3, 5, 7, size=3.0)),
        Case("an axis of size 1", draw(1, 3, 1, 5)),
        Case("one word is written", draw(2, 1, 5, 3)),
        Case("scores of several hundred", large(*draw(2, 3, 7, 5))),
    ]
