from attn_course.exercises.engine.exercise import Case, behind, strong


def cases(rng):
    def draw(n, K, V, stride, summary):
        shapes = (n, K), (n, K), (n, V)
        return *(rng.normal(size=size) for size in shapes), stride, summary

    def large(query, key, value, stride, summary):
        return *strong(query, key), value, stride, summary

    def blocked(query, key, value, stride, summary):
        return *behind(query, key), value, stride, summary

    return [
        Case("sizes of different primes", draw(11, 3, 5, 4, 1)),
        Case("sizes of different primes", draw(13, 5, 2, 5, 2)),
        Case("blocks that fit", draw(12, 2, 3, 4, 2)),
        Case("an axis of size 1", draw(1, 3, 2, 3, 1)),
        Case("an axis of size 1", draw(7, 1, 3, 3, 1)),
        Case("an axis of size 1", draw(7, 3, 1, 2, 1)),
        Case("a stride longer than the sequence", draw(3, 2, 5, 7, 2)),
        Case("a summary as long as the block", draw(11, 3, 2, 3, 3)),
        Case("scores of several hundred", large(*draw(11, 3, 5, 3, 1))),
        Case("the largest score is blocked", blocked(*draw(11, 3, 5, 3, 1))),
        Case("length 100", draw(100, 3, 2, int(rng.integers(5, 12)), 2)),
        Case("2,048 positions", draw(2048, 4, 4, 16, 1), most=3 * 2**20),
    ]
