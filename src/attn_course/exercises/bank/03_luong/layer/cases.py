import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, T, S, D, E):
        query, memory = (rng.normal(size=size) for size in ((B, T, D), (B, S, E)))
        mask = np.arange(S) < rng.integers(1, S + 1, B)[:, None]
        weight = rng.normal(size=(D, E)) / np.sqrt(D)
        query, memory, weight = (x.astype(np.float32) for x in (query, memory, weight))
        return (D, E), (query, memory, mask), {"weight": weight}

    def large(sizes, inputs, weights):
        return sizes, (3000 * inputs[0], *inputs[1:]), {"weight": weights["weight"]}

    def blocked(sizes, inputs, weights):
        query, memory, mask = inputs
        mask[:, 0], mask[:, -1] = True, False
        factors = 1 + np.arange(query.shape[1], dtype=np.float32) / 7
        query = query[:, :1] * factors[:, None]
        along = query[:, 0] @ weights["weight"]
        size = (along**2).sum(axis=1, keepdims=True)
        memory[:, -1] = 20000 * along / size
        return sizes, (query, memory, mask), weights

    def full(sizes, inputs, weights):
        return sizes, (*inputs[:2], np.ones_like(inputs[2])), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 3, 7, 5, 11)),
        Case("an axis of size 1", draw(1, 1, 5, 3, 2)),
        Case("everything allowed", full(*draw(2, 5, 3, 3, 7))),
        Case("the largest score is blocked", blocked(*draw(2, 3, 5, 2, 3))),
        Case("scores of several hundred", large(*draw(2, 3, 5, 2, 3))),
    ]
