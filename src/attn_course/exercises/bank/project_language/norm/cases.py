from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(B, T, D):
        return rng.normal(size=(B, T, D)) + 1, rng.normal(size=D)

    def tiny(x, scale):
        return 1e-3 * x, scale

    def long(x, scale):
        return 300 * x, scale

    cases = fixed_cases(rng, draw, 3, long=())
    cases.append(Case("small vectors", tiny(*draw(2, 3, 5))))
    return [*cases, Case("large vectors", long(*draw(5, 2, 7)))]
