from attn_course.exercises.engine.exercise import Case


def cases(rng):
    n, stride = (int(size) for size in rng.permutation([5, 7, 11])[:2])
    cases = [
        Case("sizes of different primes", (n, stride)),
        Case("sizes of different primes", (3 * stride + 2, stride)),
        Case("equal sizes", (5, 5)),
        Case("an axis of size 1", (1, 3)),
        Case("a stride of 1", (7, 1)),
        Case("a stride longer than the sequence", (5, 11)),
        Case("length 100", (100, int(rng.integers(3, 12)))),
    ]
    return cases
