from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(T, F, V, size):
        query, key = rng.uniform(0.1, 2.0, size=(2, T, F))
        return query, key, rng.normal(size=(T, V)), size

    cases = fixed_cases(rng, draw, 4, equal=None, long=(0,))
    cases.append(Case("equal sizes", draw(5, 5, 5, 5)))
    cases.append(Case("a last chunk that is not full", draw(11, 3, 2, 4)))
    cases.append(Case("chunks that divide the length", draw(12, 3, 2, 4)))
    return [*cases, Case("a chunk longer than the input", draw(5, 3, 2, 7))]
