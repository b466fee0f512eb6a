from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    # The vectors of the distances -k to k in a table of 2 k + 1 rows.
    def draw(T, K, k):
        return rng.normal(size=(T, K)), rng.normal(size=(2 * k + 1, K))

    cases = fixed_cases(rng, draw, 3, equal=3, long=(0,))
    cases.append(Case("no distance is clipped", draw(3, 2, 7)))
    return [*cases, Case("a table of one row", draw(5, 3, 0))]
