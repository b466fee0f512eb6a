from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(S, K, N, R):
        return rng.normal(size=(S, K)), rng.normal(size=(R, K, N))

    cases = fixed_cases(rng, draw, 4)
    x, directions = draw(11, 3, 2, 5)
    return [*cases, Case("scores of several hundred", (300 * x, directions))]
