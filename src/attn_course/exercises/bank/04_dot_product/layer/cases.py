import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, S, D):
        memory = rng.normal(size=(B, S, D)).astype(np.float32)
        mask = np.arange(S) < rng.integers(1, S + 1, B)[:, None]
        return (D,), (memory, mask), {"query": rng.normal(size=D).astype(np.float32)}

    def large(sizes, inputs, weights):
        return sizes, inputs, {"query": 3000 * weights["query"]}

    def blocked(sizes, inputs, weights):
        memory, mask = inputs
        mask[:, 0], mask[:, -1] = True, False
        along = weights["query"] / (weights["query"] ** 2).sum()
        memory[:, -1] = 20000 * np.sqrt(sizes[0]) * along
        return sizes, (memory, mask), weights

    def full(sizes, inputs, weights):
        return sizes, (inputs[0], np.ones_like(inputs[1])), weights

    return [
        Case("equal sizes", draw(3, 3, 3)),
        Case("sizes of different primes", draw(2, 7, 5)),
        Case("an axis of size 1", draw(1, 5, 3)),
        Case("an axis of size 1", draw(3, 5, 1)),
        Case("everything allowed", full(*draw(2, 11, 3))),
        Case("the largest score is blocked", blocked(*draw(3, 5, 7))),
        Case("scores of several hundred", large(*draw(3, 5, 7))),
    ]
