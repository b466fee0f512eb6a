from attn_course.exercises.engine.exercise import (
    Case,
    behind,
    fixed_cases,
    strong,
    weak,
)


def cases(rng):
    def draw(T, extra, K, V):
        sizes = (T, K), (T + extra, K), (T + extra, V)
        return tuple(rng.normal(size=size) for size in sizes)

    def large(query, key, value):
        return *strong(query, key), value

    def low(query, key, value):
        return *weak(query, key), value

    def blocked(query, key, value):
        return *behind(query, key), value

    cases = fixed_cases(rng, draw, 4, long=(0, 1), large=large, low=low, behind=blocked)
    return [*cases, Case("no cache yet", draw(7, 0, 3, 2))]
