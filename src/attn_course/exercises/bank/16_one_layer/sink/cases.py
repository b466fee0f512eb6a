from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(H, T, S, spread=2.0):
        mask = rng.random((T, S)) < 0.7
        mask[:, 0] = True
        return spread * rng.normal(size=(H, T, S)), mask, rng.normal(size=H)

    def empty(score, mask, sink):
        mask[1] = False
        return score, mask, sink

    def blocked(score, mask, sink):
        mask[:, -1] = False
        score[..., -1] = 1e4
        return score, mask, sink

    def shifted(score, mask, sink):
        return score - 30, mask, sink

    return [
        Case("equal sizes", draw(3, 3, 3)),
        Case("sizes of different primes", draw(2, 3, 5)),
        Case("an axis of size 1", draw(1, 5, 2)),
        Case("one key", draw(3, 2, 1)),
        Case("low scores", shifted(*draw(2, 3, 5))),
        Case("large scores", draw(2, 5, 7, 400.0)),
        Case("a high score is hidden", blocked(*draw(2, 3, 5))),
        Case("an empty row", empty(*draw(2, 3, 5))),
    ]
