from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, H, T, K, spread=1.0):
        query = spread * rng.normal(size=(B, H, T, K))
        query *= rng.uniform(0.2, 4, size=(B, H, T, 1))
        return query, rng.uniform(0.5, 2, size=(H, K))

    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 3, 5, 7)),
        Case("other sizes", draw(3, 5, 2, 11)),
        Case("one head", draw(2, 1, 3, 5)),
        Case("one position", draw(2, 3, 1, 5)),
        Case("large scores", draw(2, 3, 5, 7, 300.0)),
        Case("small queries: what is added to the mean counts", draw(2, 3, 5, 7, 1e-3)),
    ]
