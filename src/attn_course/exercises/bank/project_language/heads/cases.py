import numpy as np

from attn_course.exercises.engine.exercise import Case

MAPS = ("query", "key", "value", "output")


def cases(rng):
    def draw(B, T, H, K):
        D = H * K
        p = {name: rng.normal(size=(D, D)) / np.sqrt(D) for name in MAPS}
        return rng.normal(size=(B, T, D)), p, H

    def blocked(x, p, H):
        K = x.shape[2] // H
        x[:, :, 0], p["query"][0], p["key"][0] = 0, 0, 0
        p["query"][:, ::K] = 0
        p["query"][1, ::K] = np.sqrt(K)
        p["key"][:, ::K] = 0
        p["key"][0, ::K] = 1000
        x[:, :, 1], x[:, -1, 0] = 1, 1
        return x, p, H

    B, T, H, K = (int(size) for size in rng.permutation([2, 3, 5, 7]))
    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(B, T, H, K)),
        Case("an axis of size 1", draw(1, T, 2, 3)),
        Case("a single position", draw(B, 1, 2, 3)),
        Case("one head of width 1", draw(B, T, 1, 1)),
        Case("the largest score is blocked", blocked(*draw(2, 5, 3, 7))),
        Case("length 50", draw(1, 50, 2, 3)),
    ]
