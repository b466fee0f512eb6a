from attn_course.exercises.engine.exercise import Case, behind, fixed_cases, strong


def cases(rng):
    def draw(n, K, V, w):
        return *(rng.normal(size=size) for size in ((n, K), (n, K), (n, V))), w

    def large(query, key, value, w):
        return *strong(query, key), value, w

    def blocked(query, key, value, w):
        return *behind(query, key), value, w

    cases = fixed_cases(rng, draw, 4, long=(0,), large=large)
    wide = draw(5, 3, 2, 13)
    return [
        *cases,
        Case("a window longer than the sequence", wide),
        Case("the largest score is blocked", blocked(*draw(7, 3, 2, 3))),
        Case("length 100", draw(100, 3, 2, 7)),
    ]
