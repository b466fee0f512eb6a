import numpy as np

from attn_course.exercises.engine.exercise import Case

MAPS = ("query", "key", "value", "output")


def cases(rng):
    def draw(B, T, H, K, F):
        D = H * K
        p = {"norm1": rng.normal(size=D), "norm2": rng.normal(size=D)}
        p |= {name: rng.normal(size=(D, D)) / np.sqrt(D) for name in MAPS}
        p["inner"] = rng.normal(size=(D, F)) / np.sqrt(D)
        p["outer"] = rng.normal(size=(F, D)) / np.sqrt(F)
        return rng.normal(size=(B, T, D)), p, H

    def blocked(x, p, H):
        K = x.shape[2] // H
        p["query"][:, ::K], p["key"][:, ::K] = 0, 0
        p["query"][1, ::K], p["key"][0, ::K] = 10, 400
        p["norm1"] = np.ones_like(p["norm1"])
        x[:, :, 0], x[:, :, 1], x[:, -1, 0] = 0, 1, 1
        return x, p, H

    B, T, H, K, F = (int(size) for size in rng.permutation([2, 3, 5, 7, 11]))
    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(B, T, H, K, F)),
        Case("an axis of size 1", draw(1, T, 2, 3, F)),
        Case("a single position", draw(B, 1, 2, 3, F)),
        Case("one head of width 1", draw(B, T, 1, 1, F)),
        Case("the largest score is blocked", blocked(*draw(2, 5, 3, 7, 2))),
        Case("length 50", draw(1, 50, 2, 3, 5)),
    ]
