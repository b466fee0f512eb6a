import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, T, S, D, E, A):
        sizes = (B, T, D), (B, S, E)
        query, memory = (rng.normal(size=size).astype(np.float32) for size in sizes)
        mask = np.arange(S) < rng.integers(1, S + 1, B)[:, None]
        weights = {
            "query_weight": rng.normal(size=(D, A)) / np.sqrt(D),
            "memory_weight": rng.normal(size=(E, A)) / np.sqrt(E),
            "score_weight": rng.normal(size=A),
        }
        weights = {name: x.astype(np.float32) for name, x in weights.items()}
        return (D, E, A), (query, memory, mask), weights

    def large(sizes, inputs, weights):
        v = np.full_like(weights["score_weight"], 200)
        return sizes, inputs, {**weights, "score_weight": v}

    def blocked(sizes, inputs, weights):
        query, memory, mask = inputs
        mask[:, 0], mask[:, -1] = True, False
        memory = -np.abs(memory)
        memory[:, -1] = 50
        positive = np.abs(weights["memory_weight"])
        score = np.full_like(weights["score_weight"], 3000)
        more = {"memory_weight": positive, "score_weight": score}
        return sizes, (query, memory, mask), {**weights, **more}

    def full(sizes, inputs, weights):
        return sizes, (*inputs[:2], np.ones_like(inputs[2])), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 3, 7, 5, 11, 13)),
        Case("an axis of size 1", draw(1, 1, 5, 3, 2, 7)),
        Case("everything allowed", full(*draw(2, 5, 3, 3, 7, 2))),
        Case("the largest score is blocked", blocked(*draw(2, 3, 5, 2, 3, 7))),
        Case("scores of several hundred", large(*draw(2, 3, 5, 2, 3, 7))),
    ]
