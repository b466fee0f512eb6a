from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(C, rows, columns, size):
        shape = C, rows * size, columns * size
        return rng.normal(size=shape), size

    cases = fixed_cases(rng, draw, 4, equal=3, long=())
    return [
        *cases,
        Case("one patch", draw(3, 1, 1, 5)),
        Case("one pixel", draw(1, 2, 3, 1)),
    ]
