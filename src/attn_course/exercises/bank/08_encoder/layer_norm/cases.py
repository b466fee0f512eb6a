from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(B, T, D):
        return rng.normal(size=(B, T, D)), rng.normal(size=D), rng.normal(size=D)

    x, scale, bias = draw(2, 5, 7)
    return [
        *fixed_cases(rng, draw, 3, long=(1,)),
        Case("differences of a thousandth", (x / 1000, scale, bias)),
        Case("a large mean", (20 + 3 * x, scale, bias)),
        Case("all numbers equal", (0 * x + 3, scale, bias)),
    ]
