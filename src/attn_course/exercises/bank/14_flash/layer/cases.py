import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, S, D):
        memory = rng.normal(size=(B, S, D)).astype(np.float32)
        mask = np.arange(S) < rng.integers(1, S + 1, B)[:, None]
        query, sink = (rng.normal(size=n).astype(np.float32) for n in (D, 1))
        return (D,), (memory, mask), {"query": query, "sink": sink}

    def large(sizes, inputs, weights):
        return sizes, inputs, {**weights, "query": 3000 * weights["query"]}

    def blocked(sizes, inputs, weights):
        memory, mask = inputs
        mask[:, 0], mask[:, -1] = True, False
        along = weights["query"] / (weights["query"] ** 2).sum()
        memory[:, -1] = 20000 * np.sqrt(sizes[0]) * along
        return sizes, (memory, mask), weights

    def high(sizes, inputs, weights):
        return sizes, inputs, {**weights, "sink": np.float32([300])}

    return [
        Case("equal sizes", draw(3, 3, 3)),
        Case("sizes of different primes", draw(2, 7, 5)),
        Case("an axis of size 1", draw(1, 5, 3)),
        Case("an axis of size 1", draw(3, 5, 1)),
        Case("the largest score is blocked", blocked(*draw(3, 5, 7))),
        Case("scores of several hundred", large(*draw(3, 5, 7))),
        Case("a sink far above all scores", high(*draw(3, 5, 7))),
    ]
