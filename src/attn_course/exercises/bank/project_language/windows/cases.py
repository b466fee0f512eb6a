import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, length, more=8):
        tokens = rng.permutation(10 * (length + more))[: length + more]
        return tokens, rng.integers(0, more - 1, B), int(length)

    def ends(tokens, starts, length):
        return tokens, np.array([0, len(tokens) - length - 1]), length

    B, length = (int(size) for size in rng.permutation([2, 3, 5, 7])[:2])
    return [
        Case("sizes of different primes", draw(B, length)),
        Case("equal sizes", draw(5, 5)),
        Case("one window", draw(1, 7)),
        Case("windows of one token", draw(3, 1)),
        Case("the first and the last window", ends(*draw(2, 5))),
        Case("length 100", draw(3, 100)),
    ]
